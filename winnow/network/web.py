"""Fetch of one answer over https, with limits on time, size and redirects."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import httpx

MAX_REDIRECTS = 3
CONNECT_SECONDS = 4.0
STEP_SECONDS = 10.0  # between two pieces; callers have a limit for the whole
LIST_MAX_BYTES = 20_000_000  # the largest list is about 1.5 MB
LIST_SECONDS = 60.0  # for the whole list; ends a slow drip
RDAP_TYPES = "application/rdap+json, application/json"


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


def open_client(accepts: str = RDAP_TYPES) -> httpx.AsyncClient:
    """Return a client with the limits that ``fetch`` relies on.

    Raises:
        ClientUnavailable: The environment names a proxy of a kind that is not supported. Without
            it, hosts would learn what the proxy hides from them.
    """
    logging.getLogger("httpx").setLevel(logging.WARNING)  # its lines hold whole addresses
    headers = {
        "User-Agent": "Winnow",
        "Accept": accepts,
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
                raise BadAnswer("the address leads away from https, or to another host")
            async with client.stream("GET", url, follow_redirects=False) as answer:
                if not answer.has_redirect_location:
                    return await _read(answer, most_bytes)
                url = url.join(answer.headers["location"])
    except httpx.TimeoutException as error:
        raise BadAnswer("no answer in time") from error
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError, ValueError) as error:
        raise BadAnswer("no connection") from error
    raise BadAnswer("too many redirects")


async def _read(answer: httpx.Response, most_bytes: int) -> Fetched:
    retry_after = answer.headers.get("retry-after")
    if answer.status_code != httpx.codes.OK:
        return Fetched(answer.status_code, retry_after, b"")
    if answer.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise BadAnswer("what came is packed")
    body = bytearray()
    async for piece in answer.aiter_bytes():  # nothing is compressed here
        body += piece
        if len(body) > most_bytes:
            raise BadAnswer("more came than is read")
    return Fetched(answer.status_code, retry_after, bytes(body))


def fetch_list(
    address: str,
    open_one: Callable[[], httpx.AsyncClient] | None = None,
    *,
    most_seconds: float = LIST_SECONDS,
) -> bytes:
    """Fetch a published list; redirects are followed within its host.

    ``open_one`` opens the client; None: one for plain text.

    Raises:
        ConnectionError: It cannot be fetched; the text says why.
    """
    host = httpx.URL(address).host
    open_list_client = open_one or partial(open_client, "text/plain")

    async def fetch_whole() -> Fetched:
        async with open_list_client() as client, asyncio.timeout(most_seconds):
            return await fetch(
                client,
                address,
                is_safe=lambda url: url.scheme == "https" and url.host == host,
                most_bytes=LIST_MAX_BYTES,
            )

    try:
        fetched = asyncio.run(fetch_whole())
    except TimeoutError as error:
        raise ConnectionError("no end in time") from error
    except (BadAnswer, ClientUnavailable) as error:
        raise ConnectionError(str(error)) from error
    if fetched.status != httpx.codes.OK:
        raise ConnectionError(f"the answer was {fetched.status}")
    return fetched.body
