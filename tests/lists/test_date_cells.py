"""Dates as people write them: which moment each form means, and which are none."""

from datetime import datetime, timedelta

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from winnow.lists.engine.date_cells import NO_DATE, read_dates, settle_dates

_START = datetime(1, 1, 1)  # noqa: DTZ001 - ranks count in UTC
_BASE = timedelta(days=1, microseconds=1)


def read(*cells: str | None) -> list[str]:
    """Return each cell's moment in UTC as ISO says it; nothing for no date."""
    ranks, counts = read_dates(pl.Series(cells, dtype=pl.String).str.to_lowercase())
    settled = settle_dates(ranks, takes_day_first=counts.takes_day_first).tolist()
    return [
        "" if rank == NO_DATE else (_START + timedelta(microseconds=rank) - _BASE).isoformat(" ")
        for rank in settled
    ]


DAY = "2024-01-31 00:00:00"
MOMENTS: dict[str, tuple[str | None, ...]] = {
    DAY: (
        "2024-01-31", " 2024-01-31 ", "31.1.2024", "31. 1. 2024", "31.01.24", "31/1/2024",
        "31 Jan 2024", "31-Jan-24", "January 31st, 2024", "20240131", "45322",
    ),
    "2024-01-05 00:00:00": ("2024/1/5",),
    "2024-01-31 10:15:30": ("2024-01-31T10:15:30Z", "1706696130"),
    "2024-01-31 08:15:30": ("2024-01-31T10:15:30+02:00",),
    "2023-12-31 23:30:00": ("2024-01-01T00:30:00+01:00",),
    "2024-01-31 10:15:30.500000": ("2024-01-31 10:15:30.5", "1706696130500"),
    "2024-01-31 10:15:30.123456": ("2024-01-31 10:15:30.123456789",),
    "2024-01-31 10:15:00": ("2024-01-31 10:15 UTC",),
    "2024-01-31 18:00:00": ("45322,75",),  # as Excel counts
    "2024-02-01 00:00:00": ("1.2.2024", "1-2-2024"),  # dots and dashes are day first
    "2024-01-02 00:00:00": ("1/2/2024",),  # slashes alone are month first
    "2068-01-31 00:00:00": ("31.01.68",),
    "1969-01-31 00:00:00": ("31.01.69",),
    "2024-12-31 00:00:00": ("31. Dezember 2024",),
    "2024-03-03 00:00:00": ("3. M?rz 2024", "3. M??rz 2024"),  # of Latin-1 and UTF-8
    "2024-02-29 00:00:00": ("29.02.2024",),
    "": (
        "29.02.2023", "31.04.2024", "0.1.2024", "2024-13-01", "13/13/2024", "1.1.2024 24:30",
        "1/31/2024 11:59 pm", "wed, 31 jan 2024", "0000-01-01", "2024", "12345678", "yesterday",
        "2024-01-31 and more", "", None, "9" * 5_000,
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("cell", "moment"), [(cell, moment) for moment, cells in MOMENTS.items() for cell in cells]
)
def test_a_date(cell: str | None, moment: str) -> None:
    assert read(cell) == [moment]


@pytest.mark.parametrize(
    ("cells", "first"),
    [
        pytest.param(["3/4/2024", "25/4/2024"], "2024-04-03 00:00:00", id="one-tells"),
        pytest.param(["3/4/2024", "4/25/2024"], "2024-03-04 00:00:00", id="one-tells-otherwise"),
        pytest.param(
            ["3/4/2024", "25/4/2024", "26/4/2024", "4/25/2024"], "2024-04-03 00:00:00", id="most"
        ),
        pytest.param(["3-4-2024", "4/25/2024"], "2024-03-04 00:00:00", id="the-column-as-a-whole"),
        pytest.param(["3/4/2024", "25.4.2024"], "2024-03-04 00:00:00", id="dots-say-nothing"),
    ],
)
def test_the_column_decides(cells: list[str], first: str) -> None:
    assert read(*cells)[0] == first


@given(st.lists(st.text(max_size=30) | st.from_regex(r"[0-9]{1,4}[-/.][0-9]{1,4}[-/.: 0-9]{0,9}")))
@settings(deadline=None)
def test_nothing_breaks_it(cells: list[str]) -> None:
    found = read(*(cell.encode("ascii", "replace").decode() for cell in cells))
    assert len(found) == len(cells)
