"""Own files as keyed hashes: written, opened, and what they say of one address."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cached_property
from typing import TYPE_CHECKING
from uuid import uuid4

from winnow.core.addresses.address import duplicate_key, find_address
from winnow.core.addresses.mailbox import HasPlusTags
from winnow.core.blobs import BlobKey
from winnow.core.disk_errors import mapping_disk_errors
from winnow.core.lists.cleaning import BOUNCE_REASONS
from winnow.core.lists.side_files import FileCounts, MailOutcome, OwnFile, OwnFileKind
from winnow.core.ports import Blobs
from winnow.core.verdicts.facts import Evidence
from winnow.core.verdicts.reasons import Reason
from winnow.services.per_project import PerProject
from winnow.storage.blobs.checksums import digest
from winnow.storage.database import tables
from winnow.storage.database.database import Database
from winnow.storage.database.query_cache import QueryCache
from winnow.storage.repositories import own_files as own_file_rows
from winnow.words import Sentence, say, translatable

if TYPE_CHECKING:
    from winnow.lists.marks.key_files import MatchedRows, OwnKeys
    from winnow.lists.marks.keyed_hash import AddressHash

_log = logging.getLogger(__name__)
KEYS_KEPT = 4  # files opened for single addresses; the largest takes 80 MB
_OBJECTED = translatable("This person complained or unsubscribed, by an imported bounce file.")
_DELIVERED = translatable("Mail to this address arrived, by an imported bounce file.")
_SAID_NO = translatable("This person said no in a list of yours, and that is remembered.")
_AGAIN = translatable("The person said yes after that, and you chose to mail them again.")
_BOUNCED = translatable(
    "Mail to this address bounced for good, by a list of yours; that is remembered."
)


@dataclass(eq=False, repr=False)
class FileStore:
    """The hashes of every account's own files. Synchronous and thread-safe."""

    database: Database
    blobs: Blobs
    secret: bytes
    has_plus_tags: HasPlusTags
    clock: Callable[[], datetime]

    def __post_init__(self) -> None:
        self._files = QueryCache[str, tuple[OwnFile, ...]](
            self.database.changes_of(tables.own_files)
        )
        self._keys = PerProject[str, "OwnKeys"](KEYS_KEPT)

    def list_files(self, account: str) -> tuple[OwnFile, ...]:
        """Return all files of an account, the oldest first, read again only after a change."""
        return self._files.get(account, lambda key: own_file_rows.list_files(self.database, key))

    def open_keys(self, file: OwnFile) -> "OwnKeys":
        """Read the keys of a file; only a few large files stay in memory.

        Raises:
            FileNotFoundError: They can no longer be read.
        """
        from winnow.lists.marks.key_files import OwnKeys

        return self._keys.get(
            file.file_id, lambda: OwnKeys.read(self.blobs.fetch(file.key), self.hashes)
        )

    def open_standing(self, account: str) -> "Mapping[OwnFileKind, list[OwnKeys]]":
        """Return the readable files that count for all lists of an account, by kind."""
        found: dict[OwnFileKind, list[OwnKeys]] = {}
        for file in self.list_files(account):
            with suppress(FileNotFoundError):
                if file.counts_for_all:
                    found.setdefault(file.counts_as, []).append(self.open_keys(file))
        return found

    def find_noes(
        self, files: Sequence[OwnFile], email: str
    ) -> tuple[tuple[Evidence, ...], tuple[Reason, ...]]:
        """Return what files say of an address, as evidence, and the reasons that follow."""
        if not files:
            return (), ()
        from winnow.lists.marks.key_files import list_file_reasons  # brings polars along

        matched = self.match_address(files, email)
        found = list_file_reasons(sort_kinds(files, matched))
        reasons = (one for one, parts in found.items() if any(map(len, parts)))
        return tuple(cite_matches(files, matched)), tuple(reasons)

    def match_address(self, files: Sequence[OwnFile], email: str) -> "dict[str, MatchedRows]":
        """Return what each readable file says of an address, as of row 0 of a list, by its id.

        Nothing of a malformed one.
        """
        key = duplicate_key(email)
        found: dict[str, MatchedRows] = {}
        for file in files if find_address(email) is not None else ():
            with suppress(FileNotFoundError):
                keys = self.open_keys(file)
                found[file.file_id] = keys.match_address(key, self.hashes, self.has_plus_tags)
        return found

    def is_readable(self, file: OwnFile) -> bool:
        """Return whether a file's hashes are there, and of this installation's pepper."""
        from winnow.lists.marks.key_files import has_seal

        with suppress(FileNotFoundError):
            return has_seal(self.blobs.fetch(file.key), self.hashes)
        return False

    @cached_property
    def hashes(self) -> "AddressHash":
        """What hides addresses in own files."""
        from winnow.lists.marks.keyed_hash import AddressHash

        return AddressHash.of(self.secret)

    def write_keys(self, found: "tuple[OwnKeys, FileCounts]", key: BlobKey) -> FileCounts:
        """Write the hashes of a file; return their counts."""
        keys, counts = found
        with self.blobs.stage(key) as path:
            keys.write(path, self.hashes)
        return counts

    def keep(
        self,
        account: str,
        kind: OwnFileKind,
        file_name: str,
        write: Callable[[BlobKey], FileCounts],
        upload_id: str | None = None,
    ) -> OwnFile:
        """Store a file: ``write`` puts its hashes under a key and returns what it counted.

        A file name with an address in it is not stored.
        """
        written = self.write_hashes(account, kind, file_name, write, upload_id)
        try:
            file = own_file_rows.finish_file(self.database, written)
        except BaseException:
            self.drop(written)
            raise
        _log.info("%s file %s added, %d bytes", kind.value, file.file_id, file.size_bytes)
        return file

    def write_hashes(
        self,
        account: str,
        kind: OwnFileKind,
        file_name: str,
        write: Callable[[BlobKey], FileCounts],
        upload_id: str | None = None,
        said_by: str | None = None,
    ) -> OwnFile:
        """Write the hashes of a file that is still to be completed; after an error nothing is left.

        ``upload_id`` and ``said_by`` are as ``OwnFile`` has them.
        """
        name = "file" if "@" in file_name else file_name
        file = OwnFile(str(uuid4()), account, kind, name, self.clock(), upload_id, said_by)
        own_file_rows.begin_file(self.database, file)
        try:
            with mapping_disk_errors():
                counts = write(file.key)
            size, checksum = self.blobs.size(file.key), digest(self.blobs, file.key)
        except BaseException:
            self.drop(file)
            raise
        return replace(file, size_bytes=size, sha256=checksum, counts=counts)

    def drop(self, file: OwnFile) -> None:
        """Remove the hashes of a file that was not completed."""
        own_file_rows.delete_missing_files(self.database, self.blobs, [file.file_id])

    def remove(self, account: str, file_id: str) -> bool:
        """Delete a file, and free its space; False if there is no such file."""
        return own_file_rows.remove_file(self.database, self.blobs, account, file_id)


def sort_kinds(
    files: Sequence[OwnFile], found: "Mapping[str, MatchedRows]"
) -> "Mapping[OwnFileKind, Sequence[MatchedRows]]":
    """Return the rows that each readable file matches, by kind."""
    readable = [file for file in files if file.file_id in found]
    return {
        kind: [found[file.file_id] for file in readable if file.counts_as is kind]
        for kind in OwnFileKind
    }


def cite_matches(
    files: Sequence[OwnFile], matched: "Mapping[str, MatchedRows]"
) -> Iterator[Evidence]:
    """Yield what files say of one row, as evidence; ``matched`` is that of each, by its id."""
    for file in files:
        found = matched.get(file.file_id)
        if found is not None and (event := found.read_last()) is not None:
            yield _cite_event(file, *event)
        elif found is not None and len(found.rows):
            rule, dated = Sentence(Reason.DO_NOT_MAIL.rule), file.created_at.date()
            yield Evidence(Reason.DO_NOT_MAIL, rule, source=file.file_name, dated=dated)


def _cite_event(file: OwnFile, outcome: MailOutcome, day: date | None) -> Evidence:
    reason = BOUNCE_REASONS.get(outcome, Reason.BOUNCED_SOFT)
    rule, source = reason.rule, say("your bounce file {file}", file=file.file_name)
    if file.upload_id is not None or file.said_by is not None:
        rule = _SAID_NO if outcome.is_objection else _BOUNCED
        source = say("your list {file}", file=file.file_name)
    elif file.kind is OwnFileKind.MAIL_AGAIN:
        rule, source = _AGAIN, say("your choice on a project's page")
    elif outcome.is_objection:
        rule = _OBJECTED
    elif outcome is MailOutcome.DELIVERED:
        rule = _DELIVERED
    return Evidence(reason, Sentence(rule), source=source, dated=day)
