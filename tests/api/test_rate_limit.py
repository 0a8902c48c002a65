"""The rate limit counts the last sixty seconds, exactly."""

import pytest

from winnow.api.middleware.authentication import KEYS_BEFORE_PRUNING, RateLimiter
from winnow.core.errors import RateLimited


def test_one_request_too_many_is_refused_until_the_oldest_is_forgotten() -> None:
    limiter = RateLimiter(3)
    for second in (0.0, 10.0, 20.0):
        allowance = limiter.take("k", second)
        assert allowance is not None
        allowance.check()
    assert allowance.remaining == 0
    refused = limiter.take("k", 30.5)
    assert refused is not None
    with pytest.raises(RateLimited) as caught:
        refused.check()
    assert caught.value.retry_after_seconds == 30  # the request at 0 s is forgotten at 60 s
    again = limiter.take("k", 60.0)
    assert again is not None
    again.check()


def test_refused_requests_are_not_counted() -> None:
    limiter = RateLimiter(1)
    for second in range(60):
        limiter.take("k", float(second))
    allowance = limiter.take("k", 60.0)
    assert allowance is not None
    assert not allowance.is_exceeded


def test_headers_tell_limit_rest_and_reset() -> None:
    allowance = RateLimiter(100).take("k", 5.0)
    assert allowance is not None
    assert dict(allowance.headers()) == {
        b"ratelimit-limit": b"100",
        b"ratelimit-remaining": b"99",
        b"ratelimit-reset": b"60",
        b"ratelimit-policy": b"100;w=60",
    }


def test_idle_keys_are_forgotten() -> None:
    limiter = RateLimiter(5)
    for number in range(KEYS_BEFORE_PRUNING):
        limiter.take(f"key {number}", 0.0)
    limiter.take("one more", 100.0)
    assert len(limiter._times) == 1
