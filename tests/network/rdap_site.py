"""A small RDAP server of our own on 127.0.0.1, with IANA's file beside it, good and hostile."""

import json
import threading
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from ssl import PROTOCOL_TLS_CLIENT, SSLContext
from typing import Any

import httpx

from winnow.network.rdap.asker import RdapAsker
from winnow.network.rdap.bootstrap import BootstrapCopy
from winnow.network.rdap.client import RdapRegistries

Answer = Callable[["Handler"], None]
BOOTSTRAP_PATH = "/dns.json"


def is_here(url: httpx.URL) -> bool:
    """Let tests ask this machine without https."""
    return url.host.startswith("127.0.0.")


def open_plain_client() -> httpx.AsyncClient:
    """Return a client that reads no certificates and no environment: it never leaves here."""
    return httpx.AsyncClient(verify=SSLContext(PROTOCOL_TLS_CLIENT), trust_env=False, timeout=60)


class RdapSite:
    """Answers by path; what has no answer is 404. ``asked`` counts the paths."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}
        self.asked: Counter[str] = Counter()
        self.is_stopped = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.site = self  # type: ignore[attr-defined]
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}
        )
        self.base = f"http://127.0.0.1:{self._server.server_address[1]}/"
        self.answers[BOOTSTRAP_PATH] = send_json(make_bootstrap(self.base))

    def __enter__(self) -> "RdapSite":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.is_stopped.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def publish(self, domain: str, answer: Answer) -> None:
        """Answer for a domain."""
        self.answers[f"/domain/{domain}"] = answer

    def open_copy(self, folder: Path, clock: Callable[[], datetime]) -> BootstrapCopy:
        """Return a copy of the bootstrap file that is fetched from here."""
        address = self.base.rstrip("/") + BOOTSTRAP_PATH
        return BootstrapCopy(folder / "rdap", clock, address=address, is_safe=is_here)

    def open_registries(
        self,
        folder: Path,
        clock: Callable[[], datetime],
        *,
        pause_seconds: float = 0.0,
        request_seconds: float = 30.0,
        open_client: Callable[[], httpx.AsyncClient] | None = None,
    ) -> RdapRegistries:
        """Return a client that reaches nothing but this."""
        copy = self.open_copy(folder, clock)
        asker = RdapAsker(
            copy,
            clock,
            open_client=open_client or open_plain_client,
            is_safe=is_here,
            pause_seconds=pause_seconds,
            request_seconds=request_seconds,
        )
        return RdapRegistries(copy, asker)


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"

    @property
    def site(self) -> RdapSite:
        """The site that this connection came to."""
        return self.server.site  # type: ignore[attr-defined,no-any-return]

    def do_GET(self) -> None:
        self.site.asked[self.path] += 1
        answer = self.site.answers.get(self.path, send_status(404))
        try:
            answer(self)
        except OSError:
            self.close_connection = True  # the client has left

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def make_bootstrap(base: str, *, suffixes: int = 600) -> dict[str, Any]:
    """Return a file as IANA publishes it, all of it served at one address."""
    names = ["com", "net", "org", *(f"x{number}" for number in range(suffixes))]
    return {"version": "1.0", "publication": "2026-11-01", "services": [[names, [base]]]}


def make_domain(name: str, date: str | None = "2020-02-29T12:00:00Z") -> dict[str, Any]:
    """Return a domain object (RFC 9083, 5.3)."""
    events = [{"eventAction": "last changed", "eventDate": "2026-01-01T00:00:00Z"}]
    if date is not None:
        events.append({"eventAction": "registration", "eventDate": date})
    return {"objectClassName": "domain", "ldhName": name.upper(), "events": events}


def send(
    body: bytes, *, status: int = 200, kind: str = "application/rdap+json", **headers: str
) -> Answer:
    """Answer with a body."""

    def answer(handler: Handler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def send_json(content: object) -> Answer:
    """Answer with JSON."""
    return send(json.dumps(content).encode())


def send_status(status: int, **headers: str) -> Answer:
    """Answer with a status alone."""
    return send(b"{}", status=status, **headers)


def drip(head: bytes, piece: bytes, *, pause_seconds: float = 0.05) -> Answer:
    """Send a head and then piece after piece, without end."""

    def answer(handler: Handler) -> None:
        handler.wfile.write(head)
        while not handler.site.is_stopped.wait(pause_seconds):
            handler.wfile.write(piece)

    return answer


def break_off(handler: Handler) -> None:
    """Close the connection without a word."""
    handler.close_connection = True


def warm_up(registries: RdapRegistries) -> None:
    """Let it open its client and fetch the bootstrap file, before a short time is measured."""
    list(registries.ask_ages(["warm.com"], budget_seconds=60.0, tick=lambda count: None))
