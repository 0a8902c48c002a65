"""Ports of the core; each has a double in the package."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Protocol

from winnow.core.blobs import BlobKey, BlobKind, StoredBlob
from winnow.core.verdicts.facts import (
    AgeAnswer,
    AgeFacts,
    DnsAnswer,
    DomainFacts,
    ListReach,
    LocalWords,
    MailFacts,
)


class DomainKnowledge(Protocol):
    """Offline knowledge about domains."""

    @property
    def data_version(self) -> str:
        """The version of the data, e.g. ``"2026-11-09.3fa2c1"``: same version, same facts."""

    @property
    def local_words(self) -> LocalWords:
        """Flags of whole local parts, such as those of role accounts."""

    @property
    def reach(self) -> ListReach:
        """The lists of disposable services that every look-up searches."""

    @property
    def probabilities(self) -> Mapping[str, float]:
        """How likely a domain is disposable, by its group (``verdicts.probability``)."""

    @property
    def tag_domains(self) -> frozenset[str]:
        """The domains with ``DomainFacts.has_plus_tags``."""

    def look_up(self, domain: str) -> DomainFacts:
        """Return the facts about a domain given as a lower-case A-label. Never raises."""

    def number_alike(self, domains: Sequence[str]) -> bytes:
        """Return one byte per domain: domains with the same facts, except names, share a number.

        0 for a domain that must be looked up itself. Numbers mean the same in every call.
        """


class MailSource(Protocol):
    """Source of DNS facts about domains' mail. Network errors never raise."""

    def look_up(self, domain: str) -> MailFacts:
        """Return the facts about one lower-case A-label domain, within a short time."""

    def look_up_many(self, domains: Iterable[str]) -> None:
        """Gather answers for later calls of ``look_up``. May raise to end a run."""


class Resolver(Protocol):
    """Client of DNS servers; returns every name that it was given, answered or not.

    ``tick`` is called several times a second with the count of names done, and may raise.
    """

    def ask(
        self,
        question: str,
        names: Iterable[str],
        *,
        budget_seconds: float,
        tick: Callable[[int], None],
    ) -> Iterator[tuple[str, DnsAnswer]]:
        """Ask for the ``MAIL`` routes or ``NAME_SERVERS`` of domains, or the ``ADDRESS`` of hosts.

        ``NOT_LOOKED_UP`` where no question was sent.
        """


class AgeSource(Protocol):
    """Source of domains' ages from registries. Network errors never raise."""

    def look_up(self, facts: DomainFacts) -> AgeFacts:
        """Return the age of one domain whose other facts are known, within a short time."""

    def look_up_many(self, domains: Iterable[DomainFacts]) -> None:
        """Gather what ``look_up`` will be asked for. May raise to end a run."""


class Registries(Protocol):
    """Client of registries by RDAP; returns every name that it was given, answered or not.

    ``tick`` is called several times a second with the count of names done, and may raise.
    """

    def ask_ages(
        self, domains: Iterable[str], *, budget_seconds: float, tick: Callable[[int], None]
    ) -> Iterator[tuple[str, AgeAnswer]]:
        """Ask when registrable domains were registered; the first names are asked first."""

    def name_registry(self, domain: str) -> str | None:
        """Return the host of the registry that answers for a domain; None where none is known."""


class BlobWriter(Protocol):
    """A blob being written; it counts only after ``commit``."""

    def write(self, data: bytes) -> None:
        """Append."""

    def commit(self) -> None:
        """Return once the bytes survive a power loss."""

    def abort(self) -> None:
        """Drop what was written; nothing after ``commit``. Never raises."""


class Blobs(Protocol):
    """Store of bytes: lists, results, workbooks. Thread-safe; blobs never change.

    A missing blob raises FileNotFoundError. A full disk or quota raises the system's OSError.
    """

    def create(self, key: BlobKey) -> BlobWriter:
        """Begin a new blob, written in pieces.

        Raises:
            FileExistsError: There is one of this name.
        """

    def stage(self, key: BlobKey) -> AbstractContextManager[Path]:
        """Yield a local path where a blob is made; durable once the context ends without error.

        For a result that is an empty folder whose files become its parts, all at once and with
        checksums; for any other kind a path at which a file is to be made. After an error
        nothing is left.
        """

    def fetch(self, key: BlobKey) -> Path:
        """Return a local file to read, or for a result the folder of its parts."""

    def read_blob(self, key: BlobKey) -> Iterator[bytes]:
        """Yield the bytes in pieces; errors are raised with the first piece."""

    def size(self, key: BlobKey) -> int:
        """Return the bytes of a file, or of all parts of a result."""

    def list(self, kind: BlobKind) -> Sequence[StoredBlob]:
        """Return the blobs of a kind that Winnow made and may remove, no other files."""

    def delete(self, key: BlobKey) -> bool:
        """Remove a blob with its parts; False where it is still there, to be tried again."""

    def scratch(self) -> AbstractContextManager[Path]:
        """Yield an empty local folder for temporary files; it is removed afterwards."""

    def remove_scratch(self, changed_before: datetime) -> int:
        """Remove scratch folders whose process died; return how many."""


class StaticKnowledge:
    """Domain knowledge from a table; a domain that is not in it is unlisted."""

    def __init__(
        self,
        table: Mapping[str, DomainFacts] | None = None,
        *,
        local_words: LocalWords | None = None,
        data_version: str = "static",
        reach: ListReach | None = None,
        probabilities: Mapping[str, float] | None = None,
    ) -> None:
        self._table = dict(table or {})
        self.local_words = local_words or {}
        self.data_version = data_version
        self.reach = reach or ListReach()
        self.probabilities = dict(probabilities or {})
        tagged = (name for name, facts in self._table.items() if facts.has_plus_tags)
        self.tag_domains = frozenset(tagged)

    def look_up(self, domain: str) -> DomainFacts:
        """Return the table's facts, or none for a domain that is not in it."""
        return self._table.get(domain) or DomainFacts(domain)

    def number_alike(self, domains: Sequence[str]) -> bytes:
        """Return 1 for each domain that is not in the table."""
        return bytes(domain not in self._table for domain in domains)
