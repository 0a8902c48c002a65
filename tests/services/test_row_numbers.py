"""A row's number is the one that the list's own programs show: csv, openpyxl, pandas.

Each row that is shown must be found again at its number by a reader that nobody here wrote.
"""

import io
import random
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest

from tests.applications import complete, stage
from tests.tables import read_csv
from winnow.core.addresses.repair_kinds import RepairKind
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.input_head import Choices
from winnow.core.lists.rows import Row, RowFilter
from winnow.core.tasks.task import Task
from winnow.lists.result.row_index import GAPS, RowNumbers, find_gaps
from winnow.wiring import Application

KINDS = ("filled", "filled", "filled", "blank", "repeated", "spread", "comment")
ODD = "Ana <ana@firm-a.de>"


def make_text(seed: int, *, newline: str = "\r\n", above: str = "") -> str:
    """Return a list with all that moves rows: blank lines, duplicates, cells of several lines."""
    pick = random.Random(seed)
    lines = [f"{above}email,note"]
    for number in range(pick.randint(5, 60)):
        kind = pick.choice(KINDS)
        if kind == "blank":
            lines.append(pick.choice(("", "  ")))
        elif kind == "comment":
            lines.append("# exported by hand")
        elif kind == "spread":
            lines.append(f'x{number}@firm-a.de,"two{newline}lines, {number}{newline}"')
        elif kind == "repeated":
            lines.append(f"same@firm-b.de,{number}")
        else:
            lines.append(f'y{number}@firm-b.de,"5"" disk, {number}"')
    lines.append("last@firm-a.de,end")
    return newline.join(lines) + newline


def read_rows(opened: Application, task: Task) -> list[Row]:
    page = opened.services.results.rows(LOCAL_ACCOUNT, task.task_id, RowFilter(), 0, 10_000)
    assert page.matching == len(page.rows)
    return list(page.rows)


def check(opened: Application, task: Task, told: list[tuple[str, ...]]) -> None:
    """Find every row again at its number among those that another program read."""
    rows = read_rows(opened, task)
    assert rows
    for row in rows:
        assert row.file_number is not None
        found = told[row.file_number - 1]
        assert tuple(found) == tuple(row.cells)[: len(found)]
    numbers = [row.shown_number for row in rows]
    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize(
    ("seed", "newline", "above", "encoding", "more"),
    [
        (0, "\r\n", "", "utf-8", ""),
        (1, "\n", "", "utf-8", ""),
        (2, "\r", "", "utf-8", ""),
        (3, "\r\n", "\r\n\r\n", "utf-8", ""),
        (3, "\r\n", "List of May\r\n\r\n", "shift_jis", "x@firm-a.de,日本\r\n"),
        (3, "\r\n", 'A,"two\r\nlines"\r\nB,C\r\n', "utf-16-le", ""),
    ],
)
def test_csv_counts_as_python_does(
    opened: Application, seed: int, newline: str, above: str, encoding: str, more: str
) -> None:
    text = make_text(seed, newline=newline, above=above) + more
    task = complete(opened, text.encode(encoding), choices=Choices(encoding=encoding))
    assert bool(task.plan.preamble_lines) is bool(above)
    check(opened, task, list(map(tuple, read_csv(text))))


def test_a_list_without_a_header_begins_with_row_one(opened: Application) -> None:
    task = complete(opened, b"a@firm-a.de\n\nb@firm-a.de\na@firm-a.de\n", name="list.txt")
    assert [row.file_number for row in read_rows(opened, task)] == [3, 4]


@pytest.mark.slow
def test_workbooks_count_as_openpyxl_does(opened: Application) -> None:
    pick = random.Random(1)
    book = openpyxl.Workbook()
    sheet, place = book.active, pick.choice((1, 4))
    sheet.cell(place, 1, "email")
    sheet.cell(place, 2, "note")
    for number in range(40):
        place += pick.choice((1, 1, 1, 2, 90))
        sheet.cell(place, 1, pick.choice(("same@firm-a.de", f"x{number}@firm-b.de")))
        sheet.cell(place, 2, f"n{number}")
    content = io.BytesIO()
    book.save(content)
    task = complete(opened, content.getvalue(), name="list.xlsx")
    told = [tuple(cell or "" for cell in row) for row in sheet.iter_rows(values_only=True)]
    check(opened, task, told)


def test_parquet_counts_its_rows(opened: Application) -> None:
    frame = pd.DataFrame({"email": ["a@x.de", "b@x.de", "a@x.de", "c@x.de"], "n": list("1234")})
    content = io.BytesIO()
    frame.to_parquet(content)
    task = complete(opened, content.getvalue(), name="list.parquet")
    check(opened, task, list(frame.itertuples(index=False, name=None)))


@pytest.mark.usefixtures("damages")
def test_results_of_before_say_the_results_numbers(opened: Application) -> None:
    task = complete(opened, b"email\n\na@firm-a.de\na@firm-a.de\nb@firm-a.de\n")
    results = opened.services.results
    (results.fetch(results.require_completed(LOCAL_ACCOUNT, task.task_id)) / GAPS).unlink()
    opened.services.results._open._values.clear()
    folder = results.fetch(opened.services.tasks.get_stored(LOCAL_ACCOUNT, task.task_id))
    sums = folder / "sums.json"
    sums.write_text(sums.read_text().replace(f'"{GAPS}"', '"rows.json"'))
    rows = read_rows(opened, task)
    assert [(row.file_number, row.shown_number) for row in rows] == [(None, 1), (None, 2)]


def test_repairs_duplicates_and_pages_to_hand_on_say_them(opened: Application) -> None:
    text = f'email,note\r\nz@firm-a.de,"two\r\nlines"\r\n\r\nz@firm-a.de,\r\n{ODD},x\r\n'
    told = list(map(tuple, read_csv(text)))
    number = told.index((ODD, "x")) + 1
    task = complete(opened, text.encode())
    services, kinds = opened.services, frozenset(RepairKind)
    services.repairs.find_repairs(LOCAL_ACCOUNT, task.task_id)
    (offered,), _ = services.repairs.page(LOCAL_ACCOUNT, task.task_id, kinds, 0, 9)
    assert offered.number == number
    (group,) = services.duplicates.look_back(LOCAL_ACCOUNT, task.task_id).groups
    assert [told[row.number - 1] for row in group.rows] == [row.cells for row in group.rows]

    row = read_rows(opened, task)[-1]
    place = LOCAL_ACCOUNT, task.task_id
    page = services.decisions.explain_row(*place, row.number, CleaningPolicy(), "Ana")
    assert f"Row {number} of list.csv" in page.content.decode()
    assert page.file_name.startswith(f"spring-row-{number}-")
    letter = services.decisions.answer_person(LOCAL_ACCOUNT, "z@firm-a.de", "Ana").page.decision
    assert [one.number for one in letter.projects[0].rows] == [2, 4], "the duplicate too"


def test_pairs_hold_what_no_32_bits_do(tmp_path: Path) -> None:
    """Seven billion rows, of which a few stay, in stretches."""
    stretch = 7 << 28
    kept = [np.array([0, 1, stretch - 1]), np.empty(0, np.int64), np.array([5, 6, 8])]
    pairs = [find_gaps(stretch, some) for some in (*kept, kept[0])]
    (tmp_path / GAPS).write_bytes(b"".join(one.tobytes() for one in pairs))
    numbers = RowNumbers.open(tmp_path)
    expected = [
        number * stretch + row + 1
        for number, some in enumerate((*kept, kept[0]))
        for row in some.tolist()
    ]
    assert expected[-1] > 1 << 32
    assert find_gaps(5_000, np.arange(5_000)).nbytes <= 16, "rows that all stay take a few bytes"
    assert numbers.number_rows(np.arange(9)).tolist() == expected


@pytest.mark.parametrize("above", ["", 'Report,"of two\r\nlines"\r\n\r\n'])
def test_the_first_rows_of_an_upload_have_the_numbers_of_the_project(
    opened: Application, above: str
) -> None:
    text = f'{above}email,note\r\na@firm-a.de,"two\r\nlines"\r\n\r\nb@firm-b.de,x\r\n'
    upload = stage(opened, text.encode())
    head = opened.services.uploads.read_head(LOCAL_ACCOUNT, upload.upload_id, Choices())
    task = complete(opened, text.encode())
    first = 3 if above else 1
    assert head.first_row == first
    assert head.row_numbers == (first + 1, first + 3)
    assert [row.shown_number for row in read_rows(opened, task)] == list(head.row_numbers)
    again = opened.services.tasks.submit_again(LOCAL_ACCOUNT, task.task_id)
    assert again.plan.preamble_lines == task.plan.preamble_lines
