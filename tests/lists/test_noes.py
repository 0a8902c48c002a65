"""What rows say of mail to a mailbox: written down by the run, removed rows included."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from tests.lists.delimited_support import Run, find_plan, run_file
from tests.tables import write_csv
from tests.workbooks import write_table
from winnow.core.addresses.address import duplicate_key
from winnow.core.addresses.mailbox import find_base
from winnow.core.addresses.repair_kinds import RepairKind
from winnow.core.meaning.columns import NO_DECISIONS
from winnow.core.tasks.keep_rule import Keep, KeepRule
from winnow.core.tasks.repair_choice import RepairChoice, RepairPlace
from winnow.core.tasks.run_request import RunRequest
from winnow.core.verdicts.reasons import Reason
from winnow.lists.result.cell_table import CellReader
from winnow.lists.result.consent_cells import read_consent
from winnow.lists.result.former import FORMER
from winnow.lists.result.noes import NOES, Noes, count_people

HEADER = ("email", "status", "changed")
ELSEWHERE, BEFORE = Reason.UNSUBSCRIBED_ELSEWHERE, Reason.UNSUBSCRIBED_BEFORE


def run(
    folder: Path, rows: list[tuple[str, ...]], kind: str = "csv", **options: Any
) -> dict[Reason, list[int]]:
    """Return the result's rows by the reasons that the list's own rows give them."""
    done = run_rows(folder, rows, kind, **options)
    mail = options.get("options", RunRequest()).mail
    found = read_consent(CellReader(done.folder, done.plan), mail).list_reasons()
    united = {one: np.unique(np.concatenate(some)).tolist() for one, some in found.items()}
    return {one: some for one, some in united.items() if some}


def run_rows(folder: Path, rows: list[tuple[str, ...]], kind: str, **options: object) -> Run:
    path = write_table(folder / f"list.{kind}", [HEADER, *rows])
    return run_file(path, plan=find_plan(path), **options)


NEWEST = RunRequest(keep=KeepRule(Keep.NEWEST, 2))
ANA, BEN = "ana@frei.de", "ben@frei.de"


@pytest.mark.parametrize(
    ("status", "verified", "reason"),
    [
        ("subscribed", "catch-all", BEFORE),  # another service's doubt hides no yes
        ("subscribed", "unknown", BEFORE),
        ("", "valid", ELSEWHERE),  # its answer is no yes
    ],
)
def test_another_service_neither_gives_nor_takes_a_yes(
    tmp_path: Path, status: str, verified: str, reason: Reason
) -> None:
    rows = [
        (ANA, "unsubscribed", "2026-01-01", "valid"),
        (f" {ANA}", status, "2026-02-01", verified),
    ]
    path = tmp_path / "list.csv"
    path.write_bytes(write_csv([(*HEADER, "ZB Status"), *rows]))
    done = run_file(path, plan=find_plan(path), options=NEWEST)
    assert reason in read_consent(CellReader(done.folder, done.plan)).list_reasons()


KEPT = {"deduplicate": False}
LATE = {"options": NEWEST}
EMPTY = {"options": RunRequest(mail=NO_DECISIONS.decide_value("Status", "", is_mailed=False))}
YES, NO = "subscribed", "unsubscribed"
DAYS = "2024-01-01", "2024-02-01", "2024-03-01"
SAID: dict[str, tuple[list[tuple[str, str, str]], dict[str, Any], dict[Reason, list[int]]]] = {
    "removed": ([(ANA, NO, ""), (BEN, YES, ""), (" ANA@frei.de", YES, "")], {}, {ELSEWHERE: [1]}),
    "newer-yes": ([(ANA, NO, DAYS[0]), (ANA, YES, DAYS[1])], LATE, {BEFORE: [0]}),
    "empty-decided": (
        [(ANA, "", ""), (BEN, " ", ""), (ANA, YES, "")],
        EMPTY,
        {Reason.UNSUBSCRIBED: [0], ELSEWHERE: [1]},
    ),
    "no-cell": ([("Ana <ana@frei.de>", "gold", ""), (ANA, YES, "")], EMPTY, {}),
    "no-without-date": ([(ANA, NO, ""), (ANA, YES, DAYS[1])], LATE, {ELSEWHERE: [0]}),
    "no-last": ([(ANA, NO, DAYS[2]), (ANA, YES, DAYS[1])], LATE, {Reason.UNSUBSCRIBED: [0]}),
    "bounce": (
        [(ANA, "hard bounced", DAYS[0]), (ANA, YES, DAYS[1])],
        LATE,
        {Reason.BOUNCED_HARD: [0]},
    ),
    "kept-for-each-other": (
        [(ANA, NO, ""), (ANA, YES, ""), (BEN, "", "")],
        KEPT,
        {Reason.UNSUBSCRIBED: [0], ELSEWHERE: [1]},
    ),
    "blank-addresses": (
        [("", NO, ""), ("", YES, ""), (ANA, YES, "")],
        {},
        {Reason.UNSUBSCRIBED: [0]},
    ),
    "separator-of-units": ([(ANA, "\x1f17", ""), (BEN, NO, "")], {}, {Reason.UNSUBSCRIBED: [1]}),
}


@pytest.mark.parametrize(
    ("kind", "name"),
    [*(("csv", name) for name in SAID), ("xlsx", "removed"), ("xlsx", "empty-decided")],
)
def test_a_no_is_the_mailboxes(tmp_path: Path, kind: str, name: str) -> None:
    rows, options, wanted = SAID[name]
    assert run(tmp_path, rows, kind, **options) == wanted


def test_a_malformed_cells_no_is_that_of_the_address_in_it(tmp_path: Path) -> None:
    named = f"Ana <{ANA}>, {BEN}"
    rows = [(named, "unsubscribed", ""), (named, "", ""), (ANA, "subscribed", ""), (BEN, "", "")]
    done = run_rows(tmp_path, rows, "csv")
    noes = Noes.open(done.cells)
    assert noes is not None
    found = {reason: rows.tolist() for reason, rows in noes.find_rows().items()}
    assert found == {ELSEWHERE: [0, 1, 2]}
    assert {one.number for one in noes.cite(1)} == {2}


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
@pytest.mark.parametrize("deduplicate", [False, True])
def test_a_no_inside_a_malformed_cell_is_that_of_the_mailbox(
    tmp_path: Path, kind: str, deduplicate: bool
) -> None:
    named = "Ana <a.na+news@frei.de>"
    subscribed = [(one, "subscribed", "") for one in ("a.na@frei.de", "ana@frei.de", "a.na+x@b.de")]
    rows = [(named, "unsubscribed", ""), (named, "", ""), *subscribed]
    done = run_rows(tmp_path, rows, kind, deduplicate=deduplicate)
    said = read_consent(CellReader(done.folder, done.plan)).list_reasons()
    assert (2 - deduplicate) in said[ELSEWHERE][0]
    assert not {3 - deduplicate, 4 - deduplicate} & set(said[ELSEWHERE][0])


@pytest.mark.parametrize("repairs", [False, True])
def test_one_address_in_many_cells_takes_no_more_room_than_the_cells(
    tmp_path: Path, repairs: bool
) -> None:
    rows = [(f"N{number} <{ANA}>", NO, "") for number in range(600)]
    choice = RepairChoice(frozenset(RepairKind)) if repairs else None
    options = RunRequest(repair=choice)
    done = run_rows(
        tmp_path, [*rows, (ANA, YES, ""), (BEN, YES, "")], "csv", options=options, deduplicate=False
    )
    said = read_consent(done.cells).list_reasons()
    assert {one for some in said[ELSEWHERE] for one in some.tolist()} == {*range(601)}
    written = (NOES, FORMER) if repairs else (NOES,)
    assert max(pq.read_metadata(done.folder / one).num_rows for one in written) < 10 * len(rows)


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
@pytest.mark.parametrize("place", RepairPlace)
@pytest.mark.parametrize("deduplicate", [False, True])
def test_a_corrected_rows_no_is_also_that_of_what_it_had(
    tmp_path: Path, kind: str, place: RepairPlace, deduplicate: bool
) -> None:
    choice = RepairChoice(singles={"ana+x@frei.de": "cy@b.de"}, place=place)
    rows = [("ana+x@frei.de", "unsubscribed", ""), (ANA, YES, ""), (BEN, YES, "")]
    options = RunRequest(repair=choice)
    found = run(tmp_path, rows, kind, options=options, deduplicate=deduplicate)
    assert found == {Reason.UNSUBSCRIBED: [0], ELSEWHERE: [1]}


def test_a_no_is_also_that_of_rows_that_had_the_address(tmp_path: Path) -> None:
    choice = RepairChoice(singles={"BEN@b.de": "cy@b.de", "ben@b.de": None, "Ben@b.de": "di@b.de"})
    rows = [("ben@b.de", NO, ""), ("BEN@b.de", YES, ""), ("Ben@b.de", YES, ""), (ANA, YES, "")]
    found = run(tmp_path, rows, options=RunRequest(repair=choice))
    assert found == {Reason.UNSUBSCRIBED: [0], ELSEWHERE: [1, 2]}
    found = run(tmp_path, [rows[1], ("Ben@b.de", NO, "")], options=RunRequest(repair=choice))
    assert found == {Reason.UNSUBSCRIBED: [1], ELSEWHERE: [0]}


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_a_corrected_rows_no_outlives_its_removal(tmp_path: Path, kind: str) -> None:
    choice = RepairChoice(singles={"ana+x@frei.de": "cy@b.de"})
    rows = [("cy@b.de", YES, ""), ("ana+x@frei.de", NO, ""), (ANA, YES, "")]
    options = RunRequest(repair=choice, keep=KeepRule(Keep.FIRST))
    assert run(tmp_path, rows, kind, options=options) == {ELSEWHERE: [0, 1]}


def test_a_column_of_days_without_any_says_nothing(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_bytes(write_csv([("email", "unsubscribed at"), (ANA, ""), (BEN, "")]))
    assert run_file(path, plan=find_plan(path)).outcome.summary.do_not_mail == count_people({})


@pytest.mark.parametrize("seed", range(3))
def test_every_row_of_a_mailbox_with_a_no_is_written_down(tmp_path: Path, seed: int) -> None:
    pick = random.Random(seed)
    names = ("ana", "a.na", "Ana+x", "ana+", "+ana", "a+b+c", '"a+b"', "müller", "MÜLLER+1")
    domains = ("frei.de", "FREI.de", "frei\u3002de", "b.de", "bücher.de", "xn--bcher-kva.de")
    noted = {"unsubscribed", "bounced", 'say "no"', "line\nunsubscribed"}  # or not known
    words = (*sorted(noted), "subscribed", "", "x" * 70)
    days = ("", "2024-01-02", "2024-01-02 10:11:12")
    rows = [
        (f"{pick.choice(names)}@{pick.choice(domains)}", pick.choice(words), pick.choice(days))
        for _ in range(300)
    ]
    done = run_rows(tmp_path, rows, "csv", block_bytes=1_000)
    parts = [duplicate_key(address).rpartition("@")[::2] for address, *_ in rows]
    boxes = [(find_base(*one, {"frei.de"}.__contains__), one[1]) for one in parts]
    wanted = {box for box, row in zip(boxes, rows, strict=True) if row[1] in noted}
    table = pq.read_table(done.folder / NOES).to_pylist()
    found = {one["number"] - 2: one for one in table}
    assert sorted(found) == [row for row, box in enumerate(boxes) if box in wanted]
    assert all(one["c1"] == rows[row][1] for row, one in found.items())
    pairs = {(boxes[row], one["mailbox"]) for row, one in found.items()}
    assert len(pairs) == len(wanted) == len({number for _, number in pairs})


def test_rows_are_cited_by_their_numbers_in_the_file(tmp_path: Path) -> None:
    rows = [(BEN, "subscribed", ""), (ANA, "Unsubscribed", ""), (ANA, "subscribed", "")]
    done = run_rows(tmp_path, rows, "csv")
    noes = Noes.open(done.cells)
    assert noes is not None
    (said,) = noes.cite(1)
    assert (said.number, said.column, said.cell) == (3, "status", "Unsubscribed")
    assert not list(noes.cite(0))


def test_a_list_without_such_columns_has_no_file(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_bytes(write_csv([("email", "city"), (ANA, "Bonn"), (ANA, "Köln")]))
    done = run_file(path, plan=find_plan(path))
    assert not list(done.folder.glob("noes*"))


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
@pytest.mark.parametrize(
    "word", ["Unsubscribed", "VIP, un-subscribed", "VIP;dnc", "Désabonnée", "отписан"]
)
def test_a_strong_word_counts_in_any_row_of_any_column(
    tmp_path: Path, kind: str, word: str
) -> None:
    others = [(f"a{one}@frei.de", f"note {one}", "") for one in range(1_200)]
    rows = [(BEN, "VIP", ""), *others, (ANA, word, ""), (ANA, "VIP", "")]
    path = write_table(tmp_path / f"list.{kind}", [("email", "Feld 7", "Feld 8"), *rows])
    done = run_file(path, plan=find_plan(path))
    found = read_consent(CellReader(done.folder, done.plan)).list_reasons()
    assert {one: some.tolist() for one, (some,) in found.items()} == {ELSEWHERE: [1_201]}


def test_a_strong_word_counts_among_many_values(tmp_path: Path) -> None:
    others = [(f"a{one}@frei.de", f"note {one}") for one in range(20_000)]
    path = tmp_path / "list.csv"
    path.write_bytes(write_csv([("email", "Feld 7"), *others, (ANA, "Abgemeldet")]))
    done = run_file(path, plan=find_plan(path))
    found = read_consent(CellReader(done.folder, done.plan)).list_reasons()
    assert {one: some[0].tolist() for one, some in found.items()} == {Reason.UNSUBSCRIBED: [20_000]}
