"""Forecast of hard bounces: the range by its formula, and what it is silent about."""

from math import exp, lgamma

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from winnow.core.lists.bounce_forecast import (
    FEWEST_KNOWN,
    FEWEST_MAILED,
    BounceForecast,
    forecast_bounces,
    predict_range,
)
from winnow.core.lists.side_files import MailCount, MailKind, MailOutcome
from winnow.core.verdicts.domain_types import DomainType

HARD, SOFT, DELIVERED, *_ = MailOutcome
GMAIL, WEB = MailKind("gmail.com", DomainType.FREE), MailKind("web.de", DomainType.FREE)
OTHER_FREE, OWN = MailKind("", DomainType.FREE), MailKind("", DomainType.UNLISTED)


def count(arrived: int, hard: int = 0, kind: MailKind = GMAIL, month: str = "2026-05") -> tuple:
    """Return what a file says of a kind in a month."""
    counts = {DELIVERED: arrived, HARD: hard}
    return tuple(MailCount(kind, month, *one) for one in counts.items() if one[1])


def predict_slowly(known: int, hard: int, new: int) -> tuple[int, int]:
    """Return the range by the beta-binomial distribution as books write it, from 0 on."""

    def log_beta(x: float, y: float) -> float:
        return lgamma(x) + lgamma(y) - lgamma(x + y)

    a, b = hard + 0.5, known - hard + 0.5
    total, found = 0.0, []
    for k in range(new + 1):
        ways = lgamma(new + 1) - lgamma(k + 1) - lgamma(new - k + 1)
        total += exp(ways + log_beta(a + k, b + new - k) - log_beta(a, b))
        if total >= (0.025, 0.975)[len(found)]:
            found.append(k)
        if len(found) == 2:
            break
    return found[0], found[-1]


@pytest.mark.parametrize(
    "group",
    [
        *((500, 0, 100), (500, 10, 2000), (800, 800, 100), (1000, 999, 1000), (500, 250, 300)),
        *((12_400, 233, 4_021), (500, 3, 20_000)),
    ],
)
def test_the_range_is_that_of_the_beta_binomial_distribution(group: tuple[int, int, int]) -> None:
    assert predict_range([group]) == predict_slowly(*group)


def test_groups_that_are_alike_are_nearly_one() -> None:
    assert predict_range([(12_400, 233, 4_021)]) == (57, 96), "as the issue had it"
    assert predict_range([(6_200, 117, 2_010), (6_200, 116, 2_011)]) == (57, 97)
    low, high = predict_range([(600, 6, 500), (600, 300, 500)])
    assert low < 255 < high < 5 + 300


def test_a_group_of_which_little_is_known_keeps_its_long_tail_in_a_mix() -> None:
    """Previously 7 % of such mixes bounced more often than the range said."""
    alone = predict_range([(840, 2, 18_023)])
    for certain in ((667, 404, 94), (200_000, 190_000, 100)):
        known, hard, new = certain
        low, high = predict_range([(840, 2, 18_023), certain])
        assert high - alone[1] >= int(new * hard / known)
        assert low - alone[0] <= int(new * hard / known) + 1


@given(
    st.lists(
        st.tuples(
            *(st.sampled_from((FEWEST_KNOWN, 2_000, 200_000, 2_000_000)), st.floats(0, 1)),
            st.sampled_from((1, 20, 100, 3_000)),
        ),
        min_size=1,
        max_size=6,
    )
)
@example([(2_000_000, 0.95, 20), (2_000_000, 0.0, 1_000)])
@example([(500, 0.0, 3_000)] * 6)
@example([(2_000_000, 1.0, 1), (2_000_000, 0.0, 100)])
def test_any_mix_has_a_range_around_what_is_expected(mix: list[tuple[int, float, int]]) -> None:
    kinds = [MailKind(f"{number}.example", DomainType.FREE) for number in range(len(mix))]
    counts = [
        count(known - round(known * share), round(known * share), kind)
        for kind, (known, share, _) in zip(kinds, mix, strict=True)
    ]
    delivered = count(10**9, kind=OWN)  # so that the month counts
    rows = {kind: new for kind, (_, _, new) in zip(kinds, mix, strict=True)}
    found = forecast_bounces(rows, [sum(counts, delivered)])
    if sum(rows.values()) < FEWEST_MAILED:
        assert found is None
        return
    assert found is not None
    expected = found.share * found.mailed
    assert 0 <= found.low <= expected + 1e-6
    assert expected - 1e-6 <= found.high <= found.mailed


@pytest.mark.parametrize(
    ("rows", "files", "expected"),
    [
        pytest.param({GMAIL: 400}, [count(588, 12)], (600, 12, 0.02, 400), id="one-kind"),
        pytest.param({GMAIL: 400}, [count(487, 12)], None, id="thin"),
        pytest.param({GMAIL: 99}, [count(588, 12)], None, id="a-short-list"),
        pytest.param({OWN: 400}, [count(588, 12)], None, id="nothing-known-of-its-kind"),
        pytest.param({GMAIL: 400}, [count(0, 600)], None, id="bounces-alone"),
        pytest.param({GMAIL: 400}, [count(600)], (600, 0, 0.0, 400), id="deliveries-alone"),
        pytest.param(
            {GMAIL: 400},
            [count(588), count(0, 12), count(0, 700, month="2026-04"), count(0, 9, month="")],
            (600, 12, 0.02, 400),
            id="bounces-in-a-file-of-their-own-count-in-months-with-deliveries",
        ),
        pytest.param(
            {GMAIL: 400},
            [count(588, month=""), count(0, 12, month="")],
            (588, 0, 0.0, 400),
            id="undated-files-are-apart",
        ),
        pytest.param(
            {GMAIL: 100, OWN: 300},
            [count(990, 10), count(900, 100, OWN)],
            (2000, 110, 0.0775, 400),
            id="by-the-list's-mix",
        ),
        pytest.param(
            {GMAIL: 100, OWN: 300, WEB: 50},
            [count(300), count(290, 10, OWN), count(20, 10, OTHER_FREE)],
            (630, 20, 20 / 630, 450),
            id="rare-kinds-are-one",
        ),
    ],
)
def test_enough_must_be_known(
    rows: dict[MailKind, int],
    files: list[tuple[MailCount, ...]],
    expected: tuple[int, int, float, int] | None,
) -> None:
    found = forecast_bounces(rows, files)
    if expected is None:
        assert found is None
    else:
        assert isinstance(found, BounceForecast)
        assert (found.known, found.hard, found.mailed) == (*expected[:2], expected[3])
        assert found.share == pytest.approx(expected[2])
        assert 0 <= found.low < found.high
