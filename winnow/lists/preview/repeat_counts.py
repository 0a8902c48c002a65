"""How often addresses stand in a list, told from how often they are met in a sample of it.

An address that stands m times is met j times with the binomial chance of j in m at the sample's
share. How many addresses stand once, twice, … is what makes the numbers met most likely: the
maximum-likelihood mixture over a grid of m, found by expectation-maximisation (the way to count
unseen species of Norris and Pollock, 1998). Poisson draws of the numbers met say how much of it is
chance; what the grid and a small sample leave open, ``OPEN`` allows for.
"""

from dataclasses import dataclass
from math import lgamma

import numpy as np
from numpy.typing import NDArray

MET_MAX = 40  # an address met more often is counted by itself
OPEN = 0.2
_DRAWS = 40
_ROUNDS = 2_000
_GRID = 26
_SEED = 11

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RepeatCounts:
    """The rows beyond each address's last one: the likely number and its bounds.

    ``worth[j]`` is how many of them an address that was met j times stands for: one that was met
    once only tells nothing of those that go, since most that are met once stand once.
    """

    likely: float
    low: float
    high: float
    worth: Floats


def fit_repeats(met: NDArray[np.int64], share: float) -> RepeatCounts:
    """Tell how many rows go.

    Args:
        met: How often each address was met, 1 to MET_MAX.
        share: The sample's share of the list, above 0 and below 1.
    """
    if not len(met):
        return RepeatCounts(0.0, 0.0, 0.0, np.zeros(MET_MAX + 1))
    counts = np.bincount(met, minlength=MET_MAX + 1)[1:].astype(np.float64)
    times = _choose_grid(int(met.max()), share)
    chances = _find_chances(times, share)
    draws = np.random.default_rng(_SEED).poisson(counts, (_DRAWS, MET_MAX))
    weights = _maximise(np.vstack([counts, draws]), times, chances[:, 1:], len(met) / share)
    gone = (weights * chances.sum(axis=1)) @ (times - 1.0)  # those met more often are not in here
    found = weights[0][:, None] * chances
    again = np.maximum(chances[:, 2:].sum(axis=1), np.finfo(float).tiny)
    each = found * ((times - 1.0) / again)[:, None]
    each[:, :2] = 0.0
    worth = each.sum(axis=0) / np.maximum(found.sum(axis=0), np.finfo(float).tiny)
    return RepeatCounts(
        float(gone[0]), float(gone.min()) / (1 + OPEN), float(gone.max()) * (1 + OPEN), worth
    )


def _choose_grid(most_met: int, share: float) -> NDArray[np.int64]:
    top = max(8.0, 2 * most_met / share)
    return np.unique(np.concatenate([np.arange(1, 7), np.geomspace(7, top, _GRID - 6)]).astype(int))


def _find_chances(times: NDArray[np.int64], share: float) -> Floats:
    """Return the chance of each number met, 0 to MET_MAX, by how often an address stands."""
    chances = np.zeros((len(times), MET_MAX + 1))
    for row, number in enumerate(times.tolist()):
        for met in range(min(number, MET_MAX) + 1):
            ways = lgamma(number + 1) - lgamma(met + 1) - lgamma(number - met + 1)
            log = ways + met * np.log(share) + (number - met) * np.log1p(-share)
            chances[row, met] = np.exp(log)
    return chances


def _maximise(counts: Floats, times: NDArray[np.int64], chances: Floats, rows: float) -> Floats:
    """Return how many addresses stand each number of times, for each row of counts."""
    weights = np.tile(1 / times**2.0, (len(counts), 1))
    weights *= rows / (weights @ times)[:, None]
    seen = np.maximum(chances.sum(axis=1), np.finfo(float).tiny)
    for _ in range(_ROUNDS):
        expected = np.maximum(weights @ chances, np.finfo(float).tiny)
        weights *= (counts / expected) @ chances.T / seen
    return weights
