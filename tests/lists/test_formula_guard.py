"""Downloads that are safe for Excel: an apostrophe before what it would compute, nothing else."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.lists.delimited_support import make_judge, run_list
from winnow.core.lists.exports import DownloadChoice, Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import Variant
from winnow.core.tasks.task import InputPlan
from winnow.lists.result.cell_grid import guard_formulas

CELLS = st.text(st.sampled_from("=+-@'\",;\r\n\tab \u00e4"), max_size=6)


@pytest.mark.parametrize(
    ("rows", "guarded"),
    [
        pytest.param(b"=1,b\n", b"'=1,b\n", id="first-cell"),
        pytest.param(b"a,@b\r\n-1,+2\r\n", b"a,'@b\r\n'-1,'+2\r\n", id="every-sign"),
        pytest.param(b'a,"=b,c"\n', b'a,"\'=b,c"\n', id="within-quotes"),
        pytest.param(b'a,"b\n=c"\n', b'a,"b\n=c"\n', id="a-line-in-a-cell-is-no-cell"),
        pytest.param(b'5" disk,=b\n', b"5\" disk,'=b\n", id="stray-quote"),
        pytest.param(b"\xef\xbb\xbf=a,b\n", b"\xef\xbb\xbf'=a,b\n", id="behind-a-bom"),
        pytest.param(b"ana-lena@firm.de,a=b\n", b"ana-lena@firm.de,a=b\n", id="signs-inside"),
        pytest.param(b"\t=b,\t\n", b"'\t=b,'\t\n", id="tab"),
        pytest.param(b'"\r=b","\r\n"\r\n', b'"\'\r=b","\'\r\n"\r\n', id="return-within-quotes"),
        pytest.param(b"a,\r\n,b\r\n\r\n", b"a,\r\n,b\r\n\r\n", id="a-line-end-is-no-cell"),
        pytest.param(b'5" x,"\r\n', b'5" x,"\r\n', id="stray-quote-at-the-end"),
        pytest.param(b"", b"", id="nothing"),
    ],
)
def test_guard(rows: bytes, guarded: bytes) -> None:
    assert guard_formulas(rows, ",") == guarded


def test_a_tab_between_cells_is_no_cell() -> None:
    assert guard_formulas(b'a\t\t=b\t"\tc"\n', "\t") == b"a\t\t'=b\t\"'\tc\"\n"


@given(
    st.lists(st.lists(CELLS, min_size=2, max_size=4), min_size=1, max_size=5),
    st.sampled_from(",;\t|"),
)
def test_only_cells_that_begin_like_formulas_change(table: list[list[str]], delimiter: str) -> None:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows(table)
    guarded = guard_formulas(text.getvalue().encode(), delimiter).decode()
    assert list(csv.reader(io.StringIO(guarded, newline=""), delimiter=delimiter)) == [
        ["'" + cell if cell[:1] in set("=+-@\t\r") else cell for cell in row] for row in table
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252"])
def test_a_stream_in_the_lists_own_encoding(tmp_path: Path, encoding: str) -> None:
    data = "=id,email\n-1,ana@firm.de\n2,b\u00f6@firm.de\n".encode(encoding)
    codec = "utf-16-le" if encoding == "utf-16" else encoding
    plan = InputPlan(FileFormat.CSV, 1, ("=id", "email"), encoding=codec, bom=codec != encoding)
    rows = run_list(data, plan, make_judge(), tmp_path, deduplicate=False).rows
    choice = DownloadChoice(safe_for_excel=True)
    guarded = b"".join(rows.stream(Export(Variant.AUGMENTED, choice)))
    plain = b"".join(rows.stream())
    assert guarded.decode(encoding).replace("'", "") == plain.decode(encoding)
    assert guarded.decode(encoding).startswith("'=id,email,category,domain_type\n'-1,ana@")
    assert rows.stream_size_bytes(Export(Variant.AUGMENTED, choice)) is None
