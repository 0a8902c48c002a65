"""Texts, and hashes, have the numbers that a plain dictionary would give them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.lists.engine import hash_numbers
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
