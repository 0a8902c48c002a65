"""Workbooks and Parquet files on their way out: the list's own with more columns, and new ones."""

import re
from io import BytesIO
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from openpyxl.styles import Font

from tests.applications import complete, download, follow, send
from tests.lists.delimited_support import JUDGE, TRASH, Run, run_file
from tests.lists.parquet_support import EMAILS, clean, write
from tests.lists.test_own_overlay import BASE, build
from tests.lists.xlsx_support import build_list, save
from tests.lists.zips import read_zip
from tests.tables import read_csv
from winnow.core.errors import DoesNotFit
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.judging.judge import judge_text
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.exports import DownloadChoice, Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import RowFilter, Variant
from winnow.core.tasks.input_plan import InputPlan
from winnow.core.verdicts.domain_types import Ground
from winnow.core.verdicts.verdict import Category
from winnow.lists.format_registry import find_format, write_export
from winnow.lists.formats.xlsx import plain_book
from winnow.lists.formats.xlsx.plain_book import write_plain_book
from winnow.lists.requests import RewriteRequest
from winnow.lists.result.cell_grid import CellGrid
from winnow.lists.result.result_rows import ResultRows
from winnow.lists.result.row_view import RowView
from winnow.wiring import Application

HEAD = ("a", "email", "c")
PLAN = InputPlan(FileFormat.XLSX, 1, HEAD, sheet="Data")
MORE = [(1, "Ana <ana@frei.de>", None), (2, "x@firm.co.uk", "y"), (3, f"bo@{TRASH}", "=1")]


def rewrite(found: Run, out: Path, export: Export, rows: ResultRows | None = None) -> Path:
    """Write a file of a run, maybe as other own lists see its rows."""
    write_export(RewriteRequest(found.result_path, rows or found.rows, out, PLAN, export))
    return out


def read(path: Path) -> list[tuple[Any, ...]]:
    with path.open("rb") as file:
        rows = openpyxl.load_workbook(file)["Data"].iter_rows(values_only=True)
        return [tuple(value if value != "" else None for value in row) for row in rows]


def test_the_lists_of_today_replace_the_added_cells(tmp_path: Path) -> None:
    then = build(1, {TRASH: Category.WHITE})
    now = build(2, {f"*.{TRASH}": Category.GREY, "ana@example.org": Category.BLACK})
    book = build_list([HEAD, *MORE, (4, None, "x"), (), (5, "ana@example.org", True)])
    source = save(book, tmp_path)
    first, second = (
        run_file(source, plan=PLAN, judge=BASE.put_own_first(own), deduplicate=False)
        for own in (then, now)
    )
    seen = ResultRows(first.folder, PLAN, RowView.with_own_lists(first.cells, now))
    before, today = ([row[3:] for row in read(one.result_path)[1:] if any(row)]
                     for one in (first, second))  # fmt: skip
    is_stored = [one == other for one, other in zip(before, today, strict=True)]
    assert seen.find_added_cells(Export()).is_stored.tolist() == is_stored
    assert set(is_stored) == {True, False}  # only rows that change are edited
    for export in (Export(), Export(Variant.CLEANED)):
        out = rewrite(first, tmp_path / "out", export, seen)
        assert read(out) == read(rewrite(second, tmp_path / "wanted", export))


def test_a_policy_cuts_a_workbook_and_the_header_keeps_its_style(tmp_path: Path) -> None:
    book = build_list([HEAD, *MORE, (4, "info@firm.de", None), (5, "ana@frei.de", None)])
    for cell in book.active[1]:
        cell.font = Font(bold=True)
    found = run_file(save(book, tmp_path), plan=PLAN, judge=BASE, deduplicate=False)
    policy = CleaningPolicy(frozenset({Ground.BLACK, Ground.ROLE_ACCOUNT, Ground.FREE_PROVIDER}))
    before = read(found.result_path)
    for variant, numbers in ((Variant.CLEANED, [2]), (Variant.REMOVED, [1, 3, 4, 5])):
        export = Export(variant, DownloadChoice(policy, adds_reason=True))
        out = rewrite(found, tmp_path / "out.xlsx", export)
        reasons = ["; ".join(judge_text(BASE, before[n][1]).verdict.reasons) for n in numbers]
        wanted = [(*before[n], reason) for n, reason in zip(numbers, reasons, strict=True)]
        assert read(out)[1:] == wanted
        kept = openpyxl.load_workbook(out)["Data"]
        assert kept.cell(1, 6).value == "reason"
        assert kept.cell(1, 6).font.bold


def grid(rows: list[list[str]]) -> CellGrid:
    cells = [cell.encode() for row in rows for cell in row]
    return CellGrid(pa.array(cells, pa.large_binary()), len(rows[0]))


NO_HEADER = CellGrid(pa.array([], pa.large_binary()), 0)
ODD = ["=1+1", "007", "_x0041_", "a\rb", "\x01", "<&>\"'", " x ", "\u00e4\U0001f600", "#N/A", "1e5"]


def unescape(text: str) -> str:
    return re.sub("_x([0-9A-F]{4})_", lambda found: chr(int(found[1], 16)), text)


def test_odd_texts_come_back_and_nothing_is_a_formula(tmp_path: Path) -> None:
    path = tmp_path / "book.xlsx"
    write_plain_book(iter([grid([["email"]]), grid([[text] for text in ODD])]), path)
    sheet = openpyxl.load_workbook(path).active
    assert [unescape(row[0].value) for row in sheet.iter_rows(min_row=2)] == ODD
    assert {row[0].data_type for row in sheet.iter_rows()} <= {"s", "inlineStr"}
    assert (sheet.freeze_panes, sheet["A1"].font.bold) == ("A2", True)


def test_an_empty_text_is_no_cell(tmp_path: Path) -> None:
    path = tmp_path / "book.xlsx"
    write_plain_book(iter([NO_HEADER, grid([["a", "", "b"]])]), path)
    cells = re.findall(rb'<c r="([^"]*)"', read_zip(path)["xl/worksheets/sheet1.xml"])
    assert cells == [b"A1", b"C1"]


@pytest.mark.parametrize("content", [[NO_HEADER], [grid([["email"]])]], ids=["nothing", "header"])
def test_a_list_without_rows_is_still_a_workbook(tmp_path: Path, content: list[CellGrid]) -> None:
    path = tmp_path / "book.xlsx"
    write_plain_book(iter(content), path)
    assert openpyxl.load_workbook(path).active.max_row == 1


LONGEST = "\u00e4" * 32_767  # characters, not bytes


@pytest.mark.parametrize(
    ("fits", "too_much"),
    [
        pytest.param([["a"], ["b"]], [["a"], ["b"], ["c"]], id="rows"),
        pytest.param([[LONGEST]], [["x" * 32_768]], id="long-text"),
        pytest.param([["x"] * 16_384], [["x"] * 16_385], marks=pytest.mark.slow, id="columns"),
    ],
)
def test_what_a_sheet_cannot_hold_is_refused_not_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fits: list[list[str]], too_much: list[Any]
) -> None:
    monkeypatch.setattr(plain_book, "MAX_ROWS", 2)
    path = tmp_path / "book.xlsx"
    write_plain_book(iter([NO_HEADER, *(grid([row]) for row in fits)]), path)
    sheet = openpyxl.load_workbook(path).active
    assert [list(row) for row in sheet.iter_rows(values_only=True)] == fits
    with pytest.raises(DoesNotFit) as caught:
        write_plain_book(iter([NO_HEADER, *(grid([row]) for row in too_much)]), path)
    assert caught.value.hint


PARQUET = pa.table(
    {
        "number": list(range(2 * len(EMAILS))),
        "email": [*EMAILS[:-1], None] * 2,
        "tags": [["a", number] for number in map(str, range(2 * len(EMAILS)))],
    }
)


def rewrite_parquet(folder: Path, variant: Variant, choice: DownloadChoice) -> pa.Table:
    path = write(folder / "list.parquet", PARQUET, row_group_size=5)
    run = clean(path)
    export, out = Export(variant, choice), folder / "file"
    find_format(FileFormat.PARQUET).rewrite(
        RewriteRequest(run.result_path, run.rows, out, run.plan, export)
    )
    return pq.read_table(out)


@pytest.mark.parametrize(
    ("variant", "policy"),
    [
        *((variant, CleaningPolicy()) for variant in list(Variant)[:4]),
        (Variant.REVIEW, CleaningPolicy(frozenset(Ground))),  # which leaves no row at all
    ],
)
def test_a_variant_has_its_rows_alone_and_their_reasons(
    variant: Variant, policy: CleaningPolicy, tmp_path: Path
) -> None:
    choice = DownloadChoice(policy, adds_reason=True)
    verdicts = [judge_text(JUDGE, email or "").verdict for email in PARQUET["email"].to_pylist()]
    wanted = [row for row, verdict in enumerate(verdicts) if choice.wants(variant, verdict)]
    written = rewrite_parquet(tmp_path, variant, choice)
    assert written.select(PARQUET.column_names).equals(PARQUET.take(pa.array(wanted, pa.int64())))
    added = written.drop_columns(PARQUET.column_names)
    assert added.schema.names == ["category", "domain_type", "reason"]
    assert added.schema.types == [pa.string()] * 3
    assert [tuple(row.values()) for row in added.to_pylist()] == [
        (one.category, one.domain_type, "; ".join(one.reasons) or None)
        for one in (verdicts[row] for row in wanted)
    ]


def test_links_give_parquet_csv_and_excel(opened: Application) -> None:
    pq.write_table(PARQUET, content := BytesIO(), row_group_size=5)
    task = complete(opened, content.getvalue(), name="spring.parquet")
    whole = follow(opened, opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id))
    assert whole.file_name.endswith("-checked.parquet")
    assert whole.media_type == "application/vnd.apache.parquet"
    table = pq.read_table(BytesIO(b"".join(whole.read_content())))
    assert set(PARQUET["number"].to_pylist()) > set(
        table["number"].to_pylist()
    )  # without duplicates
    cleaned = pq.read_table(BytesIO(download(opened, task, Variant.CLEANED)))
    wanted = [row for row in table.to_pylist() if row["category"] != "black"]
    assert cleaned.to_pylist() == wanted

    as_text, as_book = (
        Export(choice=DownloadChoice(file_format=one)) for one in (FileFormat.CSV, FileFormat.XLSX)
    )
    rows = read_csv(send(opened, task, as_text)[1])
    assert rows[0] == ["number", "email", "tags", "category", "domain_type"]
    assert [row[1] for row in rows[1:]] == [email or "" for email in table["email"].to_pylist()]
    assert rows[1][2] == '["a", "' + rows[1][0] + '"]'

    book = openpyxl.load_workbook(BytesIO(send(opened, task, as_book)[1]))
    assert book.active is not None
    assert [row[0] for row in book.active.iter_rows(values_only=True)] == [row[0] for row in rows]


def test_blank_and_odd_cells_of_one_column_stay_rows(tmp_path: Path) -> None:
    emails = [" ", None, "", "\t", 'a"b', "\0", "a@x.de", "\r\n", ",", "\ufeffa@x.de"]
    rows = clean(write(tmp_path / "list.parquet", pa.table({"email": emails}))).rows
    assert [row.email for row in rows.page(RowFilter(), 0, 99).rows] == [
        (email or "").replace("\0", "\ufffd") for email in emails
    ]
    grids = list(rows.stream_cells())
    assert sum(grid.row_count for grid in grids) == 1 + len(emails)
