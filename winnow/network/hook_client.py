"""Client of hooks: one POST to an address that was resolved once, with limits of time and bytes."""

import asyncio
import logging
import socket
import threading
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future

import httpx

from winnow.core.hooks import Trouble, is_this_machine, may_call

TOTAL_SECONDS = 10.0  # of one try; Scheduler.stop waits as long
CONNECT_SECONDS = 4.0  # to one address

Resolve = Callable[[str, int], Awaitable[tuple[str, ...]]]
"""Returns the addresses of a host, whose name is an A-label; OSError: it has none."""


async def resolve_host(host: str, port: int) -> tuple[str, ...]:
    """Return the addresses of a host as the system resolves it, the preferred first.

    The system may take much longer than a try and cannot be stopped: asyncio would wait for it at
    the end of its loop.
    """
    answer: Future[tuple[str, ...]] = Future()
    answer.set_running_or_notify_cancel()  # a caller that is cancelled leaves it as it is

    def ask() -> None:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            answer.set_result(tuple(dict.fromkeys(str(one[4][0]) for one in found)))
        except (OSError, UnicodeError) as error:
            answer.set_exception(error)

    threading.Thread(target=ask, name="hook-names", daemon=True).start()
    return await asyncio.wrap_future(answer)


class HookClient:
    """Calls hooks, without proxies, redirects and cookies; bodies of answers are not read.

    A name is resolved once, each of its addresses must be allowed, and the connection goes to one
    of them: a name whose answer changes (DNS rebinding) cannot lead elsewhere.
    """

    def __init__(self, networks: tuple[str, ...], resolve: Resolve = resolve_host) -> None:
        """Prepare; ``networks`` are the private networks that may be called."""
        logging.getLogger("httpx").setLevel(logging.WARNING)  # its lines hold whole URLs
        self._networks = networks
        self._resolve = resolve
        self._tls = httpx.create_ssl_context()

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> int | Trouble:
        """Send one POST; return the status of the answer, or why there is none."""
        try:
            async with asyncio.timeout(TOTAL_SECONDS):
                return await self._post(httpx.URL(url), body, headers)
        except (TimeoutError, httpx.TimeoutException):
            return Trouble.TIMEOUT
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, ValueError):
            return Trouble.BAD_ANSWER

    async def _post(self, url: httpx.URL, body: bytes, headers: Mapping[str, str]) -> int | Trouble:
        try:
            host = url.raw_host.decode("ascii")  # url.host is in Unicode
            port = url.port or {"http": 80, "https": 443}[url.scheme]
            addresses = await self._resolve(host, port)
        except (OSError, UnicodeError):
            return Trouble.NO_NAME
        names_machine = is_this_machine(host)
        if not all(
            may_call(url.scheme, one, self._networks, names_machine=names_machine)
            for one in addresses
        ):
            return Trouble.NOT_ALLOWED
        timeout = httpx.Timeout(TOTAL_SECONDS, connect=CONNECT_SECONDS)
        async with httpx.AsyncClient(
            verify=self._tls, timeout=timeout, trust_env=False, follow_redirects=False
        ) as client:
            for address in addresses:
                try:
                    async with client.stream(
                        "POST",
                        url.copy_with(host=address),
                        content=body,
                        headers={**headers, "Host": url.netloc.decode("ascii")},
                        extensions={"sni_hostname": host},
                    ) as answer:
                        return answer.status_code
                except (httpx.ConnectError, httpx.ConnectTimeout):
                    continue
        return Trouble.NO_CONNECTION
