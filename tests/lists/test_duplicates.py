"""The last row of each address, found by partitions and slots as by a plain loop."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from winnow.core.verdicts.reasons import Reason
from winnow.lists.engine import duplicates
from winnow.lists.engine.row_codes import (
    BLANK_LINE,
    FAULT_CODES,
    FIRST_DOMAIN,
    HEADER,
    RowColumns,
)
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.execution import row_store
from winnow.lists.execution.row_store import KeptRows, RowStore

ROW_COUNT = 5_000


@pytest.mark.parametrize("rows_per_group", [100, 1_000, ROW_COUNT])
@pytest.mark.parametrize("key_count", [3, 700, 1 << 62])
def test_last_rows_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows_per_group: int, key_count: int
) -> None:
    monkeypatch.setattr(duplicates, "ROWS_PER_GROUP", rows_per_group)
    monkeypatch.setattr(row_store, "KEYS_AT_ONCE", 1_024)
    pick = np.random.default_rng(7)
    keys = pick.integers(0, key_count, ROW_COUNT, np.uint64) * np.uint64(0x5851F42D4C957F2D)
    codes = pick.integers(0, 9, ROW_COUNT).astype(np.uint32) + np.uint32(FIRST_DOMAIN)
    canonical = np.arange(FIRST_DOMAIN + 9, dtype=np.uint32)
    canonical[FIRST_DOMAIN + 8] = FIRST_DOMAIN  # two spellings of one domain
    kept = find_kept(tmp_path, keys, codes, canonical)
    places = zip(keys.tolist(), canonical[codes].tolist(), strict=True)
    last = {key: row for row, key in enumerate(places)}
    assert np.flatnonzero(kept).tolist() == sorted(last.values())


def test_a_row_met_a_million_times_is_held_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A group of equal rows once took the memory of all groups."""
    held: list[int] = []
    mark = duplicates._mark_duplicates

    def watch(is_gone: NDArray[np.bool_], part: duplicates._Rows) -> None:
        held.append(len(part.rows))
        mark(is_gone, part)

    monkeypatch.setattr(duplicates, "ROWS_PER_GROUP", 10_000)
    monkeypatch.setattr(duplicates, "MAX_ROWS_PER_GROUP", 10_000)
    monkeypatch.setattr(row_store, "KEYS_AT_ONCE", 1_024)
    monkeypatch.setattr(duplicates, "_mark_duplicates", watch)
    count = 100_000
    kept = find_kept(tmp_path, [7] * count, [FIRST_DOMAIN] * count)
    assert kept == [False] * (count - 1) + [True]
    assert max(held) <= 1_024


def find_kept(
    folder: Path,
    keys: ArrayLike,
    codes: ArrayLike,
    canonical: NDArray[np.uint32] | None = None,
) -> list[bool]:
    """Return which rows stay of a list that is stored in two pieces."""
    store = RowStore(folder)
    all_keys, all_codes = np.array(keys, np.uint64), np.array(codes, np.uint32)
    for some in np.array_split(np.arange(len(all_keys)), 2):
        count = len(some)
        sizes, flags = np.full(count, 9, np.uint32), np.zeros(count, np.uint8)
        filled = np.full(count, 2, np.uint16)
        store.append(RowColumns(sizes, all_codes[some], flags, all_keys[some], filled))
    store.finish()
    if canonical is None:
        canonical = np.arange(all_codes.max(initial=0) + 1, dtype=np.uint32)
    with KeptRows(store, canonical, deduplicate=True, ranks=RowRanks()) as kept_rows:
        return (~kept_rows.wait(lambda: None)).tolist()


def test_blank_cells_lines_and_the_header_always_stay(tmp_path: Path) -> None:
    empty, fault = FAULT_CODES[Reason.EMPTY], FAULT_CODES[Reason.NO_AT_SIGN]
    codes = [HEADER, BLANK_LINE, BLANK_LINE, empty, empty, fault, fault, FIRST_DOMAIN]
    kept = [True, True, True, True, True, False, True, True]
    assert find_kept(tmp_path, [3] * len(codes), codes) == kept
