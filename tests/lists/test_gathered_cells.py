"""Cells side by side, and the numbers of their domains, found the quick way as by a plain loop."""

import random

import numpy as np
import polars as pl
import pytest

from winnow.lists.engine import domain_texts
from winnow.lists.engine.domain_texts import DomainTexts
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


@pytest.mark.parametrize("slot_count", [2, 8, 64])
def test_numbers_stay_where_slots_are_short(
    slot_count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Texts that push one another out of the slots, and two that no hash could be told from."""
    monkeypatch.setattr(domain_texts, "_SLOT_COUNT", slot_count)
    monkeypatch.setattr(domain_texts, "_SLOT_MASK", np.uint64(slot_count - 1))
    texts = DomainTexts(7)
    pick = random.Random(5)
    met: dict[str, int] = {}
    for _ in range(160):
        names = pl.Series([f"@x{pick.randrange(90)}.de" for _ in range(pick.randrange(1, 60))])
        hashes = names.hash().to_numpy().copy()
        hashes[names.to_numpy() == "@x0.de"] = 0  # as in an empty slot
        hashes[names.to_numpy() == "@x1.de"] = ~np.uint64(0)  # as in the slot kept free of 0
        codes = texts.number_many(hashes, names.gather)
        assert texts.read(codes).to_list() == names.to_list()
        assert codes.tolist() == texts.number(names).tolist()
        assert codes.tolist() == [met.setdefault(name, 7 + len(met)) for name in names]
    assert len(texts) == 90
