"""Labels near a target, and members of a set of hashes, found many at once."""

import random

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from winnow.domain_data.look_up.bulk_look_up import HashSet, NearLabels
from winnow.domain_data.look_up.misspellings import leave_one_out

LABELS = st.lists(st.text("ab1-", min_size=4, max_size=8), max_size=30)
HASHES = arrays.arrays(np.uint32, st.integers(0, 40), elements=st.integers(0, 2**32 - 1))


def spell_forms(label: str) -> set[str]:
    return {label, *leave_one_out(label)}


def find_near(targets: list[str], labels: list[str]) -> set[str]:
    found = NearLabels(targets).find(pl.Series(labels, dtype=pl.String))
    return {labels[place] for place in found.tolist()}


@given(LABELS, LABELS)
def test_near_are_those_that_share_a_form(targets: list[str], labels: list[str]) -> None:
    forms = {form for target in targets for form in spell_forms(target)}
    near = {label for label in labels if spell_forms(label) & forms}
    assert find_near(targets, labels) == near  # no two of these few have one hash


def test_few_are_found_in_vain() -> None:
    pick = random.Random(3)  # made-up data
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    drawn = ["".join(pick.choices(letters, k=pick.randrange(8, 13))) for _ in range(20_000)]
    found = find_near(["hotmail", "googlemail", "protonmail"], [*drawn, "hotmial", "gogglemail"])
    assert {"hotmial", "gogglemail"} <= found
    assert len(found) < 30


@given(HASHES, HASHES, st.integers(1, 8))
def test_hashes_are_found_like_members_of_a_set(
    members: NDArray[np.uint32], others: NDArray[np.uint32], bits: int
) -> None:
    hashes = np.concatenate((others, members[::2]))
    found = HashSet(members, bits=bits).find(hashes).tolist()
    expected = set(members.tolist())
    assert found == [place for place, one in enumerate(hashes.tolist()) if one in expected]
