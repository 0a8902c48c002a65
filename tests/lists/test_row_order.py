"""Rows of a finished project, page by page and in any order: pandas sorts the same rows."""

import random
import unicodedata
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.lists.delimited_support import Run, clean, find_plan, run_file
from tests.lists.row_files import write_row_files
from tests.workbooks import write_table
from winnow.core.lists.dimensions import CATEGORY
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import Chosen, Row, RowFilter, RowOrder, SortBy
from winnow.core.tasks.input_plan import InputPlan
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category, Verdict, phrase_reasons
from winnow.lists.result.result_rows import ResultRows
from winnow.lists.result.row_index_writer import RowIndexWriter
from winnow.words import speaking

COLUMNS = ("id", "name", "email", "amount", "joined", "note")
NAMES = (
    *("Zoë", "zoe", "Ärzte", "arzt", "Ana", "ANA", "", "  ", "Ölmühle", "Éva", "eva b", "Zoltan"),
    *("Friedrich", "friedrichshain", "Friedrichs", 'say ""hi""', 'say "ho"', "Иван", "иван"),
    "日本",
)
AMOUNTS = ("12.50", "3", "-4.00", "1000.25", "", "200", "0", "7.1", "90000.5", "-0.5")
DATES = ("31.12.2023", "01.02.2024", "15.01.2024", "", "02.02.2024", "28.02.1999")
NOTES = ('5" disk', "two\nlines", "a;b", "x" * 300, "x" * 299 + "y", "", "Straße", "strasse")


def fold(text: str) -> str | None:
    plain = unicodedata.normalize("NFKD", text.strip())
    return "".join(one for one in plain if not unicodedata.combining(one)).lower() or None


KEYS = {
    COLUMNS.index("name"): lambda rows: rows["name"].map(fold),
    COLUMNS.index("note"): lambda rows: rows["note"].map(fold),
    COLUMNS.index("amount"): lambda rows: pd.to_numeric(rows["amount"], errors="coerce"),
    COLUMNS.index("joined"): lambda rows: pd.to_datetime(
        rows["joined"], format="%d.%m.%Y", errors="coerce"
    ),
    SortBy.ADDRESS: lambda rows: rows["email"].map(fold),
    SortBy.DOMAIN: lambda rows: rows["domain"].replace("", None),
    SortBy.ACTION: lambda rows: rows["category"].map(["white", "grey", "black"].index),
    SortBy.DOMAIN_TYPE: lambda rows: rows["kind"].str.lower(),
    SortBy.REASON: lambda rows: rows["reasons"].map(str.lower),
    SortBy.FILE: lambda rows: rows["place"],
}


def make_rows(count: int, seed: int) -> list[tuple[str, ...]]:
    pick = random.Random(seed)
    domains = ("frei.de", "FREI.de", "wegwerf.net", "firma.de", "büro.de", "no-dot", "x.example")
    return [
        (
            f"customer-{pick.randint(0, 9 * count):07}",
            pick.choice(NAMES),
            pick.choice(
                (f"{pick.choice('abcÄé')}nna{pick.randint(0, 99)}@{pick.choice(domains)}",) * 9
                + ("",)
            ),
            pick.choice(AMOUNTS),
            pick.choice(DATES),
            pick.choice(NOTES),
        )
        for _ in range(count)
    ]


def clean_rows(rows: list[tuple[str, ...]], kind: str, folder: Path, **options: bool) -> Run:
    """Run a list of these rows."""
    path = write_table(folder / f"list.{kind}", [COLUMNS, *rows])
    return run_file(path, plan=find_plan(path, column=2), **options)


def sort_in_pandas(rows: list[Row], order: RowOrder) -> list[int]:
    """Return the rows' numbers as pandas sorts them."""
    frame = pd.DataFrame([row.cells[: len(COLUMNS)] for row in rows], columns=COLUMNS)
    frame["place"] = [row.number for row in rows]
    frame["category"] = [row.verdict.category.value for row in rows]
    frame["kind"] = [row.verdict.domain_type.words for row in rows]
    frame["reasons"] = [phrase_reasons(row.verdict.reasons) for row in rows]
    known = (row.email.rpartition("@")[2].lower() for row in rows)
    frame["domain"] = ["" if name == "no-dot" else name.encode("idna").decode() for name in known]
    frame["key"] = KEYS[order.by](frame)
    ways = {"ascending": not order.descending, "kind": "stable", "na_position": "last"}
    return frame.sort_values("key", **ways)["place"].tolist()


def page_through(rows: ResultRows, order: RowOrder, some: RowFilter, step: int) -> list[int]:
    count = rows.page(some, 0, 0).matching
    pages = [rows.page(some, start, step, order).rows for start in range(0, count + step, step)]
    return [row.number for page in pages for row in page]


@pytest.fixture
def made(tmp_path: Path) -> ResultRows:
    return clean_rows(make_rows(400, 11), "csv", tmp_path).rows


@pytest.mark.slow
def test_any_order_is_that_of_pandas(made: ResultRows) -> None:
    everything = RowFilter()
    rows = list(made.page(everything, 0, 1_000).rows)
    for by in KEYS:
        for descending in (False, True):
            order = RowOrder(by, descending)
            wanted = sort_in_pandas(rows, order)
            assert page_through(made, order, everything, 190) == wanted, order
    black = RowFilter(Chosen().choose(CATEGORY, "black"))
    chosen = [row for row in rows if row.verdict.category == "black"]
    assert 0 < len(chosen) < len(rows)
    for by in (SortBy.ADDRESS, SortBy.REASON, 1):
        order = RowOrder(by, True)
        assert page_through(made, order, black, 50) == sort_in_pandas(chosen, order)


@pytest.mark.parametrize(
    ("cells", "wanted"),
    [
        pytest.param(("3 Okt 2024", "12 Jan 2024", "", "1 Mai 2023"), [4, 2, 1, 3], id="names"),
        pytest.param(("9/1/2024 1:00 PM", "10/1/2023 8:00 AM", "9/1/2024 9:00 AM"),
                     [2, 3, 1], id="clocks"),
        pytest.param(("45322", "9999", "1000000"), [2, 1, 3], id="numbers-are-no-dates"),
    ],
)  # fmt: skip
def test_dates_are_sorted_as_the_newest_row_is_found(
    tmp_path: Path, cells: tuple[str, ...], wanted: list[int]
) -> None:
    lines = [f"a{number}@frei.de;{cell}" for number, cell in enumerate(cells)]
    rows = clean("\n".join(["email;when", *lines, ""]).encode(), tmp_path).rows
    assert page_through(rows, RowOrder(1), RowFilter(), 9) == wanted


def test_a_column_that_is_not_there_leaves_the_files_order(made: ResultRows) -> None:
    assert page_through(made, RowOrder(99), RowFilter(), 50)[:3] == [1, 2, 3]
    assert made.page(RowFilter(text="nothing has this"), 0, 50, RowOrder(1)).rows == ()


def test_a_kept_page_is_one_of_a_language(tmp_path: Path) -> None:
    disposable, government = (
        Verdict(Category.WHITE, kind, (Reason.UNLISTED,))
        for kind in (DomainType.DISPOSABLE, DomainType.GOVERNMENT)  # Wegwerfdienst, Behörde
    )
    write_row_files(
        tmp_path,
        ((b"a@a.example\n", disposable, "a.example"), (b"b@b.example\n", government, "b.example")),
    )
    rows = ResultRows(tmp_path, InputPlan(FileFormat.XLSX, 0, ("email",)))
    asked = RowFilter(), 0, 50, RowOrder(SortBy.DOMAIN_TYPE)
    assert [row.number for row in rows.page(*asked).rows] == [1, 2]
    with speaking("de"):
        assert [row.number for row in rows.page(*asked).rows] == [2, 1]


@given(st.sampled_from([*SortBy, 0, 7, 99_998]), st.booleans())
def test_an_order_comes_back_from_an_address(by: SortBy | int, descending: bool) -> None:
    order = RowOrder(by, descending)
    assert RowOrder.parse(order.word()) == order


_EMAILS = ("ana@firm.de", "bo@wegwerf.net", "x@b\u00fcro.de", "foo", "info@frei.de", "a.b@FREI.de")


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> ResultRows:
    """10,000 rows: more than one stretch between the index's starts."""
    lines = [f"{number},{_EMAILS[number % len(_EMAILS)]}" for number in range(10_000)]
    content, folder = "\r\n".join(["id,email", *lines, ""]), tmp_path_factory.mktemp("rows")
    return clean(content.encode(), folder, deduplicate=False, block_bytes=1 << 14).rows


@pytest.mark.parametrize("offset", [0, 1, 4095, 4096, 4097, 8192, 9_998, 20_000])
def test_page_begins_where_asked(rows: ResultRows, offset: int) -> None:
    page = rows.page(RowFilter(), offset, 3)
    wanted = list(range(offset, min(offset + 3, 10_000)))
    assert [row.number for row in page.rows] == [number + 1 for number in wanted]
    assert [row.cells for row in page.rows] == [
        (str(number), _EMAILS[number % len(_EMAILS)]) for number in wanted
    ]
    assert page.matching == 10_000


def test_unfinished_index_cannot_be_opened(tmp_path: Path) -> None:
    RowIndexWriter(tmp_path).close()
    with pytest.raises(FileNotFoundError):
        ResultRows(tmp_path, InputPlan(FileFormat.CSV, 1, ("id", "email")))
