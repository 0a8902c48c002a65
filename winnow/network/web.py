"""Fetch of one small answer over https, with limits on size and redirects."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

import httpx

MAX_REDIRECTS = 3
CONNECT_SECONDS = 4.0
STEP_SECONDS = 10.0  # between two pieces; callers have a limit for the whole


class ClientUnavailable(Exception):
    """The environment allows no client; the text says why."""


class BadAnswer(Exception):
    """The answer cannot be used; the text says why and has nothing of the answer."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer: its status, and its body where the status is 200."""

    status: int
    retry_after: str | None
    body: bytes


def open_client() -> httpx.AsyncClient:
    """Return a client with the limits that ``fetch`` relies on.

    Raises:
        ClientUnavailable: The environment names a proxy of a kind that is not supported.
    """
    logging.getLogger("httpx").setLevel(logging.WARNING)  # its lines hold whole addresses
    headers = {
        "User-Agent": "Winnow",
        "Accept": "application/rdap+json, application/json",
        "Accept-Encoding": "identity",
    }
    try:
        timeout = httpx.Timeout(STEP_SECONDS, connect=CONNECT_SECONDS)
        return httpx.AsyncClient(headers=headers, timeout=timeout, follow_redirects=False)
    except (ImportError, ValueError, httpx.InvalidURL) as error:
        raise ClientUnavailable("the environment names a proxy that is not http") from error


def is_public_https(url: httpx.URL) -> bool:
    """Return whether an address is https at a host with a name in a top-level domain."""
    name, _, suffix = url.host.rpartition(".")
    return url.scheme == "https" and not url.userinfo and bool(name) and suffix[:1].isalpha()


async def fetch(
    client: httpx.AsyncClient,
    address: str,
    *,
    is_safe: Callable[[httpx.URL], bool],
    most_bytes: int,
) -> Fetched:
    """Fetch an address, redirects followed to safe addresses only.

    The caller limits the total time (``asyncio.timeout``).

    Raises:
        BadAnswer: No connection, an unsafe address, too many redirects, a packed or too large
            body.
    """
    try:
        url = httpx.URL(address)
        for _ in range(1 + MAX_REDIRECTS):
            if not is_safe(url):
                raise BadAnswer("the address leads away from https")
            async with client.stream("GET", url, follow_redirects=False) as answer:
                if not answer.has_redirect_location:
                    return await _read(answer, most_bytes)
                url = url.join(answer.headers["location"])
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError, ValueError) as error:
        raise BadAnswer(type(error).__name__) from error
    raise BadAnswer("too many redirects")


async def _read(answer: httpx.Response, most_bytes: int) -> Fetched:
    retry_after = answer.headers.get("retry-after")
    if answer.status_code != httpx.codes.OK:
        return Fetched(answer.status_code, retry_after, b"")
    if answer.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise BadAnswer("what came is packed")
    body = bytearray()
    async for piece in answer.aiter_raw():
        body += piece
        if len(body) > most_bytes:
            raise BadAnswer("more came than is read")
    return Fetched(answer.status_code, retry_after, bytes(body))
