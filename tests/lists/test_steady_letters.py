"""Local parts in many scripts, read as a column, are what the single check says of each."""

import random
import re

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.lists.test_address_column import check_column
from winnow.lists.engine.steady_letters import list_local_letters

_ALL = re.compile(f"[{list_local_letters().upper}{list_local_letters().other}]")
STEADY = [letter for letter in map(chr, range(0x80, 0x10000)) if _ALL.match(letter)]
ODD = (  # what composes, is not seen, has no lower case of its own, or is half of something
    "\u0301", "\u0338", "\u0345", "\u0307", "\u03a3", "\u03c2", "\u0130", "\u0131", "\u017f",
    "\u212a", "\u212b", "\u2126", "\u1e9e", "\u00df", "\u1100", "\u1161", "\u11a8", "\uac00",
    "\u0915", "\u093c", "\u094d", "\u0958", "\u200c", "\u200d", "\u3099", "\u304b", "\uff76",
    "\uff21", "\u0640", "\u064b", "\u05b0", "\ufb01", "\u01c5", "\u1f71", "\u00aa", "\u00b2",
    "\U00010400", "\U0001f600", "\ud7b0", "\u0e33", "\u0d3e", "\u3164", "\u00a0",
)  # fmt: skip
PLAIN = ("a", "Z", "7", ".", "+", "-", "=", "info", "a.b.c.d.", "'")
LOCAL_PARTS = st.builds(
    "".join, st.lists(st.sampled_from([*ODD, *PLAIN]) | st.sampled_from(STEADY), max_size=6)
)
DOMAINS = st.sampled_from(("x.de", "x..de", "b\u00fcro.de", "x.de "))


@pytest.mark.slow
def test_every_letter_in_front_behind_and_alone() -> None:
    pick = random.Random(4)  # made-up data
    letters = [*STEADY[:2_000], *pick.sample(STEADY[2_000:], 1_000), *ODD]
    texts = [
        text
        for letter in letters
        for text in (f"{letter}@x.de", f"a{letter}@x.de", f"{letter}=.b@X..de")
    ]
    check_column([text.encode() for text in texts], "utf-8")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.builds("{}@{}".format, LOCAL_PARTS, DOMAINS), max_size=20))
def test_any_letters_beside_one_another(texts: list[str]) -> None:
    check_column([text.encode() for text in texts], "utf-8")


def test_long_local_parts() -> None:
    sizes = (20, 21, 22, 31, 32, 33, 63, 64)
    texts = [
        f"{letter * size}@x.de" for letter in "\u00d6\u00f6\u4f8b\uac00\u0416" for size in sizes
    ]
    check_column([text.encode() for text in texts], "utf-8")


def test_another_implementation_leaves_them_alone() -> None:
    """Polars normalises and lowers by Unicode data of its own."""
    pick = random.Random(6)  # made-up data
    texts = pl.Series(["".join(pick.choices(STEADY, k=12)) for _ in range(50_000)])
    assert texts.str.normalize("NFC").equals(texts)
    lowered = texts.str.to_lowercase()
    assert lowered.to_list() == [text.lower() for text in texts.to_list()]
    assert lowered.str.normalize("NFC").equals(lowered)


def test_scripts_that_people_use_are_among_them() -> None:
    latin, cyrillic, greek = "\u00c9\u00e8\u0141\u017a\u1ea3", "\u041c\u043e\u0457", "\u0391\u03b2"
    han, kana, hangul, thai = "\u6771\u4eac", "\u3072\u30ab", "\ud55c\uad6d", "\u0e01"
    arabic, hebrew, devanagari = "\u0639\u0628", "\u05d0\u05d1", "\u0915"
    for script in (latin, cyrillic, greek, han, kana, hangul, thai, arabic, hebrew, devanagari):
        assert all(map(_ALL.match, script))
