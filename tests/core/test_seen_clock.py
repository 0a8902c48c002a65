"""Whether a machine's clock is believed: not between a leap and a day without another."""

from datetime import UTC, datetime, timedelta

import pytest

from winnow.core.seen_clock import begin_at

START = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("hours", "is_believed"),
    [
        pytest.param([0], True, id="a-new-folder"),
        pytest.param([24 * 7], True, id="a-week-later"),
        pytest.param([24 * 7 + 1], False, id="after-a-holiday"),
        pytest.param([9000], False, id="a-year-ahead"),
        pytest.param([9000, 9000, 9023.9], False, id="not-yet-a-day"),
        pytest.param([9000, 9024], True, id="twice-a-day-apart"),
        pytest.param([9000, 9001, 9002, 9024], True, id="all-day"),
        pytest.param([9000, 18_000, 18_023], False, id="another-leap"),
        pytest.param([9000, 18_000, 18_024], True, id="a-day-after-another-leap"),
        pytest.param([9000, 1], False, id="set-right-again"),
        pytest.param([9000, 1, 24.9], False, id="set-right-not-yet-a-day"),
        pytest.param([9000, 1, 25], True, id="set-right-a-day-ago"),
        pytest.param([9000, 9024, 1], False, id="wrong-for-a-day-then-right"),
        pytest.param([9000, 8990, 9023], False, id="set-back-a-little"),
        pytest.param([-9000], False, id="an-empty-battery"),
        pytest.param([100, 90, 250, 400], True, id="small-steps"),
        pytest.param([9000, 9100, 9350], False, id="a-leap-in-the-end"),
    ],
)
def test_it_is_believed_after_a_day_without_a_leap(hours: list[float], is_believed: bool) -> None:
    seen = begin_at(START)
    for hour in hours:
        seen = seen.read(START + timedelta(hours=hour))
    assert (seen.waits_until is None) is is_believed
    if seen.waits_until is not None:
        assert timedelta() < seen.waits_until - seen.last_at <= timedelta(days=1, hours=10)
