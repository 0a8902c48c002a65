"""Search and filters of a project's cells: pandas answers the same questions."""

import io
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.lists.delimited_support import run_file
from tests.lists.test_row_order import COLUMNS, make_rows, write_file
from winnow.core.addresses.address import duplicate_key
from winnow.core.blobs import TABLE_NAME
from winnow.core.errors import QueryEnded
from winnow.core.lists.rows import RowFilter, RowOrder
from winnow.core.tasks.task import InputPlan
from winnow.lists.inspection.inspect import plan_input, read_head
from winnow.lists.result import cell_table
from winnow.lists.result.cell_grid import read_emails
from winnow.lists.result.cell_queries import (
    count_blank,
    find_addresses,
    search,
)
from winnow.lists.result.cell_questions import CellReader
from winnow.lists.result.result_rows import ResultRows
from winnow.lists.result.row_index import RowIndex

HOSTILE = (
    *("'", '"', "''", '"; DROP TABLE x; --', "%", "_", "%%", "\\", "$text", "c0", "{0}", ";", "--"),
    *(
        "\0",
        "a\0b",
        "\ud800",
        "\u202e",
        "' OR ''='",
        "*",
        "[a]",
        "(",
        "^",
        "x" * 10_000,
        "\n",
        "\t",
    ),
)


def run(path: Path, column: int) -> tuple[Path, InputPlan]:
    plan = plan_input(read_head(path, path.name), email_column=column)
    return run_file(path, plan=plan, deduplicate=False).folder, plan


@pytest.fixture(params=["csv", "xlsx"])
def made(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, InputPlan, pd.DataFrame]:
    rows = make_rows(300, 4)
    work, plan = run(write_file(rows, request.param, tmp_path), 2)
    return work, plan, pd.DataFrame(rows, columns=COLUMNS)


def test_questions_are_answered_as_by_pandas(made: tuple[Path, InputPlan, pd.DataFrame]) -> None:
    work, plan, frame = made
    cells = CellReader(work, plan)
    if plan.file_format == "xlsx":  # a sheet's cells have no white space of their own
        frame = frame.map(lambda text: text if text.strip() else "")
    rows = np.arange(len(frame))
    for some in (rows, rows[::7], rows[:0]):
        assert read_emails(RowIndex.open(work), plan, some) == frame["email"].iloc[some].tolist()
    assert cells.find(count_blank) == int((frame["email"] == "").sum())
    pick = random.Random(2)
    for _ in range(6):
        text = pick.choice(frame[pick.choice(COLUMNS)].tolist())[:4].swapcase() or "ZOË"
        is_held = frame.map(lambda cell, text=text: text.lower() in cell.lower()).any(axis=1)
        assert cells.find(search, text).tolist() == is_held.tolist(), text
    keys = frame["email"].map(duplicate_key)
    known = keys[keys != ""].drop_duplicates().iloc[::7].tolist()
    rows, places = cells.find(find_addresses, [*known, "nobody@frei.de"])
    assert rows.tolist() == keys[keys.isin(known)].index.tolist()
    assert [known[place] for place in places] == keys.iloc[rows].tolist()


@pytest.fixture
def hostile(tmp_path: Path) -> tuple[Path, InputPlan, pd.DataFrame]:
    """A list whose cells and header are statements, quotes and wild cards."""
    cells = [text for text in HOSTILE if "\0" not in text and text.isprintable()] + ["%a_b%", ""]
    rows = [(f"ana{n}@frei.de", one, other) for n, one in enumerate(cells) for other in cells]
    frame = pd.DataFrame(rows * 2, columns=["email", "c1'; --", '"x" %_'])
    text = io.StringIO()
    frame.to_csv(text, index=False, lineterminator="\r\n")
    path = tmp_path / "it's a list.csv"
    path.write_text(text.getvalue(), encoding="utf-8", newline="")
    return *run(path, 0), frame


def test_no_text_of_a_user_is_sql(hostile: tuple[Path, InputPlan, pd.DataFrame]) -> None:
    work, plan, frame = hostile
    rows = ResultRows(work, plan)
    cells = CellReader(work, plan)
    for text in HOSTILE:
        is_held = frame.map(lambda cell, text=text: text.lower() in cell.lower()).any(axis=1)
        assert rows.count(RowFilter(text=text)) == is_held.sum(), text
        assert not len(cells.find(find_addresses, [text])[0])
    for column, table in rows.own_columns.tables.items():
        for text, counts in zip(table.texts, table.counts, strict=True):
            assert counts.sum() == int((frame.iloc[:, column] == text).sum())
    for column in range(3):
        page = rows.page(RowFilter(), 0, len(frame), RowOrder(column)).rows
        assert len({row.number for row in page}) == len(frame)


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda path: path.unlink(), id="missing"),
        pytest.param(lambda path: path.write_bytes(b""), id="empty"),
        pytest.param(lambda path: path.write_bytes(path.read_bytes()[:-9]), id="cut-off"),
        pytest.param(
            lambda path: path.write_bytes(b"PAR1" + bytes(200) + path.read_bytes()[204:]),
            id="overwritten",
        ),
    ],
)
def test_a_lost_or_damaged_table_is_made_again(
    tmp_path: Path, damage: Callable[[Path], object]
) -> None:
    work, plan = run(write_file(make_rows(50, 1), "csv", tmp_path), 2)
    found = CellReader(work, plan).find(search, "e").tolist()
    damage(work / TABLE_NAME)
    assert CellReader(work, plan).find(search, "e").tolist() == found
    assert (work / TABLE_NAME).stat().st_mode & 0o077 == 0
    (work / TABLE_NAME).unlink()
    assert [path.name for path in work.iterdir() if path.name.startswith("cells")] == []


def test_a_query_that_takes_too_long_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, plan = run(write_file(make_rows(50, 1), "csv", tmp_path), 2)
    rows = ResultRows(work, plan)
    monkeypatch.setattr(cell_table, "QUERY_SECONDS", 0.2)
    table = cell_table.open_table(work, plan)
    with table.query() as ask, pytest.raises(QueryEnded):
        ask("SELECT count(*) FROM range(1000000), range(1000000)")
    assert len(rows.page(RowFilter(), 0, 10).rows) == 10
    assert rows.count(RowFilter(text="@")) > 0


def test_a_table_reads_no_other_file(tmp_path: Path) -> None:
    work, plan = run(write_file(make_rows(5, 1), "csv", tmp_path), 2)
    (tmp_path / "secret.csv").write_text("a\n1\n")
    table = cell_table.open_table(work, plan)
    with table.query() as run_query, pytest.raises(Exception, match="disabled by configuration"):
        run_query(f"FROM read_csv('{tmp_path / 'secret.csv'}')")
