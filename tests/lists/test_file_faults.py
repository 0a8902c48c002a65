"""The fault of every kind of wrong file, which programs go by."""

import gzip
from pathlib import Path

import pytest

from tests.lists.delimited_support import clean
from tests.lists.xlsx_support import make_workbook
from tests.lists.zips import read_zip, write_zip
from winnow.core.errors import InputError
from winnow.core.file_faults import FileFault
from winnow.lists.inspection.signature import COMPOUND, ENCRYPTED_PACKAGE

LIST = b"email,name\nana@x.de,Ana\n"
BOOK = make_workbook(("List", [["email"], ["ana@x.de"]]))
PARTS = read_zip(BOOK)
SHEET = "xl/worksheets/sheet1.xml"
FILES = [
    (FileFault.PASSWORD, "list.xlsx", COMPOUND + ENCRYPTED_PACKAGE),
    (FileFault.PASSWORD, "list.parquet", b"PARE" + b"\0" * 20 + b"PARE"),
    (FileFault.TRUNCATED, "list.xlsx", BOOK[:-30]),
    (FileFault.TRUNCATED, "list.parquet", b"PAR1" + b"\0" * 20),
    (FileFault.TRUNCATED, "list.csv.gz", gzip.compress(LIST)[:-9]),
    (FileFault.DAMAGED, "list.xlsx", write_zip({**PARTS, SHEET: b"<worksheet/>"})),
    (FileFault.DAMAGED, "list.csv.gz", gzip.compress(LIST) + b"x" * 40),
    (FileFault.WRONG_EXTENSION, "list", LIST),
    (FileFault.WRONG_EXTENSION, "list.pdf", LIST),
    (FileFault.WRONG_EXTENSION, "list.xlsx", LIST),
    (FileFault.WRONG_EXTENSION, "list.csv", BOOK),
    (FileFault.WRONG_EXTENSION, "list.xlsx", COMPOUND + b"\0" * 600),
    (FileFault.NOT_A_LIST, "list.csv", b"%PDF-1.7\n" + b"\0" * 100),
    (FileFault.NOT_A_LIST, "list.csv", LIST + b"bo\0@x.de,Bo\n"),
    (FileFault.ENCODING, "list.csv", LIST.decode().encode("utf-32")),
    (FileFault.ENCODING, "list.csv", LIST.decode().encode("utf-16")[:-1]),
    (FileFault.OPEN_QUOTE, "list.csv", LIST + b'bo@x.de,"Bo\n'),
    (FileFault.OPEN_QUOTE, "list.csv", LIST * 9_000 + b'bo@x.de,"Bo\n'),
    (FileFault.COLUMNS, "list.csv", b"email:name\nana@x.de:Ana\nbo@x.de:Bo\n"),
    (FileFault.TOO_LARGE, "list.csv", LIST + b"bo@x.de," + b"x" * (2 << 20) + b"\n"),
    (FileFault.TOO_LARGE, "list.csv", LIST + b'bo@x.de,"' + b"x" * (2 << 20) + b'"\n'),
    (FileFault.TOO_LARGE, "list.csv", b"email" + b"," * 20_000 + b"\nana@x.de\n"),
    (FileFault.UNPACKS_TOO_LARGE, "list.csv.gz", gzip.compress(LIST * (4 << 20))),
    (FileFault.EMPTY_FILE, "list.csv", b"email\n"),
    (FileFault.NO_EMAIL_COLUMN, "list.csv", b"a,b\n1,2\n"),
    (FileFault.AMBIGUOUS_EMAIL_COLUMN, "list.csv", b"email,email\nana@x.de,bo@x.de\n"),
]


@pytest.mark.parametrize(("fault", "name", "content"), FILES)
def test_a_wrong_file_has_its_fault(
    fault: FileFault, name: str, content: bytes, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        clean(content, tmp_path, name)
    assert caught.value.fault is fault


def test_every_fault_has_a_file() -> None:
    """Two are tested elsewhere (``test_inspection_pool``, ``test_escapes``)."""
    missing = set(FileFault) - {fault for fault, *_ in FILES}
    assert missing == {FileFault.TOO_COSTLY, FileFault.MIXED_ESCAPES}
