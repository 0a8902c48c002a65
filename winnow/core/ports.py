"""The openings of the core, each with a real double in the package."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Protocol

from winnow.core.blobs import BlobKey, BlobKind, StoredBlob
from winnow.core.sender.answers import TextAnswer
from winnow.core.verdicts.facts import (
    AgeAnswer,
    AgeFacts,
    DomainFacts,
    HostAnswer,
    ListReach,
    MailAnswer,
    MailFacts,
    NameServerAnswer,
)


class DomainKnowledge(Protocol):
    """What is known offline about domains."""

    @property
    def data_version(self) -> str:
        """The version of the data, e.g. ``"2026-11-09.3fa2c1"``: same version, same facts."""

    @property
    def role_names(self) -> frozenset[str]:
        """Local parts that name a function, not a person; lower case."""

    @property
    def reach(self) -> ListReach:
        """The lists of disposable services that every look-up goes through."""

    @property
    def probabilities(self) -> Mapping[str, float]:
        """How likely a domain is disposable, by its group (``core.probability``)."""

    def look_up(self, domain: str) -> DomainFacts:
        """Return the facts about a domain given as a lower-case A-label. Never raises."""

    def number_alike(self, domains: Sequence[str]) -> bytes:
        """Return a byte a domain: one number for domains with the same facts but for their names.

        0 for a domain that must be looked up itself. Numbers mean the same in every call.
        """


class MailSource(Protocol):
    """What DNS says of domains' mail. What the network does never raises."""

    def look_up(self, domain: str) -> MailFacts:
        """Return the facts about one lower-case A-label domain, within a short time."""

    def look_up_many(self, domains: Iterable[str]) -> None:
        """Gather what ``look_up`` will be asked for. May raise to end a run."""


class Resolver(Protocol):
    """Asks DNS servers; every name that was put in comes out, answered or not.

    ``tick`` is called several times a second with the count of names done, and may raise.
    """

    def ask_mail(
        self, domains: Iterable[str], *, budget_seconds: float, tick: Callable[[int], None]
    ) -> Iterator[tuple[str, MailAnswer]]:
        """Ask for the mail routes of domains; ``NOT_LOOKED_UP`` where it never came to asking."""

    def ask_hosts(
        self, hosts: Iterable[str], *, budget_seconds: float, tick: Callable[[int], None]
    ) -> Iterator[tuple[str, HostAnswer]]:
        """Ask for the addresses (A) of hosts."""

    def ask_name_servers(
        self, domains: Iterable[str], *, budget_seconds: float, tick: Callable[[int], None]
    ) -> Iterator[tuple[str, NameServerAnswer]]:
        """Ask for the name servers (NS) of registrable domains."""

    def ask_texts(
        self, names: Iterable[str], *, budget_seconds: float, tick: Callable[[int], None]
    ) -> Iterator[tuple[str, TextAnswer]]:
        """Ask for the text records (TXT) of names."""


class AgeSource(Protocol):
    """What registries say of domains' age. What the network does never raises."""

    def look_up(self, facts: DomainFacts) -> AgeFacts:
        """Return the age of one domain whose other facts are known, within a short time."""

    def look_up_many(self, domains: Iterable[DomainFacts]) -> None:
        """Gather what ``look_up`` will be asked for. May raise to end a run."""


class Registries(Protocol):
    """Asks registries by RDAP; every name that was put in comes out, answered or not.

    ``tick`` is called several times a second with the count of names done, and may raise.
    """

    def ask_ages(
        self, domains: Iterable[str], *, budget_seconds: float, tick: Callable[[int], None]
    ) -> Iterator[tuple[str, AgeAnswer]]:
        """Ask when registrable domains were registered; those named first are asked first."""

    def name_registry(self, domain: str) -> str | None:
        """Return the host of the registry that answers for a domain; None where none is known."""


class BlobWriter(Protocol):
    """A blob on its way; it counts only once it is committed."""

    def write(self, data: bytes) -> None:
        """Append."""

    def commit(self) -> None:
        """Return when a power loss can no longer take the bytes."""

    def abort(self) -> None:
        """Drop what was written; nothing after ``commit``. Never raises."""


class Blobs(Protocol):
    """A place for bytes: lists, results, workbooks. Thread-safe; blobs never change.

    Whatever is asked of a blob that is not there raises FileNotFoundError; a full disk or quota
    of the system shows as its OSError.
    """

    def create(self, key: BlobKey) -> BlobWriter:
        """Begin a new blob, written in pieces.

        Raises:
            FileExistsError: There is one of this name.
        """

    def stage(self, key: BlobKey) -> AbstractContextManager[Path]:
        """Give local room for a blob that is made there; durable once the context ends well.

        For a result that is an empty folder whose files become its parts, all at once and with
        checksums; for any other kind a path at which a file is to be made. After an error
        nothing is left.
        """

    def fetch(self, key: BlobKey) -> Path:
        """Return a local file to read, or for a result the folder of its parts."""

    def read(self, key: BlobKey, start: int = 0, size_bytes: int | None = None) -> Iterator[bytes]:
        """Yield a range in pieces, by default all; errors come when the first one is drawn."""

    def size(self, key: BlobKey) -> int:
        """Return the bytes of a file, or of all parts of a result."""

    def list(self, kind: BlobKind) -> Sequence[StoredBlob]:
        """Return what of a kind is ours to remove, and nothing that anybody else put there."""

    def delete(self, key: BlobKey) -> bool:
        """Remove a blob with its parts; False where it is still there, to be tried again."""

    def scratch(self) -> AbstractContextManager[Path]:
        """Give an empty local folder for passing files; it is gone afterwards."""

    def remove_scratch(self, changed_before: datetime) -> int:
        """Remove scratch folders whose process died; return how many."""
