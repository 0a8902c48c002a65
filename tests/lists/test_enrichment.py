"""Where bad rows gather: the test's exactness, what is planted, what chance alone makes."""

from collections.abc import Sequence
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.own_columns import (
    FALSE_DISCOVERY_RATE,
    LEAST_TIMES,
    SMALLEST_GROUP,
    Dirt,
    Hotspot,
)
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.grounds import Ground
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category, Verdict
from winnow.lists.result.enrichment import find_chances, find_hotspots, find_limit
from winnow.lists.result.own_columns import ValueTable

CLEAN = Verdict(Category.WHITE, DomainType.FREE, (Reason.FREE_PROVIDER,))
ROLE = Verdict(Category.WHITE, DomainType.UNLISTED, (Reason.UNLISTED, Reason.ROLE_ACCOUNT))
DISPOSABLE = Verdict(Category.BLACK, DomainType.DISPOSABLE, (Reason.DISPOSABLE_LISTED,))
INVALID = Verdict(Category.BLACK, DomainType.INVALID, (Reason.NO_AT_SIGN,))
MISSPELT = Verdict(Category.GREY, DomainType.MASKED, (Reason.CLOSE_MISSPELLING,))
VERDICTS = (CLEAN, ROLE, DISPOSABLE, INVALID, MISSPELT)
RATES = (0.85, 0.05, 0.05, 0.03, 0.02)


def _find(
    tables: Sequence[Sequence[Sequence[int]]], policy: CleaningPolicy | None = None
) -> tuple[Hotspot, ...]:
    """Return what is found in columns given as counts by value and outcome."""
    counts = [np.array(table, np.int64) for table in tables]
    made = [
        ValueTable(column, tuple(f"value {n}" for n in range(len(table))), table)
        for column, table in enumerate(counts)
    ]
    rows = counts[0].sum(axis=0)
    names = [f"column {n}" for n in range(len(tables))]
    return find_hotspots(made, VERDICTS, policy or CleaningPolicy(), names, int(rows.sum()), rows)


@given(st.data())
def test_chances_are_those_of_all_ways_counted(data: st.DataObject) -> None:
    whole = data.draw(st.integers(2, 150))
    dirty = data.draw(st.integers(1, whole))
    rows = data.draw(st.integers(1, whole))
    hits = data.draw(st.integers(max(0, rows + dirty - whole), min(rows, dirty)))
    found = find_chances(np.array([hits]), np.array([rows]), dirty, whole)[0]
    ways = sum(
        comb(dirty, n) * comb(whole - dirty, rows - n) for n in range(hits, min(rows, dirty) + 1)
    )
    if hits * whole < LEAST_TIMES * rows * dirty:
        assert found == 1
    else:
        assert found == pytest.approx(ways / comb(whole, rows), rel=1e-9)


@pytest.mark.parametrize(
    ("hits", "rows", "dirty", "whole"), [(640, 4_000, 20_000, 200_000), (60, 60, 70, 200_000)]
)
def test_chances_of_large_lists(hits: int, rows: int, dirty: int, whole: int) -> None:
    found = find_chances(np.array([hits]), np.array([rows]), dirty, whole)[0]
    most = min(rows, dirty, hits + 300)
    ways = sum(comb(dirty, n) * comb(whole - dirty, rows - n) for n in range(hits, most + 1))
    assert found == pytest.approx(float(Fraction(ways, comb(whole, rows))), rel=1e-6)


@pytest.mark.parametrize(
    ("chances", "limit"),
    [
        pytest.param([0.01, 0.02, 0.03, 0.04, 0.05], 0.05, id="step-up-takes-all"),
        pytest.param([0.011, 0.021, 0.9, 0.9], 0.021, id="two-of-four"),
        pytest.param([0.02, 0.9, 0.9], -1, id="too-many-asked"),
        pytest.param([1.0], -1, id="never-certainty"),
    ],
)
def test_discoveries_are_those_of_benjamini_and_hochberg(
    chances: list[float], limit: float
) -> None:
    assert find_limit(np.array(chances)) == limit


def _make_null(rng: np.random.Generator, values: int, rows: int) -> list[list[int]]:
    sizes = rng.multinomial(rows, rng.dirichlet(np.ones(values)))
    counts: list[list[int]] = [rng.multinomial(size, RATES).tolist() for size in sizes]
    return counts


def _split_again(rng: np.random.Generator, totals: Sequence[int], values: int) -> list[list[int]]:
    """Put the same rows under the values of another column, by chance."""
    shares = rng.dirichlet(np.ones(values))
    split: list[list[int]] = np.array([rng.multinomial(one, shares) for one in totals]).T.tolist()
    return split


def test_chance_alone_is_hardly_ever_told() -> None:
    rng = np.random.default_rng(20261122)
    lists = 400
    wrong = 0
    for _ in range(lists):
        first = _make_null(rng, 12, 5_000)
        totals = np.sum(first, axis=0).tolist()
        tables = [first, _split_again(rng, totals, 40), _split_again(rng, totals, 5)]
        wrong += bool(_find(tables))
    assert wrong / lists < FALSE_DISCOVERY_RATE


def test_what_is_planted_is_found_and_little_else() -> None:
    rng = np.random.default_rng(5)
    false = total = missed = 0
    for _ in range(200):
        first = _make_null(rng, 30, 20_000)
        first[3] = rng.multinomial(600, (0.55, 0.05, 0.35, 0.03, 0.02)).tolist()
        first[7] = rng.multinomial(400, (0.77, 0.05, 0.05, 0.03, 0.1)).tolist()
        found = _find([first])
        planted = {(one.value.number, one.dirt) for one in found}
        missed += (3, Dirt.DISPOSABLE) not in planted
        missed += (7, Dirt.MISSPELT) not in planted
        false += sum(one.value.number not in (3, 7) for one in found)
        total += len(found)
    assert missed == 0
    assert false / total < FALSE_DISCOVERY_RATE


def test_what_is_said_of_a_value() -> None:
    rest = [9_000, 100, 60, 40, 10]
    (found,) = _find([[rest, [560, 10, 140, 5, 1]]])
    assert (found.column, found.text, found.dirt) == ("column 0", "value 1", Dirt.DISPOSABLE)
    assert (found.hits, found.dirty, found.rows) == (140, 200, 716)
    assert found.whole == sum(rest) + 716
    assert found.times == pytest.approx((140 / 200) / (716 / found.whole))


def test_a_value_whose_dirt_is_mixed_is_told_as_removed() -> None:
    (found,) = _find(
        [[[20_000, 50, 200, 200, 5], [300, 1, 60, 60, 60]]],
        CleaningPolicy(frozenset({Ground.BLACK, Ground.MASKED})),
    )
    assert (found.dirt, found.hits) == (Dirt.REMOVED, 180)


def test_the_most_rows_come_first() -> None:
    rest = [50_000, 100, 100, 40, 10]
    found = _find([[rest, [100, 0, 90, 0, 0], [3_000, 0, 400, 0, 0], [10, 0, 30, 0, 0]]])
    assert [one.hits for one in found] == [400, 90, 30]


@pytest.mark.parametrize(
    "counts",
    [
        pytest.param([[9_000, 0, 50, 0, 0], [0, 0, SMALLEST_GROUP - 1, 0, 0]], id="too-few-rows"),
        pytest.param([[90_000, 0, 9_000, 0, 0], [60_000, 0, 8_000, 0, 0]], id="not-far-enough"),
        pytest.param([[900, 0, 90, 0, 0]], id="one-value"),
        pytest.param([[900, 0, 0, 0, 0], [500, 0, 0, 0, 0]], id="nothing-bad"),
    ],
)
def test_what_is_not_told(counts: list[list[int]]) -> None:
    assert _find([counts]) == ()
    assert find_hotspots([], VERDICTS, CleaningPolicy(), (), 0, np.zeros(5, np.int64)) == ()
