"""The last row of each address, found by partitions and slots as by a plain loop."""

from pathlib import Path

import numpy as np
import pytest

from backend.files.engine import duplicates
from backend.files.engine.address_column import FIRST_DOMAIN
from backend.files.engine.duplicates import KeptRows
from backend.files.engine.row_store import RowColumns, RowStore

ROW_COUNT = 5_000


@pytest.mark.parametrize("rows_per_group", [100, 1_000, ROW_COUNT])
@pytest.mark.parametrize("key_count", [3, 700, 1 << 62])
def test_last_rows_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows_per_group: int, key_count: int
) -> None:
    monkeypatch.setattr(duplicates, "ROWS_PER_GROUP", rows_per_group)
    monkeypatch.setattr(duplicates, "_ROWS_PER_READ", 1_024)
    pick = np.random.default_rng(7)
    keys = pick.integers(0, key_count, ROW_COUNT, np.uint64) * np.uint64(0x5851F42D4C957F2D)
    codes = pick.integers(0, 9, ROW_COUNT).astype(np.uint32) + np.uint32(FIRST_DOMAIN)
    canonical = np.arange(FIRST_DOMAIN + 9, dtype=np.uint32)
    canonical[FIRST_DOMAIN + 8] = FIRST_DOMAIN  # two spellings of one domain
    store = RowStore(tmp_path)
    for start in range(0, ROW_COUNT, 1_500):
        some = slice(start, start + 1_500)
        count = len(keys[some])
        store.append(
            RowColumns(
                np.full(count, 9, np.uint32),
                codes[some],
                np.zeros(count, np.uint8),
                keys[some],
                np.full(count, 2, np.uint16),
            )
        )
    store.finish()
    with KeptRows(store, canonical, deduplicate=True) as kept_rows:
        is_kept = kept_rows.wait(lambda: None)
    last = dict(
        zip(
            zip(keys.tolist(), canonical[codes].tolist(), strict=True),
            range(ROW_COUNT),
            strict=True,
        )
    )
    assert np.flatnonzero(is_kept).tolist() == sorted(last.values())
