"""The list's own columns counted by, against Python's csv and a plain recount."""

import csv
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.lists.delimited_support import JUDGE, run_list, scratch_folder
from tests.tables import write_csv
from winnow.core.lists.file_format import FileFormat
from winnow.core.tasks.task import InputPlan
from winnow.core.verdicts.judge import judge_text
from winnow.core.verdicts.verdict import Category
from winnow.lists.result import cell_queries
from winnow.lists.result.result_rows import ResultRows

EMAILS = ("ana@firm.de", "bo@wegwerf.net", "info@frei.de", "foo", "x+y@frei.de")
Table = dict[str, Counter[Category]]


def _read_table(rows: ResultRows, column: int) -> Table:
    found: Table = {}
    table = rows.own_columns.tables[column]
    for text, counts in zip(table.texts, table.counts.tolist(), strict=True):
        found[text] = Counter()
        for verdict, count in zip(rows.own_columns.verdicts, counts, strict=True):
            found[text][verdict.category] += count
    return {text: +counts for text, counts in found.items()}


def _recount(records: Sequence[Sequence[str]], column: int, email: int) -> Table:
    found: Table = {}
    for cells in records:
        text = cells[column].strip()
        found.setdefault(text, Counter())[judge_text(JUDGE, cells[email]).verdict.category] += 1
    return found


CELLS = st.sampled_from(
    [
        "", "DE", " DE ", "AT", "Paid Social", 'so "called"', "a,b", "two\nlines", "\u00fcber",
        "a long value, of more than eight letters", "a long value, of more than eight lettern",
        "=1+1", "0", "00", "x" * 126,
    ]
)  # fmt: skip


@st.composite
def _lists(draw: st.DrawFn) -> tuple[list[list[str]], str, str, bool, bool]:
    """Rows with the email in any column, a delimiter, a line end, quotes and blank lines."""
    email = draw(st.integers(0, 2))
    rows = draw(st.lists(st.tuples(CELLS, CELLS, st.sampled_from(EMAILS)), max_size=60))
    records = []
    for one, two, address in rows:
        cells = [one, two]
        cells.insert(email, address)
        records.append(cells)
    delimiter = draw(st.sampled_from(",;\t"))
    line_end = draw(st.sampled_from(["\n", "\r\n"]))
    return records, delimiter, line_end, draw(st.booleans()), draw(st.booleans())


@settings(deadline=None, max_examples=30)
@given(_lists(), st.sampled_from(["utf-8", "windows-1252", "utf-16"]))
def test_values_are_those_that_csv_reads(
    made: tuple[list[list[str]], str, str, bool, bool], encoding: str
) -> None:
    records, delimiter, line_end, quotes_all, has_blanks = made
    quoting = csv.QUOTE_ALL if quotes_all else csv.QUOTE_MINIMAL
    if not records:
        return
    email = next(place for place, cell in enumerate(records[0]) if cell in EMAILS)
    names = ["one", "two"]
    names.insert(email, "email")
    dialect: dict[str, Any] = {"lineterminator": line_end, "quoting": quoting}
    lines = [write_csv([record], delimiter, **dialect).decode() for record in [names, *records]]
    text = "".join(
        line + (line_end if has_blanks and number % 3 == 1 else "")
        for number, line in enumerate(lines)
    )
    plan = InputPlan(FileFormat.CSV, email, tuple(names), encoding=encoding, delimiter=delimiter)
    with scratch_folder() as folder:
        rows = run_list(text.encode(encoding), plan, Path(folder), deduplicate=False).rows
        for column, table in rows.own_columns.tables.items():
            expected = _recount(records, column, email)
            assert _read_table(rows, column) == expected
            sizes = [expected[text].total() for text in table.texts]
            assert sizes == sorted(sizes, reverse=True)
        assert email not in rows.own_columns.tables


def _clean(records: Sequence[Sequence[str]], names: tuple[str, ...], folder: Path) -> ResultRows:
    plan = InputPlan(FileFormat.CSV, 0, names)
    return run_list(write_csv([names, *records]), plan, folder, deduplicate=False).rows


def test_identifiers_addresses_and_free_text_are_no_groups(tmp_path: Path) -> None:
    names = ("email", "id", "copy", "note", "owner", "country", "second")
    records = [
        [email, str(n), email, "long " * 40 + str(n % 3), "boss@firm.de" if n == 7 else "Ana", "DE",
         ("x@firm.de" if n == 3 else "ana(at)firm") if n < 9 else ""]
        for n, email in enumerate(EMAILS * 400)
    ]  # fmt: skip
    tables = _clean(records, names, tmp_path).own_columns.tables
    assert {names[column] for column in tables} == {"owner", "country"}
    assert tables[4].texts == ("Ana",)
    assert int(tables[4].counts.sum()) == len(records) - 1


def test_too_many_values_are_free_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cell_queries, "VALUES_MAX", 50)
    names = ("email", "slowly", "few")
    records = [[EMAILS[0], str(n // 4), str(n % 50)] for n in range(400)]
    rows = _clean(records, names, tmp_path)
    assert list(rows.own_columns.tables) == [2]
    assert _read_table(rows, 2) == _recount(records, 2, 0)
