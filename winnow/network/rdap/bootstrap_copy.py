"""Last good copy of the bootstrap file, fetched again when it is old."""

import asyncio
import json
import logging
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import httpx

from winnow.atomic_files import write_atomically
from winnow.network.rdap.bootstrap import Bootstrap, BootstrapRefused, parse_bootstrap
from winnow.network.web import BadAnswer, fetch, is_public_https

BOOTSTRAP_ADDRESS = "https://data.iana.org/rdap/dns.json"  # RFC 9224, 13
MOST_BYTES = 2_000_000  # some 60 kB in fact
FETCH_SECONDS = 10.0
LIFE = timedelta(days=7)
PATIENCE = timedelta(minutes=10)  # between two tries that fail

_log = logging.getLogger(__name__)


class BootstrapCopy:
    """Copy of the file in a folder, shared by all processes. Thread-safe.

    An old copy counts until there is a new one: registries seldom move.
    """

    def __init__(
        self,
        folder: Path,
        clock: Callable[[], datetime],
        *,
        address: str = BOOTSTRAP_ADDRESS,
        is_safe: Callable[[httpx.URL], bool] = is_public_https,
    ) -> None:
        """Store the path of the copy; nothing is read or fetched yet.

        Args:
            folder: Made when the first copy is written.
            clock: Gives the time in UTC.
            address: Of the file.
            is_safe: Which addresses may be asked, the servers' in the file among them.
        """
        self._path = folder / "dns.json"
        self._clock = clock
        self._address = address
        self._is_safe = is_safe
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
                    self._known = parse_bootstrap(body, is_safe=self._is_safe)
                    self._fetched_at = fetched_at
            except FileNotFoundError:
                pass
            except (OSError, ValueError, LookupError, TypeError, BootstrapRefused) as error:
                _log.warning("the copy of the RDAP bootstrap is unusable: %s", type(error).__name__)
            return self._known

    async def renew(self, client: httpx.AsyncClient) -> Bootstrap | None:
        """Return the current copy, after fetching a new one where it is old or missing."""
        now = self._clock()
        known = self.read()
        if known is not None and self._fetched_at and abs(now - self._fetched_at) < LIFE:
            return known
        if self._tried_at is not None and abs(now - self._tried_at) < PATIENCE:
            return known
        self._tried_at = now
        try:
            async with asyncio.timeout(FETCH_SECONDS):
                fetched = await fetch(
                    client, self._address, is_safe=self._is_safe, most_bytes=MOST_BYTES
                )
            if fetched.status != httpx.codes.OK:
                raise BadAnswer(f"the answer was {fetched.status}")
            self._keep(parse_bootstrap(fetched.body, is_safe=self._is_safe), fetched.body, now)
        except (BadAnswer, BootstrapRefused, TimeoutError, OSError) as error:
            _log.info("no new RDAP bootstrap: %s", error or type(error).__name__)
        return self._known

    def _keep(self, bootstrap: Bootstrap, body: bytes, now: datetime) -> None:
        """Write the copy whole or not at all; it counts in this process in either case."""
        with self._guard:
            self._known, self._fetched_at = bootstrap, now
        kept = {"fetched_at": now.isoformat(), "bootstrap": json.loads(body)}
        write_atomically(self._path, json.dumps(kept).encode())
