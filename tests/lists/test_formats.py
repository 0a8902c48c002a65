"""The registry of list formats: what each takes, and what it says of what is something else."""

import json

import pytest

from tests.lists.delimited_support import read
from tests.lists.test_inspect import BOM, LIST_SHEET
from tests.lists.test_packed import GZIP, PACKERS, ZSTD_FILE
from tests.lists.xlsx_support import make_workbook
from winnow.core.errors import UnsupportedFormat
from winnow.core.lists.file_format import CONTRACT_FORMATS, FORMATS, FileFormat
from winnow.lists.format_registry import find_format

PDF = b"%PDF-1.7\n%"
OLD_BOOK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
BOOK = b"PK\x03\x04" + bytes(30) + b"[Content_Types].xml xl/workbook.xml"
JSON = json.dumps([{"email": "a@x.de"}]).encode(), json.dumps({"a": ["a@x.de"]}, indent=1).encode()
LIST = b"email\na@x.de\n"
PACKED_KINDS = [
    (BOOK, "an Excel workbook"),
    (b"PK\x03\x04" + bytes(60), "a ZIP archive"),
    (b"PAR1" + bytes(60), "a Parquet file"),
    (PDF, "a PDF document"),
    (GZIP, "a gzip archive"),
    (ZSTD_FILE, "a Zstandard archive"),
]


@pytest.mark.parametrize(
    ("content", "name", "found"),
    [
        (make_workbook(LIST_SHEET), "list.csv", "Excel workbook"),
        *((OLD_BOOK, f"list.{extension}", "old Excel") for extension in ("csv", "xlsx")),
        (PDF, "list.csv", "PDF"),
        *((LIST, f"list.{extension}", "this is really") for extension in ("ods", "xls")),
        (LIST, "list.xlsx", "CSV"),
        (BOM + "email\nä@x.de\n".encode(), "list.xlsx", "CSV"),
        ("email\na@x.de\n".encode("utf-16"), "list.xlsx", "CSV"),
        (b"\n <!DOCTYPE html><html></html>", "list.csv", "HTML"),
        (b"<table><tr><td>email</td></tr></table>", "list.xlsx", "HTML"),
        *(
            (b"<html><table>", f"list.{extension}", "this is really")
            for extension in ("ods", "xls")
        ),
        *((b"PK\x03\x04xl/", f"list.{extension}", "is really") for extension in ("ods", "xls")),
        (BOM + b'<?xml version="1.0"?><rows/>', "list.csv", "XML"),
        *((content, "list.csv", "JSON") for content in JSON),
        (b"BEGIN:VCARD\r\nEMAIL:a@x.de\r\n", "list.csv", "vCard"),
        (b"SQLite format 3\x00" + bytes(100), "list.csv", "SQLite"),
        (LIST, "list.csv.gz", "a CSV file packed with gzip, but this is really a text file"),
        (ZSTD_FILE, "list.csv.gz", "really a Zstandard archive"),
        (GZIP, "list.tsv.zst", "a TSV file packed with Zstandard"),
        (GZIP, "list.csv", "really a gzip archive"),
        (ZSTD_FILE, "list.xlsx", "really a Zstandard archive"),
        *((GZIP, name, "files ending in .gz") for name in ("list.xlsx.gz", "list.gz")),
        *(
            (pack(content), f"list.csv.{packing}", f"archive contains {words}")
            for packing, pack in PACKERS.items()
            for content, words in PACKED_KINDS
        ),
    ],
)
def test_content_that_is_something_else_is_named(content: bytes, name: str, found: str) -> None:
    with pytest.raises(UnsupportedFormat, match=found) as caught:
        read(content, name)
    assert caught.value.hint
    assert not found.endswith("gz") or "list.csv.gz" in caught.value.hint


@pytest.mark.parametrize("code", FORMATS)
@pytest.mark.parametrize("start", [b"%PDF-1.7", b"SQLite format 3\x00", b"\x89PNG\r\n\x1a\n"])
def test_no_format_takes_what_no_list_is(code: FileFormat, start: bytes) -> None:
    assert find_format(code).name_content(start) is not None


def test_the_api_keeps_the_formats_of_its_contract() -> None:
    assert CONTRACT_FORMATS == (FileFormat.CSV, FileFormat.TSV, FileFormat.XLSX)


def test_a_format_of_a_newer_version_is_said_so() -> None:
    with pytest.raises(UnsupportedFormat, match="does not know"):
        find_format(FileFormat("orc"))
