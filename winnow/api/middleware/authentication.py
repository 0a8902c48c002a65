"""Authentication of API requests: the key, and its rate limit, counted exactly."""

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

from starlette.requests import Request

from winnow.core.errors import KeyRejected, RateLimited
from winnow.core.identities import ApiKey
from winnow.services.services import Services

WINDOW_SECONDS = 60
KEYS_BEFORE_PRUNING = 1024


@dataclass(frozen=True, slots=True)
class Allowance:
    """Requests that a key has left. ``reset_seconds``: until the oldest one no longer counts."""

    limit: int
    remaining: int
    reset_seconds: int
    is_exceeded: bool = False

    def check(self) -> None:
        """Raise RateLimited where the request was one too many."""
        if self.is_exceeded:
            msg = (
                f"{self.limit} requests a minute are allowed. "
                f"Try again in {self.reset_seconds} seconds."
            )
            raise RateLimited(msg, retry_after_seconds=self.reset_seconds, limit=self.limit)

    def headers(self) -> dict[bytes, bytes]:
        """Return the ``RateLimit-`` headers (draft-ietf-httpapi-ratelimit-headers-07)."""
        return {
            b"ratelimit-limit": b"%d" % self.limit,
            b"ratelimit-remaining": b"%d" % self.remaining,
            b"ratelimit-reset": b"%d" % self.reset_seconds,
            b"ratelimit-policy": b"%d;w=%d" % (self.limit, WINDOW_SECONDS),
        }


class RateLimiter:
    """Counts requests by key in memory, until a restart. Thread-safe.

    Refused requests are not counted, so a client that waits ``Retry-After`` is accepted.
    """

    def __init__(self, limit_per_minute: int) -> None:
        self._limit = limit_per_minute
        self._times: dict[str, deque[float]] = {}
        self._lock = Lock()

    def take(self, key: str, now_seconds: float) -> Allowance:
        """Count one request, and return what is left then.

        Args:
            key: What is counted by, an API key's prefix.
            now_seconds: A monotonic clock.
        """
        with self._lock:
            times = self._times.get(key)
            if times is None:
                self._prune(now_seconds)
                times = self._times[key] = deque()
            _forget(times, now_seconds)
            taken = len(times) < self._limit
            if taken:
                times.append(now_seconds)
            reset_seconds = max(1, math.ceil(times[0] + WINDOW_SECONDS - now_seconds))
            return Allowance(
                self._limit, self._limit - len(times), reset_seconds, is_exceeded=not taken
            )

    def _prune(self, now_seconds: float) -> None:
        if len(self._times) < KEYS_BEFORE_PRUNING:
            return
        for key in list(self._times):
            _forget(self._times[key], now_seconds)
            if not self._times[key]:
                del self._times[key]


def _forget(times: deque[float], now_seconds: float) -> None:
    while times and times[0] <= now_seconds - WINDOW_SECONDS:
        times.popleft()


@dataclass(eq=False, repr=False)
class Authentication:
    """Admits requests by ``X-API-Key`` and the rate limit. Thread-safe."""

    services: Callable[[], Services]
    limiter: RateLimiter | None
    monotonic: Callable[[], float]

    def __post_init__(self) -> None:
        self._act_as = lru_cache(KEYS_BEFORE_PRUNING)(lambda caller: self.services().act_as(caller))

    def act_for(self, key: ApiKey) -> Services:
        """Return the services as a key may use them; the same for each request of the key."""
        return self._act_as(self.services().keys.identify(key))

    def admit(self, request: Request, use_case: Callable[..., object] | None = None) -> ApiKey:
        """Return the caller's key; blocks on the database, so call it in a thread.

        ``use_case`` is what the request is for, where its body is read before that is called.

        Raises:
            KeyRejected: No key, more than one, or one that is not accepted.
            RoleRefused: The key's person has not that use case.
            RateLimited: One request too many; the answer carries the allowance either way.
        """
        texts = request.headers.getlist("x-api-key")
        if len(texts) > 1:
            raise KeyRejected("The request carries more than one X-API-Key header.")
        key = self.services().keys.authenticate("".join(texts))
        if self.limiter is not None:
            allowance = self.limiter.take(key.prefix, self.monotonic())
            request.scope["winnow.allowance"] = allowance
            allowance.check()
        if use_case is not None:
            services = self.services()
            services.require(services.keys.identify(key), use_case)
        return key
