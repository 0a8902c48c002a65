"""No accepted list takes more room than is reserved for it, and ordinary ones little more."""

import random
from pathlib import Path
from tempfile import TemporaryDirectory

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.lists.delimited_support import make_judge
from tests.lists.row_files import measure_files
from winnow.core.blobs import BlobKey, BlobKind
from winnow.core.errors import InputError
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices
from winnow.core.tasks.task import InputPlan
from winnow.lists.batch import run_batch
from winnow.lists.format_registry import find_format
from winnow.lists.inspection.inspect import plan_input, read_head
from winnow.lists.requests import BatchRequest
from winnow.storage.blobs.local_blobs import LocalBlobs

CELLS = (
    *(
        "",
        "a",
        "x@y.de",
        "ana@frei.de",
        "b@wegwerf.net",
        "ü@bücher.de",
        "a@㍿㍿.de",
        "info@ü.ü.ü.de",
    ),
    *("n/a", "two words", "O'Neill", "9" * 60, "@", "@@", "a@b@c.de", "c@" + "ö" * 20 + ".de"),
    *("<a@x.de>", "ジョン", "d@\N{SQUARE APAATO}.jp"),
)
QUOTED = ('"a,b;c\td"', '"two\nlines"', '"two\r\nlines, and more,,,"', '"say ""hi"""', '""')
ENCODINGS = ("utf-8", "utf-8-sig", "cp1252", "latin-1", "utf-16", "utf-16-be")


@st.composite
def make_lists(draw: st.DrawFn) -> tuple[bytes, str]:
    """Draw a text list and its extension."""
    delimiter = draw(st.sampled_from((",", ";", "\t", "|")))
    ends = draw(st.lists(st.sampled_from(("\n", "\r\n", "\r")), min_size=1, max_size=2))
    cells = st.sampled_from(CELLS + (QUOTED if draw(st.booleans()) else ()))
    width = draw(st.sampled_from((1, 1, 2, 5, 40)))
    widths = draw(st.sampled_from(((width,), (1, width), (1, 2, width), (width, 3 * width))))
    draw_row = st.sampled_from(widths).flatmap(lambda n: st.lists(cells, min_size=n, max_size=n))
    rows = draw(st.lists(draw_row, min_size=1, max_size=30)) * draw(st.sampled_from((1, 1, 60)))
    blanks = draw(st.sampled_from((0, 0, 1, 5)))
    names = ["email", *(f"c{number}" for number in range(1, width))]
    shuffle = random.Random(draw(st.integers(0, 99)))
    text = ""
    for row in (names, *rows):
        text += delimiter.join(row) + shuffle.choice(ends)
        text += shuffle.choice(ends) * shuffle.randint(0, blanks)
    if draw(st.booleans()):
        text = text.rstrip("\r\n")
    content = text.encode(draw(st.sampled_from(ENCODINGS)), "replace")
    return content, "tsv" if delimiter == "\t" else "csv"


def read_plan(path: Path) -> InputPlan:
    return plan_input(read_head(path, path.name, Choices()))


def measure(path: Path, plan: InputPlan, folder: Path, *, deduplicate: bool = False) -> int:
    """Run a list and return what its published result takes."""
    blobs, key = LocalBlobs(folder), BlobKey(BlobKind.RESULT, "result.1")
    (folder / BlobKind.RESULT).mkdir()
    with blobs.stage(key) as work:
        run_batch(
            BatchRequest(
                path,
                plan,
                make_judge(),
                work,
                deduplicate=deduplicate,
                report=lambda progress: None,
            )
        )
        assert measure_files(work)
    return blobs.size(key)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(made=make_lists(), deduplicate=st.booleans())
def test_no_text_list_takes_more_than_its_bound(made: tuple[bytes, str], deduplicate: bool) -> None:
    content, extension = made
    with TemporaryDirectory() as name:
        path = Path(name) / f"list.{extension}"
        path.write_bytes(content)
        try:
            plan = read_plan(path)
            bound = find_format(plan.file_format).bound_result_bytes(path, plan, None)
            size_bytes = measure(path, plan, Path(name), deduplicate=deduplicate)
        except InputError:
            return
        assert size_bytes <= bound


@st.composite
def make_workbooks(draw: st.DrawFn) -> openpyxl.Workbook:
    """Draw a workbook whose texts are shared by many cells, or by none."""
    book = openpyxl.Workbook()
    texts = draw(st.lists(st.sampled_from((*CELLS, "long " * 30)), min_size=1, max_size=6))
    width = draw(st.sampled_from((0, 1, 6)))
    book.active.append(("email", *(f"c{number}" for number in range(width))))
    for number in range(draw(st.sampled_from((1, 20, 700)))):
        unique = f"person.{number}@{'ü' * (number % 3)}firma{number}.de"
        email = unique if draw(st.booleans()) or number else texts[0]
        book.active.append(
            (email, *(texts[(number + place) % len(texts)] for place in range(width)))
        )
    return book


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(book=make_workbooks())
def test_no_workbook_takes_more_than_its_bound(book: openpyxl.Workbook) -> None:
    with TemporaryDirectory() as name:
        path = Path(name) / "list.xlsx"
        book.save(path)
        try:
            plan = read_plan(path)
        except InputError:
            return
        bound = find_format(plan.file_format).bound_result_bytes(path, plan, None)
        assert measure(path, plan, Path(name)) <= bound


NARROW = {
    "two bytes a row": b"email\n" + b"a\n" * 40_000,
    "one letter a cell": b"email,b\n" + b"a,b\n" * 40_000,
    "blank lines": b"email,b\n" + b"\n" * 400_000 + b"a@x.de,\n",
    "own domains": b"email\n" + b"".join(b"a@%d.de\n" % number for number in range(40_000)),
    "international": b"email\n" + "".join(f"a@ü{number}.de\n" for number in range(9_000)).encode(),
    "one wide row": b"email\n" + b"a\n" * 2_000 + b"x" + b"," * 3_000 + b"\n",
    "quoted and wide": b"email,b\n" + b'"a","x\n,,,,,,,,y"\n' * 9_000,
    "stray quotes": b"email,b\n" + b'a 5" pipe,b\n' * 9_001,
    "classic Mac": b"email\r" + b"a@x.de\r" * 9_000,
    "UTF-16": ("email\n" + "a@x.de\n" * 9_000).encode("utf-16"),
}


@pytest.mark.parametrize("content", NARROW.values(), ids=NARROW)
def test_narrow_and_odd_lists_fit(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "list.csv"
    path.write_bytes(content)
    plan = read_plan(path)
    bound = find_format(plan.file_format).bound_result_bytes(path, plan, None)
    taken = measure(path, plan, tmp_path)
    assert taken <= bound


ROW = b"%d,Ana Maria,%d.ana@firma%d.de,2026-01-01\r\n"


@pytest.mark.parametrize("name", ["list.csv", "list.xlsx"])
def test_an_ordinary_list_reserves_little_more_than_it_takes(tmp_path: Path, name: str) -> None:
    rows = [ROW % (number, number, number % 997) for number in range(20_000)]
    path = tmp_path / name
    if path.suffix == ".csv":
        path.write_bytes(b"id,name,email,since\r\n" + b"".join(rows))
    else:
        book = openpyxl.Workbook(write_only=True)
        sheet = book.create_sheet()
        for row in (b"id,name,email,since", *rows):
            sheet.append(row.decode().strip().split(","))
        book.save(path)
    plan = read_plan(path)
    assert plan.file_format is FileFormat(path.suffix[1:])
    bound = find_format(plan.file_format).bound_result_bytes(path, plan, None)
    taken = measure(path, plan, tmp_path)
    assert taken <= bound <= 3 * taken
    if path.suffix == ".csv":
        assert bound <= 3.5 * path.stat().st_size


ODD_CELLS = (
    *("a@frei.de", "", "ジョン", "中文", "b@中文.com", '"two ""\n,"', "\\N", '"a \\"b\\", c"'),
    *("x\\,y", "x\\\ny", "ana\\@frei.de", "c:\\\\d"),
)


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.lists(st.sampled_from(ODD_CELLS), min_size=1, max_size=6), min_size=1, max_size=20),
    st.sampled_from(("cp932", "gb18030", "utf-8")),
    st.sampled_from(("", "\\")),
    st.sampled_from((1, 60)),
)
def test_escapes_and_encodings_of_several_bytes_fit(rows, encoding, escape, times) -> None:
    text = "email,b\n" + "".join(",".join(row) + "\n" for row in rows * times)
    with TemporaryDirectory() as name:
        path = Path(name, "list.csv")
        path.write_bytes(text.encode(encoding, "replace"))
        plan = InputPlan(
            FileFormat.CSV, 0, ("email", "b"), encoding=encoding, escape=escape,
            escape_is_chosen=True,
        )  # fmt: skip
        try:
            taken = measure(path, plan, Path(name))
        except InputError:
            return
        assert taken <= find_format(plan.file_format).bound_result_bytes(path, plan, None)
