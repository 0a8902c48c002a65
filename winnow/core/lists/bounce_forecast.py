"""Forecast of hard bounces: what mail to addresses of the same kinds did, by imported files."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, starmap
from math import ceil, exp, log, sqrt
from typing import NamedTuple

from winnow.core.lists.side_files import MailCount, MailKind, MailOutcome
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.verdict import Verdict

FEWEST_KNOWN = 500  # addresses of a kind that are known, or of all rarer kinds together
FEWEST_MAILED = 100  # rows of a list: a range for fewer says nothing
_PRIOR = 0.5  # Jeffreys' for a share: Brown, Cai, DasGupta, Statistical Science 16 (2001), 101-133
_TAIL = 0.025  # at each end of a range of 95 %
_ROUNDING = 1e-6  # of sums of floats
_REACH = 12  # standard deviations, beyond which nothing counts


@dataclass(frozen=True, slots=True)
class BounceForecast:
    """Forecast for the rows of a list that are mailed: ``low`` to ``high`` of ``mailed`` bounce.

    ``hard`` of ``known`` addresses of their kinds did; ``share`` is that by the list's own mix of
    kinds.
    """

    known: int
    hard: int
    share: float
    mailed: int
    low: int
    high: int


class _Group(NamedTuple):
    """Addresses of like kinds: mailed once, of these bounced, and to be mailed."""

    known: int
    hard: int
    mailed: int


def find_kind(verdict: Verdict, domain: str) -> MailKind:
    """Return the kind of an address: only public mailbox providers are named."""
    kind = verdict.domain_type
    if kind is DomainType.BUSINESS:
        kind = DomainType.UNLISTED  # which of the two, DNS decides
    return MailKind(domain if kind is DomainType.FREE else "", kind)


def forecast_bounces(
    rows: Mapping[MailKind, int], files: Iterable[Sequence[MailCount]]
) -> BounceForecast | None:
    """Return how many rows of a list bounce for good with a chance of 95 %; None: too few known.

    Args:
        rows: The rows to mail by kind. Kinds without counts are left out.
        files: The counts of each imported file.
    """
    groups = _group(rows, _pool(files))
    mailed = sum(one.mailed for one in groups)
    if mailed < FEWEST_MAILED:
        return None
    low, high = predict_range(groups)
    share = sum(one.mailed * one.hard / one.known for one in groups) / mailed
    known, hard = sum(one.known for one in groups), sum(one.hard for one in groups)
    low = min(low, int(mailed * share))
    high = min(mailed, max(high, low + 1, ceil(mailed * share)))
    return BounceForecast(known, hard, share, mailed, low, high)


def predict_range(groups: Sequence[tuple[int, int, int]]) -> tuple[int, int]:
    """Return the central 95 % prediction range of the bounces among new addresses.

    The distances of the groups' own limits from what is expected of them are added as squares (Zou
    and Donner, Statistics in Medicine 27 (2008), 1693-1702), so that a sum is as skewed as they
    are.

    Args:
        groups: Of each kind the addresses known, those that bounced, and the new ones.
    """
    found = list(starmap(_predict, groups))
    expected = sum(one for one, _, _ in found)
    below = sqrt(sum(max(0, one - low) ** 2 for one, low, _ in found))
    above = sqrt(sum(max(0, high - one) ** 2 for one, _, high in found))
    return max(0, int(expected - below + _ROUNDING)), ceil(expected + above - _ROUNDING)


def _predict(known: int, hard: int, new: int) -> tuple[float, int, int]:
    """Return what is expected of one group, and its range of 95 %.

    The posterior predictive distribution under Jeffreys' prior is beta-binomial (Gelman et al.,
    Bayesian Data Analysis, 3rd edition, 2.4 and table A.2).
    """
    a, b = hard + _PRIOR, known - hard + _PRIOR
    size = a + b
    expected = new * a / size
    reach = _REACH * sqrt(expected * b / size * (size + new) / (size + 1))
    first, last = max(0, int(expected - reach)), min(new, int(expected + reach) + 1)
    steps = (
        log((new - one) * (a + one) / ((one + 1) * (b + new - one - 1)))
        for one in range(first, last)
    )
    logs = list(accumulate(steps, initial=0.0))
    peak = max(logs)
    sums = list(accumulate(exp(one - peak) for one in logs))
    low, high = (
        next(place for place, one in enumerate(sums, first) if one >= tail * sums[-1])
        for tail in (_TAIL, 1 - _TAIL)
    )
    return expected, low, high


def _pool(files: Iterable[Sequence[MailCount]]) -> Mapping[MailKind, Counter[MailOutcome]]:
    """Return the counts of all files by kind and outcome.

    A month counts where more mail arrived than bounced: of others the deliveries are not known.
    Undated lines are a month of their file.
    """
    months: dict[str, list[MailCount]] = defaultdict(list)
    for number, counts in enumerate(files):
        for one in counts:
            months[one.month or f"{number}"].append(one)
    found: dict[MailKind, Counter[MailOutcome]] = defaultdict(Counter)
    for some in months.values():
        arrived = sum(one.addresses for one in some if one.outcome is MailOutcome.DELIVERED)
        if 2 * arrived > sum(one.addresses for one in some):
            for one in some:
                found[one.kind][one.outcome] += one.addresses
    return found


def _group(
    rows: Mapping[MailKind, int], known: Mapping[MailKind, Counter[MailOutcome]]
) -> list[_Group]:
    """Return the kinds of which enough is known, and all others as one, if that is enough."""
    wanted: Counter[MailKind] = Counter()
    for kind, count in rows.items():
        wanted[kind if kind in known else kind._replace(provider="")] += count
    groups = [
        _Group(known[kind].total(), known[kind][MailOutcome.HARD], count)
        for kind, count in wanted.items()
        if kind in known
    ]
    found = [one for one in groups if one.known >= FEWEST_KNOWN]
    others = [one for one in groups if one.known < FEWEST_KNOWN]
    rest = _Group(*map(sum, zip(*others, strict=True))) if others else _Group(0, 0, 0)
    return [*found, rest] if rest.known >= FEWEST_KNOWN else found
