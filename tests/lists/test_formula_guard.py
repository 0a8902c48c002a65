"""Downloads that are safe for Excel: an apostrophe before what it would compute, nothing else."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.lists.delimited_support import make_judge, run_list, scratch_folder
from winnow.core.lists.exports import DownloadChoice, Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.tasks.task import InputPlan

CELLS = st.text(st.sampled_from("ab=+-@\t\r\n\",;| \u00e4'"), max_size=6)
SAFE = Export(choice=DownloadChoice(safe_for_excel=True))


@given(
    st.lists(st.lists(CELLS, min_size=2, max_size=2), min_size=1, max_size=5),
    st.sampled_from(",;\t|"),
)
def test_only_cells_that_begin_like_formulas_change(table: list[list[str]], delimiter: str) -> None:
    text = io.StringIO()
    rows = [["email", "a", "b"], *(["ana@frei.de", *cells] for cells in table)]
    csv.writer(text, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(rows)
    plan = InputPlan(FileFormat.CSV, 0, ("email", "a", "b"), delimiter=delimiter)
    with scratch_folder() as folder:
        data = text.getvalue().encode()
        found = run_list(data, plan, make_judge(), Path(folder), deduplicate=False).rows
        guarded = b"".join(found.stream(SAFE)).decode("utf-8-sig")
    assert [
        row[:3] for row in csv.reader(io.StringIO(guarded, newline=""), delimiter=delimiter)
    ] == [["'" + cell if cell[:1] in set("=+-@\t\r") else cell for cell in row] for row in rows]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252"])
def test_a_list_for_excel_is_utf_8_with_its_own_delimiter(tmp_path: Path, encoding: str) -> None:
    data = "=id;email\n-1;ana@firm.de\n2;b\u00f6@firm.de\n".encode(encoding)
    codec = "utf-16-le" if encoding == "utf-16" else encoding
    plan = InputPlan(
        *(FileFormat.CSV, 1, ("=id", "email")),
        encoding=codec, bom=codec != encoding, delimiter=";",
    )  # fmt: skip
    rows = run_list(data, plan, make_judge(), tmp_path, deduplicate=False).rows
    lines = b"".join(rows.stream(SAFE)).decode().split("\r\n")
    assert lines[0] == "\ufeff'=id;email;category;domain_type"
    assert [line.split(";")[:2] for line in lines[1:]] == [
        ["'-1", "ana@firm.de"],
        ["2", "b\u00f6@firm.de"],
        [""],
    ]
