"""Texts, and hashes, have the numbers that a plain dictionary would give them."""

import random

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.lists.engine import domain_texts, hash_numbers
from winnow.lists.engine.domain_texts import DomainTexts
from winnow.lists.engine.hash_numbers import HashNumbers

MANY = ~np.uint64(0)
HASHES = st.integers(1, 40) | st.integers(2**64 - 5, 2**64 - 1) | st.integers(1, 2**64 - 1)


@given(st.lists(st.lists(HASHES, max_size=30), max_size=12))
def test_hashes_are_numbered_as_they_come(batches: list[list[int]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hash_numbers, "_FIRST_SIZE", 4)  # it grows, and most stand in another's way
        table = HashNumbers()
    met: dict[int, int] = {}
    for batch in batches:
        first = [place for place, one in enumerate(batch) if one not in {*met, *batch[:place]}]
        numbers, new = table.number(np.array(batch, np.uint64))
        assert numbers.tolist() == [met.setdefault(one, len(met) + 1) for one in batch]
        assert new.tolist() == first
        assert len(table) == len(met)


def test_hash_of_nothing_counts_as_the_next() -> None:
    numbers, new = HashNumbers().number(np.array([0, 1, MANY, 0], np.uint64))
    assert (numbers.tolist(), new.tolist()) == ([1, 1, 2, 1], [0, 2])


@pytest.mark.parametrize("texts_in_piece", [1, 8, 1 << 16])
def test_texts_are_numbered_and_read(texts_in_piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(domain_texts, "_TEXTS_IN_PIECE", texts_in_piece)
    texts = DomainTexts(7)
    pick = random.Random(5)  # made-up data
    met: dict[str, int] = {}
    assert texts.read(np.empty(0, np.uint32)).to_list() == []
    for _ in range(160):
        names = pl.Series([f"@\u00fc{pick.randrange(900)}.de" for _ in range(pick.randrange(60))])
        names = names.cast(pl.String)
        codes = texts.number_many(names.hash().to_numpy(), names.gather)
        assert codes.tolist() == [met.setdefault(name, 7 + len(met)) for name in names]
        assert texts.read(codes).to_list() == names.to_list()
        assert texts.number(names).tolist() == codes.tolist()
    known = np.arange(7, 7 + len(texts), dtype=np.uint32)
    assert texts.read(known).to_list() == list(met)
