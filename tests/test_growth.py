"""A text of any length and any repetition is taken with a few looks at each character.

No time is measured. Calls are counted, of Python and of C; and where one call looks at each
character for each other one, it takes longer than a test may.
"""

import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType

import pytest

from tests.applications import Clock, open_test_application
from winnow.core.addresses.address import domain_as_given, duplicate_key
from winnow.core.addresses.pasted import split_pasted
from winnow.core.addresses.repairs import find_repair, propose_repair, take_apart
from winnow.core.errors import WinnowError
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.contact_fields import find_fields
from winnow.core.meaning.addresses import speaks_of_mail
from winnow.core.own_lists.patterns import parse_pattern
from winnow.core.unicode_forms import fold_name
from winnow.core.verdicts.facts import DomainFacts
from winnow.lists.address_search import mentions
from winnow.lists.engine.parsed_value import parse_value
from winnow.lists.inspect import read_head
from winnow.services.names import make_file_stem

CHARACTERS = 250_000
FEW_CHARACTERS = 3_000  # more than any address has
SPARE_CALLS = 100  # of what happens once: imports, caches
MARKS_CHARACTERS = 1 << 20  # C sorts marks fast
MARKS = "\u0301\u0323"  # two combining marks in the wrong order: Unicode's normal forms sort them

Take = Callable[[str], object]

TAKEN: dict[str, Take] = {
    "address": duplicate_key,
    "address of a list": lambda text: parse_value(text, frozenset()),
    "domain": domain_as_given,
    "repair": find_repair,
    "suggestion": lambda text: propose_repair(text, DomainFacts),
    "offer": take_apart,
    "pasted": split_pasted,
    "own list": lambda text: parse_pattern(text, lambda domain: False),
    "header": speaks_of_mail,
    "column": fold_name,
    "contact field": lambda text: find_fields([text], 1),
    "file name": make_file_stem,
    "search": lambda text: mentions(text, "a@b.de"),
}
REPEATED = (
    *(" ", "\t", "\u00a0", "\u3000", "\u200b", "\r\n ", ". ", ",", "a@", "<a@b.de", "<", "("),
    *('"\\', "\\", "#mailto:", "\u00fc.", "xn--a.", "a@b.de; ", MARKS),
)
AROUND = (("a", "b@b.de"), ("a@", "b.de"), ("", ""))


def repeat(unit: str, characters: int = 0) -> str:
    """Return a long text of one unit."""
    usual = MARKS_CHARACTERS if unit == MARKS else CHARACTERS
    return unit * ((characters or usual) // len(unit))


def count_calls(take: Take, text: str) -> int:
    """Return how many functions a call calls, those of C among them."""
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        with suppress(WinnowError):
            take(text)
    finally:
        sys.setprofile(before)
    return calls


@pytest.mark.parametrize("name", TAKEN)
def test_twice_the_text_takes_twice_the_calls(name: str) -> None:
    for unit in REPEATED:
        for before, behind in AROUND:
            once, twice = (
                count_calls(TAKEN[name], before + repeat(unit, size) + behind)
                for size in (FEW_CHARACTERS, 2 * FEW_CHARACTERS)
            )
            assert twice <= 2 * once + SPARE_CALLS, (unit, before, once)


@pytest.mark.slow
@pytest.mark.parametrize("name", TAKEN)
def test_whatever_takes_text(name: str) -> None:
    for unit in REPEATED:
        for before, behind in AROUND:
            with suppress(WinnowError):
                TAKEN[name](before + repeat(unit) + behind)


@pytest.mark.slow
@pytest.mark.parametrize(
    "head", [pytest.param("", id="at-once"), pytest.param('email\n"', id="quote")]
)
def test_dialect_detection(head: str, tmp_path: Path) -> None:
    for unit in REPEATED:
        (tmp_path / "list").write_bytes((head + repeat(unit)).encode())
        with suppress(WinnowError):
            read_head(tmp_path / "list", "list.csv")


def test_a_single_check_of_a_long_text_is_invalid_at_once(tmp_path: Path) -> None:
    checks = open_test_application(tmp_path, Clock()).services.checks
    for unit in REPEATED:
        fields = checks.check_address(LOCAL_ACCOUNT, f"a{repeat(unit)}b@b.de").fields
        assert (fields["category"], fields["type"], len(fields)) == ("black", "invalid", 9)
