"""Text from outside, made harmless for Markdown."""

_SIGNS = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_{}[]<>#+-.!|$~:"})

_WORD_JOINER = "\u2060"  # keeps what looks like an address from becoming a link


def escape_markdown(text: str) -> str:
    """Return the text so that Markdown, math and Streamlit's directives read no sign in it.

    For the eye: invisible joiners stand where an address would become a link.
    """
    plain = " ".join(text.split()).translate(_SIGNS)
    return plain.replace("@", f"@{_WORD_JOINER}").replace("www", f"www{_WORD_JOINER}")
