"""Groups of duplicates shown beforehand: the rows, their numbers in the file, which one stays."""

from pathlib import Path

import pytest
from hypothesis import given, settings

from tests.lists.delimited_support import find_plan, scratch_folder
from tests.lists.test_kept_rows import (
    COLUMNS,
    COMPLETE,
    FIRST,
    NEWEST,
    WRITERS,
    Made,
    choose_ids,
    made_lists,
)
from tests.tables import read_csv
from winnow.core.lists.previews import DuplicatePreview
from winnow.core.tasks.keep_rule import KEEP_LAST, KeepRule
from winnow.core.tasks.repair_choice import SAFE_REPAIRS, RepairChoice
from winnow.core.tasks.run_options import RunOptions
from winnow.lists.preview import SHOWN_GROUPS, SHOWN_ROWS, preview_duplicates
from winnow.lists.requests import RowsRequest


def look(
    name: str,
    content: bytes,
    rule: KeepRule = KEEP_LAST,
    repair: RepairChoice | None = None,
) -> DuplicatePreview:
    with scratch_folder() as folder:
        path, scratch = Path(folder) / name, Path(folder) / "scratch"
        path.write_bytes(content)
        scratch.mkdir()
        request = RowsRequest(path, find_plan(path), scratch)
        preview = preview_duplicates(request, RunOptions(keep=rule, repair=repair))
        assert not list(scratch.iterdir())
        return preview


def fold(email: str) -> str:
    return email.strip().lower().replace("büro", "xn--bro-hoa")


def number_rows(name: str, content: bytes, made: Made) -> dict[str, int]:
    """Return where each id stands in the file, as whoever opens it sees it."""
    if name.endswith(".csv"):
        return {row[0]: number for number, row in enumerate(read_csv(content), start=1)}
    first = 1 if name.endswith(".parquet") else 2
    return {row[0]: place for place, row in enumerate(made.rows, start=first)}


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        *(("list.csv", rule) for rule in (KEEP_LAST, FIRST, COMPLETE)),
        *((name, NEWEST) for name in ("list.csv", "list.xlsx", "list.parquet")),
    ],
)
@given(made=made_lists())
@settings(max_examples=6, deadline=None)
def test_the_groups_are_those_of_the_run(name: str, rule: KeepRule, made: Made) -> None:
    content = WRITERS[name](made)
    preview = look(name, content, rule)
    kept = set(choose_ids(made, rule))
    rows = {row[0]: row for row in made.rows}
    assert (preview.row_count, preview.duplicate_count) == (len(rows), len(rows) - len(kept))
    assert preview.is_whole
    assert len(preview.groups) == min(SHOWN_GROUPS, preview.group_count)
    numbers = number_rows(name, content, made)
    shown = [row for group in preview.groups for row in group.rows]
    for row in shown:
        assert row.stays == (row.cells[0] in kept)
        assert row.number == numbers[row.cells[0]]
        assert row.cells[1].strip() == rows[row.cells[0]][1].strip()
    for group in preview.groups:
        assert sum(row.stays for row in group.rows) == 1
        assert 2 <= len(group.rows) == min(group.row_count, SHOWN_ROWS)
        assert len({fold(row.cells[1]) for row in group.rows}) == 1
        assert [row.number for row in group.rows] == sorted(row.number for row in group.rows)


def write(*rows: str) -> bytes:
    return "\n".join([",".join(COLUMNS), *rows]).encode()


@pytest.mark.parametrize(
    ("rows", "rule", "ranks"),
    [
        pytest.param(["1,a@x.de,,,", "2,a@x.de,,,"], KEEP_LAST, ["", ""], id="last"),
        pytest.param(["1,a@x.de,,,", "2,a@x.de,,,"], FIRST, ["", ""], id="first"),
        pytest.param(
            ["1,a@x.de,31.1.2024 10:15,,", "2,a@x.de,30.1.2024,,"],
            NEWEST,
            ["2024-01-31 10:15:00", "2024-01-30"],
            id="newest",
        ),
        pytest.param(
            ["1,a@x.de,2024-01-31 10:15:30.5,,", "2,a@x.de,2024-01-31 10:15:30,,"],
            NEWEST,
            ["2024-01-31 10:15:30.500000", "2024-01-31 10:15:30"],
            id="newest-within-a-second",
        ),
        pytest.param(
            ["1,a@x.de,1.1.2024,,", "2,a@x.de,1.1.2024,,", "3,a@x.de,,,"],
            NEWEST,
            ["2024-01-01", "2024-01-01", ""],
            id="two-newest",
        ),
        pytest.param(["1,a@x.de,,,", "2,a@x.de,-,,"], NEWEST, ["", ""], id="no-date"),
        pytest.param(["1,a@x.de,,x,", "2,a@x.de,,,"], COMPLETE, ["3", "2"], id="fullest"),
        pytest.param(["1,a@x.de,,x,", "2,a@x.de,x,,"], COMPLETE, ["3", "3"], id="as-full"),
    ],
)
def test_what_the_rule_compares_is_shown(rows: list[str], rule: KeepRule, ranks: list[str]) -> None:
    (group,) = look("list.csv", write(*rows), rule).groups
    assert [row.rank for row in group.rows] == ranks


def test_a_long_group_shows_its_first_rows_and_the_one_that_stays() -> None:
    rows = [f"{place},a@x.de,,,{'long' * 100}" for place in range(20)]
    (group,) = look("list.csv", write(*rows)).groups
    assert group.row_count == 20
    assert [row.number for row in group.rows] == [2, 3, 4, 5, 6, 21]
    assert all(len(row.cells[-1]) == 200 for row in group.rows)


def test_how_dates_are_read_is_told() -> None:
    preview = look("list.csv", write("1,a@x.de,1/2/2024,,", "2,b@x.de,soon,,"), NEWEST)
    assert (preview.groups, preview.day_first, preview.is_guess) == ((), False, True)
    assert preview.unreadable_count == 1
    assert look("list.csv", write("1,a@x.de,1.2.2024,,"), NEWEST).day_first is None


def test_repaired_addresses_are_duplicates_as_in_the_run() -> None:
    content = write("1,ana@gmail.com,,,", "2,mailto:ana@gmail.com,,,")
    assert look("list.csv", content).duplicate_count == 0
    assert look("list.csv", content, repair=SAFE_REPAIRS).duplicate_count == 1
