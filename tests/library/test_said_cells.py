"""A run reads the cells of the tables as the tables are read by themselves."""

import csv
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

import winnow
from tests.core.test_meaning import OWN, SHARED, leaves_out, read_one, read_table
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.meaning.columns import ColumnMeaning
from winnow.core.meaning.vocabulary import fold_words

CLOCKS = {  # a run cuts them off: a day is enough
    "Deaktiviert": ["0", "1769936400"],
    "Unsubscribed at": ["1769936400123", "20260301101112", "2026-03-01T10:11:12.123+00:00"],
    "Opt-out date": ["10/06/2026 8:43 AM", "June 10, 2024 at 8:43:01 AM PDT"],
    "Note": ["2026-03-01 10:11:12, unsubscribed", "2026-03-01 10:11:12"],
}
MANY = {f"Opted out of email: topic {number}": ["Yes", "No"] for number in range(40)}
SEPARATED = {"Mail status": ["subscribed", "subscribed\x1fYes"], "Unsubscribed": ["No", "Yes"]}
COLUMNS_PER_LIST = 12  # of at most 16 that a run reads


def pack_columns() -> Iterator[dict[str, list[str]]]:
    """Yield lists of columns, no heading twice in one, each with its distinct cells."""
    paths = [path for path in (OWN, SHARED) if path.exists()]
    waiting = [
        (heading, list(dict.fromkeys(row["value"] for row in rows)))
        for _, heading, rows in chain.from_iterable(map(read_table, paths))
    ]
    while waiting:
        packed: dict[str, list[str]] = {}
        left = []
        for heading, cells in waiting:
            known = {fold_words(one) for one in packed}
            if len(packed) < COLUMNS_PER_LIST and fold_words(heading) not in known:
                packed[heading] = cells
            else:
                left.append((heading, cells))
        yield packed
        waiting = left


@pytest.mark.parametrize(
    "columns",
    [
        pytest.param(CLOCKS, id="clocks"),
        pytest.param(MANY, id="many-columns"),
        pytest.param(SEPARATED, id="separator-of-units"),
        *(pytest.param(some, marks=pytest.mark.slow) for some in pack_columns()),
    ],
)
def test_a_run_leaves_out_what_a_cell_forbids(
    columns: dict[str, list[str]], tmp_path: Path
) -> None:
    rows = [
        (f"a{index}.{number}@web.de", index, cell)
        for index, cells in enumerate(columns.values())
        for number, cell in enumerate(cells)
    ]
    path, target = tmp_path / "list.csv", tmp_path / "cleaned.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["email", *columns])
        for address, index, cell in rows:
            writer.writerow([address, *[""] * index, cell, *[""] * (len(columns) - index - 1)])
    winnow.clean(path, target, policy=CleaningPolicy(), email_column="email")
    with target.open(encoding="utf-8", newline="") as file:
        kept = {row["email"] for row in csv.DictReader(file)}
    meanings: list[ColumnMeaning | None] = [
        read_one(heading, "", *cells) for heading, cells in columns.items()
    ]
    expected = {address for address, index, cell in rows if not leaves_out(meanings[index], cell)}
    assert kept == expected
