"""Questions to a finished project's rows, against answers found the plain way."""

from pathlib import Path

import pytest

from tests.lists.delimited_support import make_judge, run_list
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import RowFilter
from winnow.core.tasks.task import InputPlan
from winnow.lists.execution.row_index_writer import RowIndexWriter
from winnow.lists.result.result_rows import ResultRows

_PLAN = InputPlan(FileFormat.CSV, 1, ("id", "email"))
_EMAILS = ("ana@firm.de", "bo@wegwerf.net", "x@b\u00fcro.de", "foo", "info@frei.de", "a.b@FREI.de")


def _many(count: int) -> bytes:
    rows = (f"{number},{_EMAILS[number % len(_EMAILS)]}\r\n" for number in range(count))
    return ("id,email\r\n" + "".join(rows)).encode()


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> ResultRows:
    """10,000 rows: more than one stretch between the index's starts."""
    folder = tmp_path_factory.mktemp("rows")
    run = run_list(
        _many(10_000), _PLAN, make_judge(), folder, deduplicate=False, block_bytes=1 << 14
    )
    return run.rows


@pytest.mark.parametrize("offset", [0, 1, 4095, 4096, 4097, 8192, 9_998, 20_000])
def test_page_begins_where_asked(rows: ResultRows, offset: int) -> None:
    page = rows.page(RowFilter(), offset, 3)
    wanted = list(range(offset, min(offset + 3, 10_000)))
    assert [row.number for row in page.rows] == [number + 1 for number in wanted]
    assert [row.cells for row in page.rows] == [
        (str(number), _EMAILS[number % len(_EMAILS)]) for number in wanted
    ]
    assert page.matching == 10_000


@pytest.mark.parametrize(
    ("part", "places"),
    [
        pytest.param("FIRM", {0}, id="any-case"),
        pytest.param("b\u00dcro", {2}, id="unicode-form"),
        pytest.param("xn--bro", {2}, id="a-label"),
        pytest.param("frei", {4, 5}, id="both-spellings"),
        pytest.param("de\n", {0, 2, 4, 5}, id="outer-white-space"),
        pytest.param("firm.dewegwerf", set(), id="not-across-names"),
    ],
)
def test_part_of_a_domain(rows: ResultRows, part: str, places: set[int]) -> None:
    found = rows.page(RowFilter(text=part), 0, 12)
    assert {(row.number - 1) % len(_EMAILS) for row in found.rows} == places
    wanted = sum(number % len(_EMAILS) in places for number in range(10_000))
    assert rows.count(RowFilter(text=part)) == found.matching == wanted


def test_unfinished_index_cannot_be_opened(tmp_path: Path) -> None:
    RowIndexWriter(tmp_path).close()
    with pytest.raises(FileNotFoundError):
        ResultRows(tmp_path, _PLAN)
