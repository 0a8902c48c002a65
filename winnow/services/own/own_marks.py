"""Matches of own files and of a list's consent columns in finished projects, cached."""

import threading
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from winnow.core.addresses.address import duplicate_key, parse_address
from winnow.core.bounces import MailOutcome
from winnow.core.disk_errors import mapping_disk_errors
from winnow.core.errors import AddressSyntaxError, Gone, StorageFailed, StorageFull
from winnow.core.lists.contact_fields import find_consent, forbids_mail
from winnow.core.lists.rows import Row
from winnow.core.lists.side_files import OwnFile, OwnFileKind
from winnow.core.ports import Blobs
from winnow.core.tasks.task import InputPlan, KeyType
from winnow.core.verdicts.facts import Evidence
from winnow.core.verdicts.reasons import OWN_FILES, Reason
from winnow.services.own.own_effects import OwnEffects
from winnow.services.per_project import PerProject
from winnow.storage.database.database import Database
from winnow.storage.database.query_cache import QueryCache
from winnow.storage.repositories.own_files import list_files
from winnow.storage.repositories.tasks import StoredTask
from winnow.words import Sentence, mark, say

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from winnow.lists.marks.key_files import BounceKeys, NamedKeys
    from winnow.lists.marks.keyed_hash import AddressHash
    from winnow.lists.marks.matching import MatchedRows
    from winnow.lists.result.row_view import RowView

PROJECTS_KEPT = 16  # each takes some nine bytes a row that a file names
KEYS_KEPT = 4  # files opened for single addresses; the largest takes 80 MB
BOUNCE_REASONS = {MailOutcome.HARD: Reason.BOUNCED_HARD, MailOutcome.SOFT: Reason.BOUNCED_SOFT}
_VERSIONS = 1 << 32
_IN_COLUMN = mark("The column {column} of this list says “{cell}”.")
_DELIVERED = mark("Mail to this address arrived, by an imported bounce file.")


@dataclass(frozen=True, slots=True)
class _MarkedProject:
    """One project with the matches of some files; ``beneath`` is its view with own lists."""

    rows: "Mapping[str, MatchedRows]"
    beneath: "RowView | None"
    view: "RowView | None"


@dataclass(eq=False, repr=False)
class OwnMarks:
    """Finds the matches of the current files once per project. Synchronous and thread-safe."""

    database: Database
    blobs: Blobs
    secret: bytes
    own_effects: OwnEffects

    def __post_init__(self) -> None:
        self._files = QueryCache[tuple[str, str | None], tuple[OwnFile, ...]](self.database.changes)
        self._matching = threading.Lock()  # one at a time: each reads a list
        self._seen = PerProject[tuple[str, ...], _MarkedProject](PROJECTS_KEPT)
        self._unsubscribed = PerProject[str, "NDArray[np.int64]"](PROJECTS_KEPT)
        self._keys = PerProject[str, "NamedKeys | BounceKeys"](KEYS_KEPT)

    def find_view(self, stored: StoredTask) -> "RowView | None":
        """Return the view of a completed project with own lists and files; None: as it was judged.

        The same object while nothing changed.

        Raises:
            Gone: The project was deleted this very moment.
        """
        beneath = self.own_effects.find_overlay(stored)
        if not self._list_files(stored) and not find_consent(stored.task.plan.columns):
            return beneath
        return self._look_through(stored, beneath).view

    def version(self, stored: StoredTask) -> int:
        """Return a number that differs after each change of own lists or files."""
        version = self.own_effects.version(stored)
        files = self._list_files(stored)
        if not files:
            return version
        names = zlib.crc32("".join(file.file_id for file in files).encode())
        return version * _VERSIONS + names + 1

    def prepare(self, stored: StoredTask) -> None:
        """Find and store the rows that files match, before a page needs them.

        Raises:
            Gone: The project was deleted this very moment.
        """
        files = self._list_files(stored)
        if files:
            with self._matching:
                self._match(stored, files)

    def count_rows(self, stored: StoredTask) -> Mapping[str, int]:
        """Return the number of rows that each readable file matches, by its id."""
        seen = self._look_through(stored, self.own_effects.find_overlay(stored))
        return {file_id: len(matched.rows) for file_id, matched in seen.rows.items()}

    def cite(self, stored: StoredTask, email: str) -> tuple[Evidence, ...]:
        """Return the matches of an address of a project's list in own files, as evidence."""
        return tuple(self._cite(self._list_files(stored), email))

    def cite_bounces(self, account: str, email: str) -> tuple[Evidence, ...]:
        """Return the imported bounces of an address, as evidence."""
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
        source = say("your bounce file {file}", file=file.file_name)
        reason = BOUNCE_REASONS.get(event.outcome, Reason.BOUNCED_SOFT)
        is_bounce = event.outcome in BOUNCE_REASONS
        rule = Sentence(reason.rule if is_bounce else _DELIVERED)
        yield Evidence(reason, rule, source=source, dated=event.day)

    def _list_files(self, stored: StoredTask) -> tuple[OwnFile, ...]:
        """Return the current files of a project, read again only after a commit."""
        account = stored.task.account
        forbidden = self._files.get(
            (account, stored.upload_id),
            lambda key: list_files(self.database, key[0], OwnFileKind.DO_NOT_MAIL, key[1]),
        )
        is_sandbox = stored.task.key_type is KeyType.SANDBOX
        return forbidden if is_sandbox else forbidden + self._list_bounces(account)

    def _list_bounces(self, account: str) -> tuple[OwnFile, ...]:
        return self._files.get(
            (account, None), lambda key: list_files(self.database, key[0], OwnFileKind.BOUNCES)
        )

    def _look_through(self, stored: StoredTask, beneath: "RowView | None") -> _MarkedProject:
        files = self._list_files(stored)
        return self._seen.get(
            (stored.task.task_id, *(file.file_id for file in files)),
            lambda: self._find_matches(stored, files, beneath),
            is_enough=lambda seen: seen.beneath is beneath,
        )

    def _find_matches(
        self, stored: StoredTask, files: Sequence[OwnFile], beneath: "RowView | None"
    ) -> _MarkedProject:
        from winnow.lists.result.row_index import RowIndex
        from winnow.lists.result.row_view import RowView, find_unsubscribed  # brings numpy along

        with self._matching:
            found = self._match(stored, files)
            try:
                cells = self.own_effects.open_cells(stored)
                plain = beneath or RowView.as_judged(RowIndex.open(cells.folder))
                unsubscribed = self._unsubscribed.get(
                    stored.task.task_id, lambda: find_unsubscribed(cells)
                )
            except FileNotFoundError as error:
                raise Gone("The project has been deleted.") from error
            view = plain.add_matches(self._list_matches(files, found, unsubscribed))
        return _MarkedProject(found, beneath, beneath if view is plain else view)

    def _list_matches(
        self,
        files: Sequence[OwnFile],
        found: "Mapping[str, MatchedRows]",
        unsubscribed: "NDArray[np.int64]",
    ) -> "Mapping[Reason, Sequence[NDArray[np.int64]]]":
        """Return the matched rows by reason; the newest bounce of a row counts."""
        from winnow.lists.marks.matching import settle_rows

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
        return {
            Reason.DO_NOT_MAIL: named,
            Reason.UNSUBSCRIBED: [unsubscribed],
            **{reason: [bounced[outcome]] for outcome, reason in BOUNCE_REASONS.items()},
        }

    def _match(self, stored: StoredTask, files: Sequence[OwnFile]) -> "dict[str, MatchedRows]":
        """Return the rows that each readable file matches, stored before or found now."""
        from winnow.lists.marks.matching import find_named_rows, read_rows, write_rows

        found: dict[str, MatchedRows] = {}
        opened: list[tuple[OwnFile, NamedKeys | BounceKeys]] = []
        for file in files:
            try:
                found[file.file_id] = read_rows(
                    self.blobs.fetch(file.name_matches(stored.task.task_id))
                )
            except FileNotFoundError:
                with suppress(Gone):
                    opened.append((file, self._open_keys(file)))
        if not opened:
            return found
        try:
            cells = self.own_effects.open_cells(stored)
            parts = find_named_rows(cells, [keys for _, keys in opened], self._hashes)
        except FileNotFoundError as error:
            raise Gone("The project has been deleted.") from error
        for (file, _), matched in zip(opened, parts, strict=True):
            found[file.file_id] = matched
            with (
                suppress(StorageFull, StorageFailed),  # they are found again then
                mapping_disk_errors(),
                self.blobs.stage(file.name_matches(stored.task.task_id)) as path,
            ):
                write_rows(matched, path)
        return found

    def _open_keys(self, file: OwnFile) -> "NamedKeys | BounceKeys":
        """Read the keys of a file; only a few large files stay in memory.

        Raises:
            Gone: It can no longer be read.
        """
        from winnow.lists.marks.key_files import BounceKeys, NamedKeys

        kind = BounceKeys if file.kind is OwnFileKind.BOUNCES else NamedKeys

        def read() -> NamedKeys | BounceKeys:
            try:
                return kind.read(self.blobs.fetch(file.key), self._hashes)
            except FileNotFoundError as error:
                raise Gone("The addresses of this file are no longer stored.") from error

        return self._keys.get(file.file_id, read)

    @cached_property
    def _hashes(self) -> "AddressHash":
        from winnow.lists.marks.keyed_hash import AddressHash

        return AddressHash.of(self.secret)


def cite_columns(plan: InputPlan, row: Row) -> Iterator[Evidence]:
    """Yield the cells of a row that forbid mail to it, as evidence."""
    if Reason.UNSUBSCRIBED not in row.verdict.reasons:
        return
    for place, kind in find_consent(plan.columns).items():
        cell = row.cells[place].strip() if place < len(row.cells) else ""
        if forbids_mail(kind, cell):
            said = Sentence(_IN_COLUMN, column=plan.columns[place].strip(), cell=cell)
            yield Evidence(Reason.UNSUBSCRIBED, said)


def strip_marks(reasons: tuple[Reason, ...]) -> tuple[Reason, ...]:
    """Return a verdict's reasons without those from own files."""
    return tuple(reason for reason in reasons if reason not in OWN_FILES)
