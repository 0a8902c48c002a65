"""IANA's bootstrap file (RFC 9224): the RDAP server of each top-level domain, and its last copy."""

import asyncio
import json
import logging
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx

from winnow.atomic_files import write_atomically
from winnow.network.web import BadAnswer, fetch, is_public_https

VERSION = "1.0"  # RFC 9224, 3
LEAST_SUFFIXES = 500  # it has some 1,200; a file with far fewer is not a bootstrap file
EXPECTED_SUFFIXES = frozenset({"com", "net", "org"})
SUFFIX = re.compile(r"(?=.{1,253}\Z)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*\Z")


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """Base addresses of RDAP servers by suffix, each ending in a slash."""

    addresses: Mapping[str, str]

    def find_address(self, domain: str) -> str | None:
        """Return the base address for a domain by its longest known suffix (RFC 9224, 4)."""
        labels = domain.split(".")
        suffixes = (".".join(labels[start:]) for start in range(len(labels)))
        return next((self.addresses[one] for one in suffixes if one in self.addresses), None)


def parse_bootstrap(body: bytes, *, is_safe: Callable[[httpx.URL], bool]) -> Bootstrap:
    """Read a bootstrap file; servers at unsafe addresses are left out.

    Raises:
        BadAnswer: Another form than RFC 9224 says, or too few suffixes to be believed.
    """
    try:
        content = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BadAnswer("it is no JSON") from error
    if not isinstance(content, dict) or content.get("version") != VERSION:
        raise BadAnswer("it is of another version")
    services = content.get("services")
    if not isinstance(services, list):
        raise BadAnswer("it has no services")
    addresses: dict[str, str] = {}
    for service in services:
        match service:
            case [[*suffixes], [*servers]]:
                if not all(isinstance(name, str) and SUFFIX.match(name) for name in suffixes):
                    raise BadAnswer("it holds what is no suffix")
                address = next((text for text in servers if _is_base(text, is_safe)), None)
            case _:
                raise BadAnswer("it has a service of another form")
        if address is not None:
            addresses.update(dict.fromkeys(suffixes, address))
    if len(addresses) < LEAST_SUFFIXES or not addresses.keys() >= EXPECTED_SUFFIXES:
        raise BadAnswer("it names too few suffixes")
    return Bootstrap(addresses)


def _is_base(text: Any, is_safe: Callable[[httpx.URL], bool]) -> bool:
    if not isinstance(text, str) or not text.endswith("/"):  # RFC 9224, 3
        return False
    try:
        url = httpx.URL(text)
    except (httpx.InvalidURL, ValueError):
        return False
    return is_safe(url) and not url.query and not url.fragment


BOOTSTRAP_ADDRESS = "https://data.iana.org/rdap/dns.json"  # RFC 9224, 13
MOST_BYTES = 2_000_000  # some 60 kB in fact
FETCH_SECONDS = 10.0
LIFE = timedelta(days=7)
PATIENCE = timedelta(minutes=10)  # between two tries that fail

_log = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class BootstrapCopy:
    """Copy of the file in a folder, shared by all processes. Thread-safe.

    An old copy counts until there is a new one: registries seldom move.

    Args:
        folder: Made when the first copy is written.
        clock: Returns the time in UTC.
        address: Of the file.
        is_safe: Which addresses may be asked, the servers' in the file among them.
    """

    folder: Path
    clock: Callable[[], datetime]
    address: str = BOOTSTRAP_ADDRESS
    is_safe: Callable[[httpx.URL], bool] = is_public_https

    def __post_init__(self) -> None:
        self._path = self.folder / "dns.json"
        self._guard = threading.Lock()
        self._mark: int | None = None
        self._known: Bootstrap | None = None
        self._fetched_at: datetime | None = None
        self._tried_at: datetime | None = None

    def read(self) -> Bootstrap | None:
        """Return the current copy, or None where none can be read."""
        with self._guard:
            try:
                mark = self._path.stat().st_mtime_ns
                if mark != self._mark:
                    self._mark = mark
                    kept = json.loads(self._path.read_bytes())
                    fetched_at = datetime.fromisoformat(kept["fetched_at"])
                    body = json.dumps(kept["bootstrap"]).encode()
                    self._known = parse_bootstrap(body, is_safe=self.is_safe)
                    self._fetched_at = fetched_at
            except FileNotFoundError:
                pass
            except (OSError, ValueError, LookupError, TypeError, BadAnswer) as error:
                _log.warning("the copy of the RDAP bootstrap is unusable: %s", type(error).__name__)
            return self._known

    async def renew(self, client: httpx.AsyncClient) -> Bootstrap | None:
        """Return the current copy, after fetching a new one where it is old or missing."""
        now = self.clock()
        known = self.read()
        if known is not None and self._fetched_at and abs(now - self._fetched_at) < LIFE:
            return known
        if self._tried_at is not None and abs(now - self._tried_at) < PATIENCE:
            return known
        self._tried_at = now
        try:
            async with asyncio.timeout(FETCH_SECONDS):
                fetched = await fetch(
                    client, self.address, is_safe=self.is_safe, most_bytes=MOST_BYTES
                )
            if fetched.status != httpx.codes.OK:
                raise BadAnswer(f"the answer was {fetched.status}")
            self._keep(parse_bootstrap(fetched.body, is_safe=self.is_safe), fetched.body, now)
        except (BadAnswer, TimeoutError, OSError) as error:
            _log.info("no new RDAP bootstrap: %s", error or type(error).__name__)
        return self._known

    def _keep(self, bootstrap: Bootstrap, body: bytes, now: datetime) -> None:
        """Write the copy whole or not at all; it counts in this process in either case."""
        with self._guard:
            self._known, self._fetched_at = bootstrap, now
        kept = {"fetched_at": now.isoformat(), "bootstrap": json.loads(body)}
        write_atomically(self._path, json.dumps(kept).encode())
