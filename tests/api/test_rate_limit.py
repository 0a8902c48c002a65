"""The rate limit counts the last sixty seconds, exactly."""

from winnow.api.middleware.authentication import KEYS_BEFORE_PRUNING, RateLimiter


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
