"""Authentication of API requests: the key, and its rate limit."""

from collections.abc import Callable

from starlette.requests import Request

from winnow.api.middleware.rate_limit import RateLimiter
from winnow.core.accounts import ApiKey
from winnow.core.errors import KeyRejected
from winnow.services.services import Services


class Authentication:
    """Admits requests by ``X-API-Key`` and the rate limit. Thread-safe."""

    def __init__(
        self, services: Callable[[], Services], limiter: RateLimiter, monotonic: Callable[[], float]
    ) -> None:
        self._services = services
        self._limiter = limiter
        self._monotonic = monotonic

    def read_key(self, request: Request) -> str:
        """Return the key in the header, ``""`` without one.

        Raises:
            KeyRejected: There is more than one.
        """
        texts = [value for name, value in request.scope["headers"] if name == b"x-api-key"]
        if len(texts) > 1:
            raise KeyRejected("The request carries more than one X-API-Key header.")
        return texts[0].decode("latin-1") if texts else ""

    def admit(self, request: Request) -> ApiKey:
        """Return the caller's key; blocks on the database, so call it in a thread.

        Raises:
            KeyRejected: No key, more than one, or one that is not accepted.
            RateLimited: One request too many; the answer carries the allowance either way.
        """
        key = self._services().keys.authenticate(self.read_key(request))
        allowance = self._limiter.take(key.prefix, self._monotonic())
        if allowance is not None:
            request.scope["winnow.allowance"] = allowance
            allowance.check()
        return key
