"""Cells side by side, found the quick way as by a plain loop."""

import numpy as np
import pytest

from winnow.lists.text.gathered_cells import GatheredCells, gather_cells


@pytest.mark.parametrize("is_in_step", [True, False])
def test_rows_of_places(is_in_step: bool) -> None:
    pick = np.random.default_rng(5)
    kinds = [1, 1, 1, 1, 1, 1, 1, 0, 2] if is_in_step else [0, 1, 2, 70]
    for count in (1, 2, 63, 64, 65, 128, 300):
        for share in (0.05, 0.5, 0.98, 1):
            sizes = pick.choice(kinds, count)
            offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
            cells = GatheredCells(np.zeros(offsets[-1], np.uint8), offsets)
            places = np.flatnonzero(pick.random(offsets[-1]) < share)
            wanted = np.repeat(np.arange(count), sizes)[places]
            assert cells.find_rows(places).tolist() == wanted.tolist()


@pytest.mark.parametrize("count", [0, 1, 2, 64])
def test_cells_that_are_all_empty(count: int) -> None:
    bounds = np.arange(1, count + 1)
    cells = gather_cells(np.full(count + 1, 44, np.uint8), bounds, bounds)
    assert len(cells.lowered) == 0
    assert cells.offsets.tolist() == [0] * (count + 1)
