"""Audit log: who did what and when, kept for a year."""

import logging
from codecs import BOM_UTF8
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from winnow.core.faults import describe_fault
from winnow.core.identities import AuditEntry, Event, Identity, Role
from winnow.services.use_cases import use_case
from winnow.storage.database.database import Database
from winnow.storage.repositories import people as people_rows

KEPT_FOR = timedelta(days=365)
ENTRIES_SHOWN = 500
_COLUMNS = ("time", "person", "key", "event", "subject")

_log = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class AuditLog:
    """Records events and lists them. Synchronous and thread-safe.

    Entries have names of people, prefixes of keys and ids; no address and no cell of a list.
    """

    database: Database
    clock: Callable[[], datetime]

    def record(self, event: Event, identity: Identity | None, *subjects: str) -> None:
        """Add an entry for each subject.

        It is called after the event: an entry that cannot be written is an error in the log of the
        server, because the event cannot be undone.
        """
        person, key = (identity.person, identity.key) if identity else ("", "")
        try:
            for subject in subjects:
                entry = AuditEntry(self.clock(), person, key, event, subject)
                people_rows.insert_entry(self.database, entry)
        except Exception as error:
            _log.error("audit entry %s lost: %s", event, describe_fault(error))

    @use_case(Role.ADMIN)
    def list(self, limit: int = ENTRIES_SHOWN) -> tuple[AuditEntry, ...]:
        """Return the newest entries of a year, the newest first."""
        return people_rows.list_entries(self.database, self.clock() - KEPT_FOR, limit=limit)

    @use_case(Role.ADMIN)
    def export_csv(self) -> bytes:
        """Return all entries of a year as CSV with a byte order mark, which Excel needs.

        Times are UTC; cells like formulas begin with an apostrophe.
        """
        from winnow.lists.result.cell_grid import write_guarded  # brings pyarrow along

        rows = (
            (one.recorded_at.isoformat(), one.person, one.key, one.event.value, one.subject)
            for one in people_rows.list_entries(self.database, self.clock() - KEPT_FOR)
        )
        return BOM_UTF8 + write_guarded([_COLUMNS, *rows], len(_COLUMNS))
