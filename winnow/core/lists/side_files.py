"""Do-not-mail files and imported bounces: what they name, counts and notes of their reading."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any, NamedTuple

from winnow.core.blobs import BlobKey, BlobKind


class OwnFileKind(StrEnum):
    """Kind of file; the values are stored."""

    DO_NOT_MAIL = "do-not-mail"
    BOUNCES = "bounces"


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file that was read; only its hashes are stored.

    ``upload_id`` is that of the list that it came with; None: it counts for all of the account's
    lists. ``counts`` are plain values, as its kind has them. ``size_bytes`` and ``sha256`` are
    those of the hashes.
    """

    file_id: str
    account: str
    kind: OwnFileKind
    upload_id: str | None
    file_name: str
    size_bytes: int
    sha256: str
    counts: dict[str, Any]
    created_at: datetime

    @property
    def key(self) -> BlobKey:
        """The key of its hashes."""
        return BlobKey(BlobKind.OWN_FILE, self.file_id)

    def name_matches(self, task_id: str) -> BlobKey:
        """Return the key of the rows that it names in a project."""
        return BlobKey(BlobKind.OWN_FILE, f"{self.file_id}.{task_id}")


class NoteKind(StrEnum):
    """Kind of note on how a file was read."""

    SUBSCRIBED = "subscribed"  # this part lists who may be mailed: left out
    EMPTY_PART = "empty part"  # this part holds nothing: of files that were read before 0.3
    COLUMN = "column"  # this column was read
    NOTHING_IN = "nothing in"  # this part names no address and no domain
    NO_BOUNCE = "no bounce"  # this part has no bounces: left out


class FileNote(NamedTuple):
    """One note; ``name`` is that of a part or a column, never a cell's text."""

    kind: NoteKind
    name: str


@dataclass(frozen=True, slots=True)
class NamedCounts:
    """Counts of a file of addresses and domains: distinct ones, and lines that name none.

    ``left_out_lines`` are the numbers of the first few of these, counting lines that hold
    anything.
    """

    addresses: int = 0
    domains: int = 0
    wildcards: int = 0
    left_out: int = 0
    left_out_lines: tuple[int, ...] = ()
    notes: tuple[FileNote, ...] = ()


class NamedEntry(NamedTuple):
    """Entry of a file for own lists; ``category`` and ``note`` as written, ``""`` for none."""

    line: int
    pattern: str
    category: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class NamedEntries:
    """Entries of a file, and the lines that name nothing."""

    entries: tuple[NamedEntry, ...]
    left_out: int
    left_out_lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Suppression:
    """One file.

    ``rows`` is how many of the finished list's rows it names; None while the list is not finished.
    ``is_lost``: what it named can no longer be read, so that it removes no rows.
    """

    file_id: str
    file_name: str
    counts: NamedCounts
    added_at: datetime
    rows: int | None = None
    is_lost: bool = False


class MailOutcome(StrEnum):
    """Outcome of mail to an address, the worst first."""

    HARD = "hard"  # for good: no such mailbox
    SOFT = "soft"  # for a time: mailbox full, server down, blocked
    DELIVERED = "delivered"


@dataclass(frozen=True, slots=True)
class BounceCounts:
    """Counts of a bounce file, each address once, by its newest event.

    ``first_day`` and ``last_day`` are of the events that have one. ``left_out`` are lines without
    an address or an outcome that counts.
    """

    by_outcome: Mapping[MailOutcome, int]
    first_day: date | None
    last_day: date | None
    left_out: int
    notes: tuple[FileNote, ...] = ()


@dataclass(frozen=True, slots=True)
class BounceImport:
    """One import."""

    file_id: str
    file_name: str
    imported_at: datetime
    counts: BounceCounts
