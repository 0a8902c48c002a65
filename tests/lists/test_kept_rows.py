"""Which row of a duplicate stays, by each rule and in every format; which moment a date means."""

import io
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import openpyxl
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.lists.delimited_support import clean, scratch_folder
from tests.lists.xlsx_support import make_workbook
from tests.tables import read_csv, write_csv
from winnow.core.tasks.keep_rule import KEEP_LAST, Keep, KeepRule
from winnow.core.tasks.run_request import RunRequest
from winnow.lists.engine.date_cells import read_texts, settle_dates, show_rank
from winnow.lists.list_format import BatchOutcome

COLUMNS = ("id", "email", "when", "note", "city")
FIRST, COMPLETE = KeepRule(Keep.FIRST), KeepRule(Keep.COMPLETE)
NEWEST = KeepRule(Keep.NEWEST, 2)
EMAILS = ("a@frei.de", "A@Frei.de", " a@frei.de", "b@frei.de", "b@büro.de", "b@xn--bro-hoa.de")
FORMS = ("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y-%m-%d %H:%M:%S", "%d %b %Y %H:%M")
CELLS = st.sampled_from(["", " ", "x", "a;b", 'say "so"', "two\nlines", "0"])


@dataclass(frozen=True)
class Made:
    """Rows as texts, and the moment that each row's date means; None: none that can be read."""

    rows: tuple[tuple[str, ...], ...]
    moments: tuple[datetime | None, ...]


@st.composite
def made_lists(draw: st.DrawFn) -> Made:
    form = draw(st.sampled_from(FORMS))
    moments = st.datetimes(datetime(1999, 1, 1), datetime(2030, 12, 31)).map(  # noqa: DTZ001
        lambda moment: moment.replace(second=0, microsecond=0)
    )
    rows: list[tuple[str, ...]] = [("0", "z@frei.de", "", "", "")]
    found: list[datetime | None] = [None]
    # one date that can be read one way only settles the others
    settling = datetime(2001, 1, 31)  # noqa: DTZ001
    rows.append(("1", "y@frei.de", settling.strftime(form), "", ""))
    found.append(settling)
    for number in range(2, draw(st.integers(3, 40))):
        moment = draw(st.none() | moments)
        text = draw(st.sampled_from(["", "unknown", "31.02.2001"]))
        if moment is not None:
            text = moment.strftime(form)
            moment = datetime.strptime(text, form)  # noqa: DTZ007 - what its form keeps of it
        email = draw(st.sampled_from((*EMAILS, "", "no address", "No Address")))
        rows.append((str(number), email, text, draw(CELLS), draw(CELLS)))
        found.append(moment)
    return Made(tuple(rows), tuple(found))


def choose_ids(made: Made, rule: KeepRule) -> list[str]:
    """Say with pandas which rows stay."""
    frame = pd.DataFrame(list(made.rows), columns=COLUMNS)
    frame["place"] = range(len(frame))
    frame["key"] = frame["email"].str.strip().str.lower().str.replace("büro", "xn--bro-hoa")
    frame["moment"] = pd.to_datetime(pd.Series(made.moments, dtype="datetime64[us]"))
    cells = frame[list(COLUMNS)]
    frame["filled"] = cells.apply(lambda column: column.str.strip() != "").sum(axis=1)
    orders = {
        Keep.LAST: ["place"],
        Keep.FIRST: ["place"],
        Keep.NEWEST: ["moment", "place"],
        Keep.COMPLETE: ["filled", "place"],
    }
    blank = frame[frame["key"] == ""]
    ordered = frame[frame["key"] != ""].sort_values(orders[rule.keep], na_position="first")
    keep = "first" if rule.keep is Keep.FIRST else "last"
    kept = ordered.drop_duplicates("key", keep=keep)
    return pd.concat([kept, blank]).sort_values("place")["id"].tolist()


def write_parquet(made: Made) -> bytes:
    frame = pd.DataFrame(list(made.rows), columns=COLUMNS)
    frame["note"] = frame["note"].replace("", None)
    return frame.to_parquet(index=False, row_group_size=7)


def write_xlsx(made: Made) -> bytes:
    rows = [
        [*row[:2], moment or row[2] or None, *(cell or None for cell in row[3:])]
        for row, moment in zip(made.rows, made.moments, strict=True)
    ]
    return make_workbook(("Sheet", [[*COLUMNS], *rows]))


WRITERS: dict[str, Callable[[Made], bytes]] = {
    "list.csv": lambda made: write_csv([COLUMNS, *made.rows], lineterminator="\n"),
    "list.parquet": write_parquet,
    "list.xlsx": write_xlsx,
}


def run(name: str, content: bytes, rule: KeepRule) -> tuple[BatchOutcome, bytes]:
    """Clean a list; return what was counted and the result as it is stored."""
    with scratch_folder() as folder:
        done = clean(content, Path(folder), name, options=RunRequest(keep=rule))
        assert not list(done.folder.glob("pass.*"))
        return done.outcome, done.result


def read_cells(name: str, result: bytes) -> list[list[str]]:
    """Return the cells of a result as texts."""
    if name.endswith(".parquet"):
        frame = pd.read_parquet(io.BytesIO(result)).fillna("")
        return [list(frame.columns), *frame.astype(str).to_numpy().tolist()]
    if name.endswith(".xlsx"):
        sheet = openpyxl.load_workbook(io.BytesIO(result)).worksheets[0]
        return [["" if cell is None else str(cell) for cell in row] for row in sheet.values]
    return read_csv(result)


RULES = pytest.mark.parametrize(
    ("name", "rule"),
    [
        *(("list.csv", rule) for rule in (KEEP_LAST, FIRST, COMPLETE)),
        *((name, NEWEST) for name in WRITERS),
    ],
)


@RULES
@given(made=made_lists())
@settings(max_examples=8)
def test_pandas_keeps_the_same_rows(name: str, rule: KeepRule, made: Made) -> None:
    outcome, result = run(name, WRITERS[name](made), rule)
    ids = choose_ids(made, rule)
    assert [row[0] for row in read_cells(name, result)[1:]] == ids
    summary = outcome.summary
    assert (summary.rows_in, summary.rows_out) == (len(made.rows), len(ids))
    assert summary.duplicates_removed == len(made.rows) - len(ids)


@pytest.mark.parametrize(
    ("dates", "said"),
    [
        pytest.param(["31/12/2023", "01/02/2024"], "were read as day/month/year.", id="day-first"),
        pytest.param(["12/31/2023", "01/02/2024"], "read as month/day/year.", id="month-first"),
        pytest.param(["01/02/2024"], "month/day/year. Nothing in the column says", id="no-hint"),
        pytest.param(["01-02-2024"], "day/month/year. Nothing in the column says", id="dashes"),
        pytest.param(["soon", "31.12.2023"], "not all read. 1 cell holds no date", id="one-unread"),
        pytest.param(["soon", "never"], "not all read. 2 cells hold no date", id="some-unread"),
        pytest.param(["2023-12-31", ""], "", id="nothing-to-say"),
    ],
)
def test_how_dates_were_read_is_said(dates: list[str], said: str) -> None:
    rows = tuple((str(place), f"p{place}@frei.de", one, "", "") for place, one in enumerate(dates))
    outcome, _ = run("list.csv", WRITERS["list.csv"](Made(rows, (None,) * len(rows))), NEWEST)
    text = " ".join(notice.text for notice in outcome.notices if "dates" in notice.code)
    assert (said in text) if said else not text


def test_the_column_decides_which_date_is_newer() -> None:
    dates = ("03/10/2024", "02/11/2024")  # as days first, the second one
    rows = [(str(place), "a@frei.de", one, "", "") for place, one in enumerate(dates)]
    for settling, kept in (("01/31/2024", "0"), ("31/01/2024", "1")):
        made = Made((*rows, ("2", "b@frei.de", settling, "", "")), (None,) * 3)
        _, result = run("list.csv", WRITERS["list.csv"](made), NEWEST)
        assert [row[0] for row in read_csv(result)[1:]] == [kept, "2"]


def test_backslash_null_is_an_empty_cell() -> None:
    content = (
        b"id,email,when,note,city\n"
        b'1,a@frei.de,2020-01-01,"say \\"so\\"",x\n2,a@frei.de,\\N,\\N,\\N\n3,b@frei.de,\\N,y,\\N\n'
    )
    for rule in (NEWEST, COMPLETE):
        outcome, result = run("list.csv", content, rule)
        assert [line[:1] for line in result.splitlines()[1:]] == [b"1", b"3"]
        assert not [notice for notice in outcome.notices if "dates" in notice.code]


def read_moments(*cells: str | None) -> list[str]:
    """Return each cell's moment in UTC; nothing for no date."""
    ranks, counts = read_texts(pl.Series(cells, dtype=pl.String))
    settled = settle_dates(ranks, takes_day_first=counts.takes_day_first)
    return list(map(show_rank, settled.tolist()))


MOMENTS: dict[str, tuple[str | None, ...]] = {
    "2024-01-31": (
        "2024-01-31", " 2024-01-31 ", "31.1.2024", "31. 1. 2024", "31.01.24", "31/1/2024",
        "31 Jan 2024", "31-Jan-24", "January 31st, 2024", "20240131", "45322", "Wed, 31 Jan 2024",
        "Mi., 31.01.2024", "31 janv. 2024", "miércoles, 31 de enero de 2024", "2024年1月31日",
        "2024년 1월 31일", "2024. 1. 31.", "31st of January 2024", "31 gennaio 2024",
    ),
    "2024-02-01 08:43:00": (
        "2/1/2024 8:43 AM", "1er février 2024 à 08:43", "1. Februar 2024 um 8:43 Uhr",
        "1 févr. 2024 08h43", "2024年2月1日 08:43", "Feb 1, 2024, 8:43 a.m.",
    ),
    "2024-06-10 20:43:01": (
        "6/10/2024 8:43:01 PM", "2024-06-10 20:43:01+00", "2024-06-10 22:43:01.000+02",
        "Mon, 10 Jun 2024 20:43:01 +0000", "Mon, 10 Jun 2024 20:43:01 GMT",
        "Mon Jun 10 2024 22:43:01 GMT+0200 (Central European Summer Time)",
        "Mon Jun 10 20:43:01 UTC 2024", "June 10, 2024 at 1:43:01 PM PDT", "10 juin 2024 20:43:01",
        "10-JUN-24 08.43.01.000000 PM", "20240610T204301Z", "10. Juni 2024, 22:43:01 MESZ",
    ),
    "2024-06-10 00:05:00": ("6/10/2024, 12:05\u202fAM",),
    "2024-07-10": ("10 juillet 2024",),
    "2024-08-10": ("10 août 2024", "10 de agosto de 2024"),
    "2024-01-05": ("2024/1/5",),
    "2024-01-31 10:15:30": ("2024-01-31T10:15:30Z", "1706696130"),
    "2024-01-31 08:15:30": ("2024-01-31T10:15:30+02:00",),
    "2023-12-31 23:30:00": ("2024-01-01T00:30:00+01:00",),
    "2024-01-31 10:15:30.500000": ("2024-01-31 10:15:30.5", "1706696130500"),
    "2024-01-31 10:15:30.123456": ("2024-01-31 10:15:30.123456789",),
    "2024-01-31 10:15:00": ("2024-01-31 10:15 UTC",),
    "2024-01-31 18:00:00": ("45322,75",),  # as Excel counts
    "2024-02-01": ("1.2.2024", "1-2-2024"),  # dots and dashes are day first
    "2024-01-02": ("1/2/2024",),  # slashes alone are month first
    "2068-01-31": ("31.01.68",),
    "1969-01-31": ("31.01.69",),
    "2024-12-31": ("31. Dezember 2024",),
    "2024-03-03": ("3. M?rz 2024", "3. M??rz 2024"),  # of Latin-1 and UTF-8
    "2024-02-29": ("29.02.2024",),
    "": (
        "29.02.2023", "31.04.2024", "0.1.2024", "2024-13-01", "13/13/2024", "1.1.2024 24:30",
        "1/31/2024 13:59 pm", "8:43 AM", "0000-01-01", "2024", "12345678", "yesterday",
        "2024-01-31 and more", "", None, "9" * 5_000,
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("cell", "moment"), [(cell, moment) for moment, cells in MOMENTS.items() for cell in cells]
)
def test_a_date(cell: str | None, moment: str) -> None:
    assert read_moments(cell) == [moment]


@pytest.mark.parametrize(
    ("cells", "first"),
    [
        pytest.param(["3/4/2024", "25/4/2024"], "2024-04-03", id="one-tells"),
        pytest.param(["3/4/2024", "4/25/2024"], "2024-03-04", id="one-tells-otherwise"),
        pytest.param(["3/4/2024", "25/4/2024", "26/4/2024", "4/25/2024"], "2024-04-03", id="most"),
        pytest.param(["3-4-2024", "4/25/2024"], "2024-03-04", id="the-column-as-a-whole"),
        pytest.param(["3/4/2024", "25.4.2024"], "2024-03-04", id="dots-say-nothing"),
        pytest.param(["25.04.24", "25.04.2024"], "2024-04-25", id="two-digits-beside-four"),
    ],
)
def test_the_column_decides(cells: list[str], first: str) -> None:
    assert read_moments(*cells)[0] == first


@given(st.lists(st.text(max_size=30) | st.from_regex(r"[0-9]{1,4}[-/.][0-9]{1,4}[-/.: 0-9]{0,9}")))
def test_nothing_breaks_it(cells: list[str]) -> None:
    found = read_moments(*(cell.encode("ascii", "replace").decode() for cell in cells))
    assert len(found) == len(cells)
