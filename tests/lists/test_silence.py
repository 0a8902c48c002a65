"""How long people have been silent, as pandas says it, in many spellings of dates."""

import random
from datetime import date
from pathlib import Path

import pandas as pd
import pytest

from tests.lists.delimited_support import clean
from tests.tables import write_csv
from winnow.core.lists.silence import SILENT_MONTHS, DayOrder, SilenceChoice, find_activity
from winnow.lists.result.silence import Silence, read_silence

TODAY = date(2026, 3, 31)  # November has no 31st: four months before are the 30th
FORMS = {
    "iso": "%Y-%m-%d",
    "stamp": "%Y-%m-%d %H:%M:%S",
    "zone": "%Y-%m-%dT%H:%M:%S+02:00",
    "german": "%d.%m.%Y %H:%M",
    "american": "%m/%d/%Y",
    "named": "%d %b %Y",
}


def read(folder: Path, cells: list[str], choice: SilenceChoice, name: str) -> Silence:
    rows = [(f"u{number}@firma.example", cell) for number, cell in enumerate(cells)]
    run = clean(write_csv([("email", name), *rows]), folder)
    found = read_silence(run.cells, choice, TODAY)
    assert found is not None
    return found


@pytest.mark.parametrize("form", FORMS)
def test_months_are_as_pandas_counts_them(form: str, tmp_path: Path) -> None:
    pick = random.Random(form)
    start = pd.Timestamp("2021-01-01")
    stamps = [start + pd.Timedelta(minutes=pick.randrange(2_900_000)) for _ in range(400)]
    edges = [pd.Timestamp(TODAY) - pd.DateOffset(months=one) for one in SILENT_MONTHS]
    stamps += [one + pd.Timedelta(days=days) for one in edges for days in (-1, 0, 1)]
    cells = [one.strftime(FORMS[form]) for one in stamps]
    found = read(tmp_path, [*cells, "", "never", "0000-00-00"], SilenceChoice(), "Last click")
    assert (found.column.dated, found.column.is_open) == (len(stamps), False)
    days = pd.Series(stamps).dt.normalize()
    for months, edge in zip(SILENT_MONTHS, edges, strict=True):
        is_silent = [*(days <= edge), False, False, False]
        assert (found.months >= months).tolist() == is_silent


@pytest.mark.parametrize(
    ("cells", "order", "silent"),
    [
        pytest.param(["01/04/2025", "04/01/2026"], None, None, id="asked"),
        pytest.param(["01/04/2025", "04/13/2025", "13/04/2025"], None, None, id="both-orders"),
        pytest.param(["04/01/2026", "01/04/2026"], DayOrder.DAY, [0, 0], id="day-first"),
        pytest.param(["04/12/2025", "12/04/2025"], DayOrder.DAY, [3, 6], id="days-of-december"),
        pytest.param(["04/12/2025", "12/04/2025"], DayOrder.MONTH, [6, 3], id="month-first"),
        pytest.param(["04/12/2025", "12/24/2025"], None, [6, 3], id="the-column-shows"),
    ],
)
def test_dates_in_two_orders(
    tmp_path: Path, cells: list[str], order: DayOrder | None, silent: list[int] | None
) -> None:
    found = read(tmp_path, cells, SilenceChoice(1, order), "whatever")
    assert found.column.is_open == (silent is None)
    assert found.months.tolist() == (silent or [0] * len(cells))


@pytest.mark.parametrize(
    ("columns", "places"),
    [
        (("email", "Last Open", "signup_date", "Last order date", "LAST_CLICK"), (4, 3, 2, 1)),
        (("E-Mail", "Letzte Öffnung", "Angemeldet am", "Letzte Bestellung"), (3, 2, 1)),
        (("email", "created", "Date of birth", "unsubscribed at", "status"), (1,)),
        (("email", "dernière commande", "date d'inscription"), (1, 2)),
    ],
)
def test_clicks_come_before_opens(columns: tuple[str, ...], places: tuple[int, ...]) -> None:
    assert find_activity(columns) == places
