"""The time that a text takes grows with its length, at every entry point and for any repetition.

Judged by processor time within one run: four times the text may take six times as long, not 16.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from tests.applications import Clock, open_test_application
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.addresses.address import domain_as_given, duplicate_key
from winnow.core.addresses.pasted import split_pasted
from winnow.core.addresses.repairs import find_repair, propose_repair, take_apart
from winnow.core.errors import WinnowError
from winnow.core.lists.contact_fields import find_fields
from winnow.core.lists.merging import fold_name
from winnow.core.own_lists.patterns import parse_pattern
from winnow.core.verdicts.facts import DomainFacts
from winnow.lists.engine.parsed_value import parse_value
from winnow.lists.inspection.columns import speaks_of_mail
from winnow.lists.inspection.inspect import read_head
from winnow.lists.result.find_address import mentions
from winnow.services.uploads.names import make_file_stem

UNIT_CHARACTERS = 3_000
NOISE_SECONDS = 0.02
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
AROUND = (("a", "b@b.de"), ("a@", "b.de"), ("<a", "@b.de"), ("", ""))


def measure(take: Take, text: str) -> float:
    """Return the processor seconds that one text takes, refused or not."""
    begin = time.process_time()
    with suppress(WinnowError):
        take(text)
    return time.process_time() - begin


def assert_grows_with_length(take: Take, unit: str, before: str, behind: str) -> None:
    count = UNIT_CHARACTERS // len(unit)
    once, twice, four_times = (
        measure(take, before + unit * (count * times) + behind) for times in (1, 2, 4)
    )
    assert twice < 3 * once + NOISE_SECONDS, (unit, before, behind)
    assert four_times < 6 * once + NOISE_SECONDS, (unit, before, behind)


@pytest.mark.parametrize("name", TAKEN)
def test_whatever_takes_text(name: str) -> None:
    for unit in REPEATED:
        for before, behind in AROUND:
            assert_grows_with_length(TAKEN[name], unit, before, behind)


@pytest.mark.parametrize(
    "head", [pytest.param("", id="at-once"), pytest.param('email\n"', id="quote")]
)
def test_dialect_detection(head: str, tmp_path: Path) -> None:
    def take(text: str) -> object:
        path = tmp_path / "list"
        path.write_bytes(text.encode())
        return read_head(path, "list.csv")

    take("email\na@b.de\n")  # what the first one imports is not its time
    for unit in REPEATED:
        assert_grows_with_length(take, unit, head, "")


def test_a_single_check_of_a_long_text_is_invalid_at_once(tmp_path: Path) -> None:
    checks = open_test_application(tmp_path, Clock()).services.checks
    checks.check(LOCAL_ACCOUNT, "a@b.de")  # opens the domain data
    for unit in REPEATED[:5]:
        fields = checks.check(LOCAL_ACCOUNT, f"a{unit * 20_000}b@b.de").fields
        assert (fields["category"], fields["type"], len(fields)) == ("black", "invalid", 9)
        for before, behind in AROUND:
            assert_grows_with_length(partial(checks.check, LOCAL_ACCOUNT), unit, before, behind)
