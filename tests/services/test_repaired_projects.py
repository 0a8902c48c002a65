"""What stands on a project's rows follows its repaired addresses, in every format."""

import csv
import gzip
import io
from pathlib import Path

import openpyxl
import pytest

from tests.applications import complete, run
from tests.lists.test_converted import write_ods
from tests.services.test_download_choices import follow, read
from tests.services.test_repairs import application  # noqa: F401
from tests.workbooks import write_workbook
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.addresses.repair_kinds import SAFE_KINDS
from winnow.core.lists.comparison import Difference
from winnow.core.lists.exports import DownloadChoice
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import RowFilter, Variant
from winnow.core.tasks.repair_choice import RepairChoice, RepairPlace
from winnow.core.tasks.task import Task
from winnow.core.verdicts.verdict import Category
from winnow.wiring import Application

EMAILS = ("Ana <ana@gmail.com>", "bo @firma.de", "ana@gmail.com", "cleo@firma.de", "no address")
ROWS = [("email", "n"), *((email, str(number)) for number, email in enumerate(EMAILS))]
NOW = ("bo@firma.de", "ana@gmail.com", "cleo@firma.de", "no address")


def write_csv() -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(ROWS)
    return text.getvalue().encode()


def make_file(name: str, folder: Path) -> bytes:
    match name.rpartition(".")[2]:
        case "xlsx":
            return write_workbook(folder / name, ROWS).read_bytes()
        case "ods":
            return write_ods(folder / name, [list(row) for row in ROWS]).read_bytes()
        case "gz":
            return gzip.compress(write_csv())
        case "txt":
            return "\n".join(["email", *EMAILS, ""]).encode()
    return write_csv()


def repaired(
    opened: Application, content: bytes, name: str, place: RepairPlace = RepairPlace.COLUMN
) -> Task:
    choice = RepairChoice(SAFE_KINDS, place=place)
    return complete(opened, content, name=name, repair=choice)


@pytest.mark.parametrize(
    ("name", "place"),
    [
        *((f"a.{kind}", RepairPlace.COLUMN) for kind in ("csv", "xlsx", "ods", "csv.gz", "txt")),
        *((f"a.{kind}", RepairPlace.REPLACE) for kind in ("csv", "xlsx")),
    ],
)
def test_every_format(application: Application, tmp_path: Path, name: str, place: RepairPlace):  # noqa: F811
    task = repaired(application, make_file(name, tmp_path), name, place)
    assert task.error is None
    assert task.summary is not None
    assert task.summary.repaired == {"blanks": 1}  # the other is a duplicate now
    services = application.services
    rows = services.results.rows(LOCAL_ACCOUNT, task.task_id, RowFilter(), 0, 10).rows
    assert [row.email for row in rows] == list(NOW)
    columns = services.results.columns(LOCAL_ACCOUNT, task.task_id)
    extra = "email_repaired" if place is RepairPlace.COLUMN else "email_original"
    assert columns[-1] == extra
    as_csv = DownloadChoice(file_format=FileFormat.CSV)
    plain = read(follow(application, task, Variant.AUGMENTED, as_csv))
    found = list(csv.DictReader(io.StringIO(plain.decode("utf-8-sig"), newline="")))
    column = "email_repaired" if place is RepairPlace.COLUMN else "email"
    assert [row[column] for row in found] == list(NOW)
    book = read(
        follow(application, task, Variant.AUGMENTED, DownloadChoice(file_format=FileFormat.XLSX))
    )
    cells = list(openpyxl.load_workbook(io.BytesIO(book)).active.iter_rows(values_only=True))
    assert [row[cells[0].index(column)] for row in cells[1:]] == list(NOW)


def test_own_lists_name_the_repaired_address(application: Application):  # noqa: F811
    services = application.services
    task = repaired(application, write_csv(), "a.csv")
    services.own_lists.add(LOCAL_ACCOUNT, "bo@firma.de", Category.BLACK)
    rows = services.results.rows(LOCAL_ACCOUNT, task.task_id, RowFilter(), 0, 10).rows
    assert [row.verdict.category for row in rows] == [
        *(Category.BLACK, Category.WHITE, Category.WHITE, Category.BLACK)
    ]
    later = repaired(application, write_csv(), "b.csv")
    assert later.summary is not None
    assert later.summary.by_category["black"] == 2


def test_a_repaired_project_beside_its_origin_by_address(application: Application):  # noqa: F811
    services = application.services
    before = complete(application, write_csv())
    made = services.repairs.run(LOCAL_ACCOUNT, before.task_id, RepairChoice(SAFE_KINDS))
    run(application)
    found = services.comparisons.compare(LOCAL_ACCOUNT, before.task_id, made.task_id)
    assert (found.same, found.blanks) == (3, 0)
    assert {one: found.count(one) for one in Difference if found.count(one)} == {
        Difference.NEW: 1,
        Difference.GONE: 2,
    }
