"""The list's own columns counted by, against Python's csv and a plain recount."""

import csv
import io
from collections import Counter
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.lists.delimited_support import make_judge, run_list, scratch_folder
from winnow.core.lists.file_format import FileFormat
from winnow.core.own_lists.patterns import OwnLists
from winnow.core.tasks.task import InputPlan
from winnow.core.verdicts.facts import OwnEntry
from winnow.core.verdicts.judge import judge_text
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category
from winnow.lists.result import cell_queries
from winnow.lists.result.cell_queries import ValueTable
from winnow.lists.result.cell_questions import CellReader
from winnow.lists.result.result_rows import ResultRows
from winnow.lists.result.row_view import RowView

EMAILS = ("ana@firm.de", "bo@wegwerf.net", "info@frei.de", "foo", "x+y@frei.de")
Table = dict[str, Counter[Category]]


def _list_table(rows: ResultRows, column: int) -> Table:
    return _read_table(rows, rows.own_columns.tables[column])


def _read_table(rows: ResultRows, table: ValueTable) -> Table:
    found: Table = {}
    for text, counts in zip(table.texts, table.counts.tolist(), strict=True):
        found[text] = Counter()
        for verdict, count in zip(rows.own_columns.verdicts, counts, strict=True):
            found[text][verdict.category] += count
    return {text: +counts for text, counts in found.items()}


def _recount(records: Sequence[Sequence[str]], column: int, email: int) -> Table:
    judge = make_judge()
    found: Table = {}
    for cells in records:
        text = cells[column].strip()
        found.setdefault(text, Counter())[judge_text(judge, cells[email]).verdict.category] += 1
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
    quoting: Literal[0, 1] = csv.QUOTE_ALL if quotes_all else csv.QUOTE_MINIMAL
    if not records:
        return
    email = next(place for place, cell in enumerate(records[0]) if cell in EMAILS)
    names = ["one", "two"]
    names.insert(email, "email")
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator=line_end, quoting=quoting)
    for number, record in enumerate([names, *records]):
        writer.writerow(record)
        if has_blanks and number % 3 == 1:
            text.write(line_end)
    plan = InputPlan(FileFormat.CSV, email, tuple(names), encoding=encoding, delimiter=delimiter)
    with scratch_folder() as folder:
        data = text.getvalue().encode(encoding)
        rows = run_list(data, plan, make_judge(), Path(folder), deduplicate=False).rows
        for column, table in rows.own_columns.tables.items():
            expected = _recount(records, column, email)
            assert _read_table(rows, table) == expected
            sizes = [expected[text].total() for text in table.texts]
            assert sizes == sorted(sizes, reverse=True)
        assert email not in rows.own_columns.tables


def _clean(records: Sequence[Sequence[str]], names: tuple[str, ...], folder: Path) -> ResultRows:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerows([names, *records])
    plan = InputPlan(FileFormat.CSV, 0, names)
    return run_list(text.getvalue().encode(), plan, make_judge(), folder, deduplicate=False).rows


PLAN = InputPlan(FileFormat.CSV, 0, ("email", "country", "source"))
RECORDS = [
    [email, country, source]
    for email, country, source in product(EMAILS, ("DE", "AT", ""), ("Ads", "Fair"))
    for _ in range(len(source))
]


@pytest.fixture
def rows(tmp_path: Path) -> ResultRows:
    return _clean(RECORDS, PLAN.columns, tmp_path)


def test_a_column_of_few_addresses_is_no_group(tmp_path: Path) -> None:
    names = ("email", "second", "country")
    records = [
        [EMAILS[n % 5], ("x@firm.de" if n == 3 else "ana(at)firm") if n < 9 else "", "DE"]
        for n in range(2_000)
    ]
    rows = _clean(records, names, tmp_path)
    assert list(rows.own_columns.tables) == [2]


def test_own_lists_show_in_the_counts(rows: ResultRows, tmp_path: Path) -> None:
    cells = CellReader(next(tmp_path.glob("work-*")), PLAN)
    own = OwnLists.build(1, [OwnEntry(Category.BLACK, "firm.de", Reason.OWN_DOMAIN)])
    seen = ResultRows(cells.folder, PLAN, RowView.lay_own(cells, own))
    before, now = _list_table(rows, 1)["DE"], _list_table(seen, 1)["DE"]
    assert now[Category.BLACK] == before[Category.BLACK] + len("AdsFair")
    assert now.total() == before.total()


def test_identifiers_addresses_and_free_text_are_no_groups(tmp_path: Path) -> None:
    names = ("email", "id", "copy", "note", "owner", "country")
    emails = [EMAILS[number % 5] for number in range(300)]
    records = [
        [email, str(n), email, "long " * 40 + str(n % 3), "boss@firm.de" if n == 7 else "Ana", "DE"]
        for n, email in enumerate(emails)
    ]
    tables = _clean(records, names, tmp_path).own_columns.tables
    assert {names[column] for column in tables} == {"owner", "country"}
    assert tables[4].texts == ("Ana",)
    assert int(tables[4].counts.sum()) == 299


def test_too_many_values_are_free_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cell_queries, "VALUES_MAX", 50)
    names = ("email", "slowly", "few")
    records = [[EMAILS[0], str(n // 4), str(n % 50)] for n in range(400)]
    rows = _clean(records, names, tmp_path)
    assert list(rows.own_columns.tables) == [2]
    assert _list_table(rows, 2) == _recount(records, 2, 0)
