"""Do-not-mail files, bounces and remembered noes: what they name, counts, notes of reading."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import NamedTuple

from winnow.core.blobs import BlobKey, BlobKind
from winnow.core.meaning.outcomes import Outcome
from winnow.core.verdicts.domain_types import DomainType


class OwnFileKind(StrEnum):
    """Kind of file; the values are stored."""

    DO_NOT_MAIL = "do-not-mail"
    BOUNCES = "bounces"  # of a list: the noes of an earlier list's file
    SAID_NO = "said-no"  # what a finished list says, remembered for the next ones
    EARLIER = "earlier"  # how rows differ from an earlier list's file; no hashes
    MAIL_AGAIN = "mail-again"  # who said yes after that, as the analyst confirmed


class LaterYes(NamedTuple):
    """A row that says yes, by its number from 1, and the days of a remembered no and of the yes."""

    number: int
    said_no: date
    said_yes: date


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


class MailOutcome(StrEnum):
    """Outcome of mail to an address, the worst bounce first; the places are stored."""

    HARD = "hard"  # for good: no such mailbox
    SOFT = "soft"  # for a time: mailbox full, server down, blocked
    DELIVERED = "delivered"
    COMPLAINED = "complained"  # reported as spam
    UNSUBSCRIBED = "unsubscribed"

    @property
    def is_objection(self) -> bool:
        """Whether it is a person's no, which no later event takes back."""
        return self in (MailOutcome.COMPLAINED, MailOutcome.UNSUBSCRIBED)

    @property
    def forbids(self) -> bool:
        """Whether the address is left out of files of people to mail."""
        return self is MailOutcome.HARD or self.is_objection


MAIL_OUTCOMES = {
    Outcome.HARD_BOUNCE: MailOutcome.HARD,
    Outcome.INVALID: MailOutcome.HARD,  # by another service: counts as a bounce does
    Outcome.SOFT_BOUNCE: MailOutcome.SOFT,
    Outcome.DELIVERED: MailOutcome.DELIVERED,
    Outcome.COMPLAINED: MailOutcome.COMPLAINED,
    Outcome.NO_MAIL: MailOutcome.UNSUBSCRIBED,
}
"""What files keep of outcomes; who waits for a confirmation has said nothing yet."""


class MailKind(NamedTuple):
    """Kind of address by its domain; ``provider`` is that of public mailboxes, else ``""``."""

    provider: str
    domain_type: DomainType


class MailCount(NamedTuple):
    """How many addresses of a kind had an outcome in a month: ``"2026-05"``, undated ``""``."""

    kind: MailKind
    month: str
    outcome: MailOutcome
    addresses: int


@dataclass(frozen=True, slots=True)
class FileCounts:
    """Counts of a file: distinct addresses and domains, or bounces; lines that name none.

    ``left_out_lines`` are the numbers of the first few of these, counting lines that hold
    anything. ``by_outcome`` counts each address of a bounce file once, by its newest event;
    ``first_day`` and ``last_day`` are of the events that have one. ``mailed`` counts it once a
    month, of the newest months. ``rows`` are those of the list that a remembered no is from; 0: not
    known.
    """

    addresses: int = 0
    domains: int = 0
    wildcards: int = 0
    by_outcome: Mapping[MailOutcome, int] = field(default_factory=dict)
    first_day: date | None = None
    last_day: date | None = None
    left_out: int = 0
    left_out_lines: tuple[int, ...] = ()
    notes: tuple[FileNote, ...] = ()
    mailed: tuple[MailCount, ...] = ()
    rows: int = 0

    @property
    def noes(self) -> int:
        """How many addresses and domains are not to be mailed by it."""
        said = (self.by_outcome.get(one, 0) for one in MailOutcome if one.forbids)
        return self.addresses + self.domains + self.wildcards + sum(said)


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file that was read; only its hashes are stored.

    ``upload_id`` is that of the list that it came with; None: it counts for all of the account's
    lists. So does a file on the never-mail list: ``said_by`` names the list that put it there by
    its hash. ``size_bytes`` and ``sha256`` are those of the hashes.
    """

    file_id: str
    account: str
    kind: OwnFileKind
    file_name: str
    created_at: datetime
    upload_id: str | None = None
    said_by: str | None = None
    size_bytes: int = 0
    sha256: str = ""
    counts: FileCounts = FileCounts()

    @property
    def counts_for_all(self) -> bool:
        """Whether it counts for all lists of the account."""
        return self.upload_id is None or self.said_by is not None

    @property
    def counts_as(self) -> OwnFileKind:
        """The kind as which its rows count: noes of an earlier list's file as those of a list."""
        is_earlier = self.kind is OwnFileKind.BOUNCES and (self.upload_id or self.said_by)
        return OwnFileKind.SAID_NO if is_earlier else self.kind

    @property
    def key(self) -> BlobKey:
        """The key of its hashes."""
        return BlobKey(BlobKind.OWN_FILE, self.file_id)

    def name_matches(self, task_id: str) -> BlobKey:
        """Return the key of the rows that it names in a project."""
        return BlobKey(BlobKind.OWN_FILE, f"{self.file_id}.{task_id}")


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
