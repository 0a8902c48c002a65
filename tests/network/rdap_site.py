"""A small RDAP server of our own on 127.0.0.1, with IANA's file beside it, good and hostile."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from ssl import PROTOCOL_TLS_CLIENT, SSLContext
from typing import Any

import httpx

from tests.web_site import Answer, WebSite, send_json, send_status
from winnow.network.rdap.asker import RdapAsker
from winnow.network.rdap.bootstrap import BootstrapCopy
from winnow.network.rdap.client import RdapRegistries

BOOTSTRAP_PATH = "/dns.json"


def is_here(url: httpx.URL) -> bool:
    """Let tests ask this machine without https."""
    return url.host.startswith("127.0.0.")


def open_plain_client() -> httpx.AsyncClient:
    """Return a client that reads no certificates and no environment: it never leaves here."""
    return httpx.AsyncClient(verify=SSLContext(PROTOCOL_TLS_CLIENT), trust_env=False, timeout=60)


class RdapSite(WebSite):
    """Answers by path; what has no answer is 404. Copies of its files lie in the folder."""

    def __init__(self, folder: Path, clock: Callable[[], datetime]) -> None:
        super().__init__(send_status(404))
        self._folder, self._clock = folder, clock
        self.answers[BOOTSTRAP_PATH] = send_json(make_bootstrap(self.base))

    def publish(self, domain: str, answer: Answer) -> None:
        """Answer for a domain."""
        self.answers[f"/domain/{domain}"] = answer

    def open_copy(self) -> BootstrapCopy:
        """Return a copy of the bootstrap file that is fetched from here."""
        address = self.base.rstrip("/") + BOOTSTRAP_PATH
        return BootstrapCopy(self._folder / "rdap", self._clock, address=address, is_safe=is_here)

    def open_registries(
        self, *, pause_seconds: float = 0.0, request_seconds: float = 30.0, **more: Any
    ) -> RdapRegistries:
        """Return a client that reaches nothing but this."""
        options = {"open_client": open_plain_client, "is_safe": is_here, **more}
        options |= {"pause_seconds": pause_seconds, "request_seconds": request_seconds}
        return RdapRegistries(RdapAsker(self.open_copy(), self._clock, **options))


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
