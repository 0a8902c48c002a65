"""Addresses in many scripts, read as a column, are what the single check says of each."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.lists.test_address_column import check_column

ODD = (  # what composes, is not seen, has no lower case of its own, or is half of something
    "\u0301", "\u0338", "\u0345", "\u0307", "\u03a3", "\u03c2", "\u0130", "\u0131", "\u017f",
    "\u212a", "\u212b", "\u2126", "\u1e9e", "\u00df", "\u1100", "\u1161", "\u11a8", "\uac00",
    "\u0915", "\u093c", "\u094d", "\u0958", "\u200c", "\u200d", "\u3099", "\u304b", "\uff76",
    "\uff21", "\u0640", "\u064b", "\u05b0", "\ufb01", "\u01c5", "\u1f71", "\u00aa", "\u00b2",
    "\U00010400", "\U0001f600", "\ud7b0", "\u0e33", "\u0d3e", "\u3164", "\u00a0",
)  # fmt: skip
USED = "\u00c9\u00e8\u0141\u017a\u1ea3\u041c\u043e\u0457\u0391\u03b2\u6771\u4eac\u3072\u30ab\ud55c"
LETTERS = st.sampled_from([*ODD, *USED, "\u05d0", "\u0639", "\u0e01"]) | st.characters(
    exclude_categories=["Cs"]
)
PLAIN = ("a", "Z", "7", ".", "+", "-", "=", "info", "a.b.c.d.", "'")
LOCAL_PARTS = st.builds("".join, st.lists(LETTERS | st.sampled_from(PLAIN), max_size=6))
PIECES = ("a", "b2", "-", "--", "xn--", "bro-hoa", "7", "_", "\u00b7", "\u3002", "\uff0e", " ")
LABELS = st.builds("".join, st.lists(LETTERS | st.sampled_from(PIECES), max_size=5))
TOPS = st.sampled_from(("de", "d", "de2", "test", "co.uk", "\u0440\u0444", "xn--p1ai", "")) | LABELS
DOMAINS = st.builds(lambda labels, top: ".".join([*labels, top]), st.lists(LABELS), TOPS)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.builds("{}@{}".format, LOCAL_PARTS, DOMAINS), max_size=20))
def test_any_letters(texts: list[str]) -> None:
    check_column([text.encode() for text in texts], "utf-8")


def test_letters_that_normalising_makes_longer() -> None:
    start, middle = "\u0301\u0301\u0301\u1e9e.\u0301", "bro-hoa.\u0301\u1e9e\u1e9e\u0e01\U00010000"
    letters = ("\u0958", "\u0915\u093c", "\ufb1d", "\u0344")
    check_column([f"0@.{start}{letter}{middle}".encode() for letter in letters], "utf-8")


def test_every_odd_letter() -> None:
    texts = [
        text
        for letter in (*ODD, *USED)
        for text in (f"{letter}@x.de", f"a{letter}@x.de", f"{letter}=.b@X..de", f"a@{letter}b.de")
    ]
    check_column([text.encode() for text in texts], "utf-8")


def test_parts_at_their_limits() -> None:
    sizes = (20, 21, 22, 31, 32, 33, 50, 55, 59, 60, 63, 64)
    texts = [
        text
        for letter in "\u00d6\u00f6\u4f8b\uac00\u0416"
        for size in sizes
        for text in (f"{letter * size}@x.de", f"a@{letter}{'x' * size}.de", f"a@{letter * size}.jp")
    ]
    check_column([text.encode() for text in texts], "utf-8")
