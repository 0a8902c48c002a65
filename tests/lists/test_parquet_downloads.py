"""Finished Parquet lists on their way out: in Parquet, in text, as workbooks."""

from io import BytesIO
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.applications import complete, download, follow, send
from tests.lists.delimited_support import JUDGE
from tests.lists.parquet_support import EMAILS, clean, write
from tests.tables import read_csv
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.exports import DownloadChoice, Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import RowFilter, Variant
from winnow.core.verdicts.domain_types import Ground
from winnow.core.verdicts.judge import judge_text
from winnow.core.verdicts.verdict import Category
from winnow.lists.format_registry import find_format
from winnow.lists.requests import RewriteRequest
from winnow.wiring import Application

TABLE = pa.table(
    {
        "number": list(range(2 * len(EMAILS))),
        "email": [*EMAILS[:-1], None] * 2,
        "tags": [["a", number] for number in map(str, range(2 * len(EMAILS)))],
    }
)


def rewrite(folder: Path, variant: Variant, choice: DownloadChoice) -> pa.Table:
    path = write(folder / "list.parquet", TABLE, row_group_size=5)
    run = clean(path)
    export, out = Export(variant, choice), folder / "file"
    find_format(FileFormat.PARQUET).rewrite(
        RewriteRequest(run.result_path, run.rows, out, run.plan, export)
    )
    return pq.read_table(out)


@pytest.mark.parametrize("variant", list(Variant)[:4])
def test_a_variant_has_its_rows_alone_and_their_reasons(variant: Variant, tmp_path: Path) -> None:
    choice = DownloadChoice(adds_reason=True)
    verdicts = [judge_text(JUDGE, email or "").verdict for email in TABLE["email"].to_pylist()]
    wanted = [row for row, verdict in enumerate(verdicts) if choice.wants(variant, verdict)]
    written = rewrite(tmp_path, variant, choice)
    assert written.select(TABLE.column_names).equals(TABLE.take(wanted))
    added = written.select(["category", "domain_type", "reason"])
    assert [field.type for field in added.schema] == [pa.string()] * 3
    assert [tuple(row.values()) for row in added.to_pylist()] == [
        (one.category, one.domain_type, "; ".join(one.reasons) or None)
        for one in (verdicts[row] for row in wanted)
    ]


def test_no_row_at_all_is_still_a_parquet_file(tmp_path: Path) -> None:
    nothing = DownloadChoice(CleaningPolicy(frozenset(Ground)))
    written = rewrite(tmp_path, Variant.REVIEW, nothing)
    assert written.num_rows == 0
    assert written.column_names == [*TABLE.column_names, "category", "domain_type"]


def test_links_give_parquet_csv_and_excel(opened: Application) -> None:
    pq.write_table(TABLE, content := BytesIO(), row_group_size=5)
    task = complete(opened, content.getvalue(), name="spring.parquet")
    whole = follow(opened, opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id))
    assert whole.file_name.endswith("-checked.parquet")
    assert whole.media_type == "application/vnd.apache.parquet"
    table = pq.read_table(BytesIO(b"".join(whole.read())))
    assert set(TABLE["number"].to_pylist()) > set(table["number"].to_pylist())  # without duplicates
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


def test_a_download_has_the_verdicts_of_today(opened: Application) -> None:
    emails = ["a@throwaway.example", "b@mailboxes.example", "c@throwaway.example"]
    table = pa.table({"email": emails, "category": [1, 2, 3]})
    pq.write_table(table, content := BytesIO())
    task = complete(opened, content.getvalue(), name="spring.parquet")
    opened.services.own_lists.add(LOCAL_ACCOUNT, "c@throwaway.example", Category.WHITE)
    whole = pq.read_table(BytesIO(download(opened, task)))
    assert whole.select([0, 1]).equals(table)
    assert whole["category_2"].to_pylist() == ["black", "white", "white"]
    cleaned = pq.read_table(BytesIO(download(opened, task, Variant.CLEANED)))
    assert cleaned["email"].to_pylist() == emails[1:]
