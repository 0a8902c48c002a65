"""What columns and cells of a list say of people: by headings and words of many services."""

import csv
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from winnow.core.meaning.columns import (
    NO_DECISIONS,
    ColumnMeaning,
    HeadingKind,
    MailDecisions,
    count_values,
    read_cell,
    read_columns,
)
from winnow.core.meaning.outcomes import Outcome, choose_worst
from winnow.core.meaning.vocabulary import HEADINGS, WORDS, fold_words, open_vocabulary, read_lines

OWN = Path(__file__).with_name("said_cells.tsv")
GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "do-not-mail.md"
SHARED = Path(__file__).parents[3] / "shared" / "data" / "consent.tsv"
WAITING = ("pending", "unconfirmed", "awaiting")
NO, MAIL, HARD, NOTHING = Outcome.NO_MAIL, Outcome.MAIL, Outcome.HARD_BOUNCE, Outcome.NOTHING


def read_table(path: Path) -> Iterator[tuple[str, str, list[dict[str, str]]]]:
    """Yield each service's columns with their cells."""
    columns = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            columns[row["service"], row["heading"]].append(row)
    for (service, heading), rows in columns.items():
        yield service, heading, rows


def read_one(
    heading: str, *cells: str, decisions: MailDecisions = NO_DECISIONS
) -> ColumnMeaning | None:
    """Return what a column of a list is, beside a column of addresses."""
    values = count_values([("ana@a.example", cell) for cell in cells], 2)
    return next(iter(read_columns(("email", heading), values, 0, decisions)), None)


def leaves_out(meaning: ColumnMeaning | None, cell: str) -> bool:
    return meaning is not None and meaning.applied and read_cell(meaning, cell).forbids


def find_wrong(path: Path) -> list[str]:
    """Return the cells of a table that are read otherwise than it says."""
    wrong = []
    for service, heading, rows in read_table(path):
        meaning = read_one(heading, *(row["value"] for row in rows))
        for row in rows:
            value, means = row["value"], row["means"]
            is_no = means == "no" or any(one in value.casefold() for one in WAITING)
            if leaves_out(meaning, value) is not is_no:
                wrong.append(f"{service}: {heading}: {value} is {means}")
    return wrong


def test_cells_of_exports_say_who_may_be_mailed() -> None:
    assert find_wrong(OWN) == []


@pytest.mark.skipif(not SHARED.exists(), reason="no shared table of consent here")
def test_cells_of_the_shared_table_say_who_may_be_mailed() -> None:
    assert find_wrong(SHARED) == []


def test_a_word_is_found_behind_hundreds_of_tags() -> None:
    cell = ",".join([*(f"a long tag {number}" for number in range(300)), "unsubscribed"])
    assert leaves_out(read_one("Tags", "vip", cell), cell)


def test_a_decided_value_counts_below_a_heading_that_is_only_offered() -> None:
    decided = MailDecisions(values={"status": {"shipped": False}})
    meaning = read_one("Status", "shipped", "ordered", decisions=decided)
    assert meaning is not None
    assert meaning.applied
    assert read_cell(meaning, "shipped", decided).forbids


def read_guide(section: str) -> list[list[str]]:
    """Return the rows of the table of a section of the guide."""
    text = GUIDE.read_text(encoding="utf-8").partition(f"## {section}\n")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    return rows[2:]


def test_the_guide_says_what_columns_say() -> None:
    rows = read_guide("What a list's own columns say")
    assert len(rows) == 9
    for heading, cell, said in rows:
        cell = cell.partition(",")[0]
        meaning = read_one(heading, cell)
        assert leaves_out(meaning, cell) is said.startswith("left out"), heading
        if meaning is not None and meaning.applied:
            assert said in ("kept", f"left out: {read_cell(meaning, cell)}")


def test_the_guide_says_what_other_services_words_become() -> None:
    rows = read_guide("Coming from another service")
    assert len(rows) == 9
    for service, column, out, kept in rows:
        meaning = read_one(column, *out.split(", "), *kept.split(", "))
        left = [one for one in (*out.split(", "), *kept.split(", ")) if leaves_out(meaning, one)]
        assert left == out.split(", "), service


@pytest.mark.parametrize(
    ("heading", "cells", "outcomes"),
    [
        pytest.param("status", "shipped cancelled", None, id="offered: a shop"),
        pytest.param("status", "active inactive", None, id="offered: beehiiv"),
        pytest.param("Status", "C U B", None, id="offered: letters"),
        pytest.param("Gekündigt am", "01.02.2026 0", None, id="offered: a contract"),
        pytest.param("Removed on", "2026-02-01", None, id="offered: removed"),
        pytest.param("state", "active cancelled complained bounced",
                     [MAIL, NO, Outcome.COMPLAINED, HARD], id="kit: beside a word about mail"),
        pytest.param("Deleted", "yes unsubscribed", [NO, NO], id="a word about mail applies it"),
        pytest.param("Newsletter", "0 1 7", [NOTHING] * 3, id="amounts are no yes and no"),
        pytest.param("Unsubscribed", "true 2024-05-01 05.01.2024 1714521600 0000-00-00 no",
                     [NO, NO, NO, NO, NOTHING, MAIL], id="days"),
        pytest.param("Hard bounce reason", "MAILBOX_FULL Spam other false",
                     [HARD, Outcome.COMPLAINED, HARD, MAIL], id="any reason is a hard bounce"),
        pytest.param("Bounced", "nein nee falsch hard soft ja",
                     [MAIL, MAIL, MAIL, HARD, Outcome.SOFT_BOUNCE, HARD], id="no in any language"),
    ],
)  # fmt: skip
def test_heading_and_cells_are_read_together(
    heading: str, cells: str, outcomes: list[Outcome] | None
) -> None:
    meaning = read_one(heading, *cells.split())
    assert meaning is not None
    assert meaning.applied is (outcomes is not None)
    if outcomes is not None:
        assert [read_cell(meaning, cell) for cell in cells.split()] == outcomes
    assert {word.value for word in meaning.words} == set(cells.split())


def test_decisions_outrank_the_tables() -> None:
    cells = ("active", "cancelled", "C")
    heading = fold_words("Status")
    decided = MailDecisions({heading: True}, {heading: {"c": False, "cancelled": True}})
    meaning = read_one("Status", *cells, decisions=decided)
    assert meaning is not None
    assert meaning.applied
    assert [read_cell(meaning, cell, decided) for cell in cells] == [MAIL, MAIL, NO]
    ignored = MailDecisions({fold_words("Unsubscribed"): False})
    meaning = read_one("Unsubscribed", "yes", decisions=ignored)
    assert meaning is not None
    assert not meaning.applied
    meaning = read_one(
        "Consent to photos", "no", decisions=MailDecisions({"consent to photos": True})
    )
    assert leaves_out(meaning, "no")


def test_values_that_are_listed_are_short_few_and_no_addresses() -> None:
    cells = ["bo@b.example", "x" * 61, *(f"word {number}" for number in range(60)), "unsubscribed"]
    meaning = read_one("Subscription status", *cells, "unsubscribed")
    assert meaning is not None
    assert (meaning.applied, len(meaning.words)) == (True, 50)
    assert meaning.words[0].value == "unsubscribed"
    assert not {word.value for word in meaning.words} & set(cells[:2])
    assert [word.is_known for word in meaning.words[:2]] == [True, False]


def test_a_letter_that_services_use_for_either_is_asked_about() -> None:
    meaning = read_one("EMAIL_PERMISSION_STATUS_", "I", "O")  # O is oui, or opted out
    assert meaning is not None
    assert {word.value: word.is_known for word in meaning.words} == {"I": False, "O": False}


def test_the_worst_of_several_outcomes_counts() -> None:
    assert choose_worst((MAIL, HARD, NO)) is NO
    assert choose_worst(()) is NOTHING


def test_the_data_files_hold_known_kinds_and_each_word_once() -> None:
    kinds = {entry.means for entry, _ in read_lines(HEADINGS) if ":" not in entry.means}
    assert kinds == set(HeadingKind)
    means = {entry.means.rpartition(":")[2] for entry, _ in read_lines(WORDS)}
    assert means - {"yes", "no"} <= set(Outcome)
    assert {entry.strength for entry, _ in read_lines(WORDS)} == {"strong", "weak", "bare"}
    assert open_vocabulary(WORDS) is open_vocabulary(WORDS)
