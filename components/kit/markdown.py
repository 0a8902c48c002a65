"""Escaping of outside text for Markdown."""

_SIGNS = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_{}[]<>#+-.!|$~:"})

_WORD_JOINER = "\u2060"  # keeps what looks like an address from becoming a link


def escape_markdown(text: str) -> str:
    """Return the text escaped for Markdown, math and Streamlit's directives.

    For display only: invisible joiners keep addresses from becoming links.
    """
    plain = " ".join(text.split()).translate(_SIGNS)
    return plain.replace("@", f"@{_WORD_JOINER}").replace("www", f"www{_WORD_JOINER}")
