"""What the account's own files say of a finished project's rows, found once and kept."""

import threading
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from cachetools import LRUCache

from winnow.core.addresses.address import duplicate_key, parse_address
from winnow.core.bounces import BounceCounts, MailOutcome
from winnow.core.errors import AddressSyntaxError, Gone, StorageFull
from winnow.core.own_files import OwnFile, OwnFileKind
from winnow.core.ports import Blobs
from winnow.core.tasks.task import KeyType
from winnow.core.verdicts.facts import Evidence
from winnow.core.verdicts.reasons import OWN_FILES, Reason
from winnow.services.own_effects import OwnEffects
from winnow.services.uploads import mapping_full_disk
from winnow.storage.database.database import Database
from winnow.storage.database.query_cache import QueryCache
from winnow.storage.repositories.own_files import list_files
from winnow.storage.repositories.tasks import StoredTask
from winnow.words import Sentence, mark

if TYPE_CHECKING:
    from winnow.lists.marks.bounce_keys import BounceKeys
    from winnow.lists.marks.keyed_hash import AddressHash
    from winnow.lists.marks.matching import MatchedRows
    from winnow.lists.marks.named_keys import NamedKeys
    from winnow.lists.requests import ForbiddenAddresses
    from winnow.lists.result.marked_view import RowMarks, RowView

PROJECTS_KEPT = 16  # each takes some nine bytes a row that a file names
KEYS_KEPT = 4  # files opened for single addresses; the largest takes 80 MB
BOUNCE_REASONS = {MailOutcome.HARD: Reason.BOUNCED_HARD, MailOutcome.SOFT: Reason.BOUNCED_SOFT}
_VERSIONS = 1 << 32
_FROM_SERVICE = mark("your {service} file {file}")
_FROM_FILE = mark("your bounce file {file}")
_DELIVERED = mark("A bounce file that you imported says that mail to this address arrived.")


@dataclass(frozen=True, slots=True)
class _MarkedProject:
    """One project seen through some files; what is ``beneath`` tells its own lists of then."""

    files: tuple[OwnFile, ...]
    rows: "Mapping[str, MatchedRows]"
    beneath: "RowView | None"
    view: "RowView | None"


class OwnMarks:
    """Looks through each project once for the files that hold. Synchronous and thread-safe."""

    def __init__(
        self, database: Database, blobs: Blobs, secret: bytes, own_effects: OwnEffects
    ) -> None:
        self._database = database
        self._blobs = blobs
        self._secret = secret
        self._own_effects = own_effects
        self._files = QueryCache[tuple[str, str | None], tuple[OwnFile, ...]](database.changes)
        self._guard = threading.Lock()
        self._matching = threading.Lock()  # one at a time: each reads a list
        self._seen: LRUCache[str, _MarkedProject] = LRUCache(PROJECTS_KEPT)
        self._keys: LRUCache[str, NamedKeys | BounceKeys] = LRUCache(KEYS_KEPT)

    def find_view(self, stored: StoredTask) -> "RowView | None":
        """Return how a completed project is to be seen now; None: as it was judged.

        The same object while nothing changed.

        Raises:
            Gone: The project was deleted this very moment.
        """
        beneath = self._own_effects.find_overlay(stored)
        if not self._list_files(stored):
            return beneath
        return self._look_through(stored, beneath).view

    def version(self, stored: StoredTask) -> int:
        """Return a number that is another one after each change of own lists or files."""
        version = self._own_effects.version(stored)
        files = self._list_files(stored)
        if not files:
            return version
        names = zlib.crc32("".join(file.file_id for file in files).encode())
        return version * _VERSIONS + names + 1

    def prepare(self, stored: StoredTask) -> None:
        """Find the rows that files name before a page asks for them, and keep these.

        Raises:
            Gone: The project was deleted this very moment.
        """
        files = self._list_files(stored)
        if files:
            with self._matching:
                self._match(stored, files)

    def find_forbidden(self, stored: StoredTask) -> "ForbiddenAddresses | None":
        """Return whom the do-not-mail files beside a list name, for the run that chooses.

        None where there is no such file that can be read.
        """
        from winnow.lists.marks.forbidden import read_forbidden

        kind, opened = OwnFileKind.DO_NOT_MAIL, []
        for file in list_files(self._database, stored.task.account, kind, stored.upload_id):
            with suppress(Gone):
                opened.append(self._open_keys(file))
        return read_forbidden(opened, self._hashes)  # type: ignore[arg-type]

    def count_rows(self, stored: StoredTask) -> Mapping[str, int]:
        """Return how many rows each file names, by its id; without those that cannot be read."""
        seen = self._look_through(stored, self._own_effects.find_overlay(stored))
        return {file_id: len(matched.rows) for file_id, matched in seen.rows.items()}

    def cite(self, stored: StoredTask, email: str) -> tuple[Evidence, ...]:
        """Return what own files say of an address of a project's list, as evidence."""
        return tuple(self._cite(self._list_files(stored), email))

    def cite_bounces(self, account: str, email: str) -> tuple[Evidence, ...]:
        """Return what imported bounces say of an address, as evidence."""
        return tuple(self._cite(self._list_bounces(account), email))

    def _cite(self, files: Sequence[OwnFile], email: str) -> Iterator[Evidence]:
        if not files:
            return
        try:
            parse_address(email)
        except AddressSyntaxError:
            return
        key = duplicate_key(email)
        for file in files:
            with suppress(Gone):
                keys = self._open_keys(file)
                if file.kind is OwnFileKind.BOUNCES:
                    yield from self._cite_bounce(file, keys, key)
                elif keys.names_address(key, self._hashes):  # type: ignore[union-attr]
                    rule = Sentence(Reason.DO_NOT_MAIL.rule)
                    dated = file.created_at.date()
                    yield Evidence(Reason.DO_NOT_MAIL, rule, source=file.file_name, dated=dated)

    def _cite_bounce(
        self, file: OwnFile, keys: "NamedKeys | BounceKeys", key: str
    ) -> Iterator[Evidence]:
        event = keys.find(key, self._hashes)  # type: ignore[union-attr]
        if event is None:
            return
        service = BounceCounts.from_json(file.counts).source.words
        told = _FROM_SERVICE if service else _FROM_FILE
        source = Sentence(told, (("service", service), ("file", file.file_name))).say()
        reason = BOUNCE_REASONS.get(event.outcome, Reason.BOUNCED_SOFT)
        is_bounce = event.outcome in BOUNCE_REASONS
        rule = Sentence(reason.rule if is_bounce else _DELIVERED)
        yield Evidence(reason, rule, source=source, dated=event.day)

    def _list_files(self, stored: StoredTask) -> tuple[OwnFile, ...]:
        """Return the files that hold for a project, read anew after any commit only."""
        account = stored.task.account
        forbidden = self._files.get(
            (account, stored.upload_id),
            lambda key: list_files(self._database, key[0], OwnFileKind.DO_NOT_MAIL, key[1]),
        )
        is_sandbox = stored.task.key_type is KeyType.SANDBOX
        return forbidden if is_sandbox else forbidden + self._list_bounces(account)

    def _list_bounces(self, account: str) -> tuple[OwnFile, ...]:
        return self._files.get(
            (account, None), lambda key: list_files(self._database, key[0], OwnFileKind.BOUNCES)
        )

    def _look_through(self, stored: StoredTask, beneath: "RowView | None") -> _MarkedProject:
        task_id, files = stored.task.task_id, self._list_files(stored)
        with self._guard:
            known = self._seen.get(task_id)
        if known is not None and known.files == files and known.beneath is beneath:
            return known
        from winnow.lists.result.marked_view import MarkedView  # brings numpy along
        from winnow.lists.result.row_columns import RowIndex

        with self._matching:
            found = self._match(stored, files)
            marks = self._mark(files, found)
        view = beneath
        if len(marks.rows):
            try:
                index = RowIndex.open(self._blobs.fetch(stored.result_key))
            except FileNotFoundError as error:
                raise Gone("The project has been deleted.") from error
            view = MarkedView(index, beneath, marks)
        seen = _MarkedProject(files, found, beneath, view)
        with self._guard:
            self._seen[task_id] = seen
        return seen

    def _mark(self, files: Sequence[OwnFile], found: "Mapping[str, MatchedRows]") -> "RowMarks":
        """Return the marks of rows; of several bounce files the newest event of a row counts."""
        from winnow.lists.marks.bounces_of_rows import settle_rows
        from winnow.lists.result.marked_view import RowMarks

        named = [
            found[file.file_id].rows
            for file in files
            if file.kind is OwnFileKind.DO_NOT_MAIL and file.file_id in found
        ]
        told: list[tuple[BounceKeys, MatchedRows]] = []
        for file in files:
            matched = found.get(file.file_id)
            if file.kind is OwnFileKind.BOUNCES and matched is not None and len(matched.rows):
                with suppress(Gone):
                    told.append((self._open_keys(file), matched))  # type: ignore[arg-type]
        bounced = settle_rows(told)
        return RowMarks.of(
            {
                Reason.DO_NOT_MAIL: named,
                **{reason: [bounced[outcome]] for outcome, reason in BOUNCE_REASONS.items()},
            }
        )

    def _match(self, stored: StoredTask, files: Sequence[OwnFile]) -> "dict[str, MatchedRows]":
        """Return the rows of each file that can be read: those kept, and the others found now."""
        from winnow.lists.marks.matching import find_named_rows, read_rows, write_rows
        from winnow.lists.result.row_columns import RowIndex

        found: dict[str, MatchedRows] = {}
        opened: list[tuple[OwnFile, NamedKeys | BounceKeys]] = []
        for file in files:
            try:
                found[file.file_id] = read_rows(
                    self._blobs.fetch(file.name_matches(stored.task.task_id))
                )
            except FileNotFoundError:
                with suppress(Gone):
                    opened.append((file, self._open_keys(file)))
        if not opened:
            return found
        try:
            index = RowIndex.open(self._blobs.fetch(stored.result_key))
            parts = find_named_rows(
                index, stored.task.plan, [keys for _, keys in opened], self._hashes
            )
        except FileNotFoundError as error:
            raise Gone("The project has been deleted.") from error
        for (file, _), matched in zip(opened, parts, strict=True):
            found[file.file_id] = matched
            with (
                suppress(StorageFull),  # they are found again then
                mapping_full_disk(),
                self._blobs.stage(file.name_matches(stored.task.task_id)) as path,
            ):
                write_rows(matched, path)
        return found

    def _open_keys(self, file: OwnFile) -> "NamedKeys | BounceKeys":
        """Read what a file names; several large ones are not held for long.

        Raises:
            Gone: It can no longer be read.
        """
        from winnow.lists.marks.bounce_keys import BounceKeys
        from winnow.lists.marks.named_keys import NamedKeys

        with self._guard:
            known = self._keys.get(file.file_id)
        if known is None:
            kind = BounceKeys if file.kind is OwnFileKind.BOUNCES else NamedKeys
            try:
                known = kind.read(self._blobs.fetch(file.key), self._hashes)
            except FileNotFoundError as error:
                raise Gone("What this file named is no longer there.") from error
            with self._guard:
                self._keys[file.file_id] = known
        return known

    @cached_property
    def _hashes(self) -> "AddressHash":
        from winnow.lists.marks.keyed_hash import AddressHash

        return AddressHash.of(self._secret)


def strip_marks(reasons: tuple[Reason, ...]) -> tuple[Reason, ...]:
    """Return a verdict's reasons without what own files say beside it."""
    return tuple(reason for reason in reasons if reason not in OWN_FILES)
