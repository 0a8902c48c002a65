"""Finished projects as they are seen now: own lists, own files and consent columns over them."""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import cache, cached_property, partial
from itertools import islice
from typing import TYPE_CHECKING

from winnow.core.addresses.address import duplicate_key, find_address
from winnow.core.addresses.mailbox import HasPlusTags
from winnow.core.disk_errors import mapping_disk_errors
from winnow.core.errors import (
    Gone,
    InspectionLost,
    QueryEnded,
    StorageFailed,
    StorageFull,
    TaskUnknown,
)
from winnow.core.identities import Role
from winnow.core.lists.cleaning import BOUNCE_REASONS, SAID_REASONS
from winnow.core.lists.rows import Row
from winnow.core.lists.side_files import (
    FileCounts,
    LaterYes,
    MailCount,
    MailOutcome,
    OwnFile,
    OwnFileKind,
)
from winnow.core.lists.silence import USUAL_SILENCE, SilenceColumn, find_activity
from winnow.core.meaning.columns import (
    NO_DECISIONS,
    ColumnMeaning,
    MailDecisions,
    may_say,
    read_cell,
)
from winnow.core.meaning.outcomes import Outcome
from winnow.core.own_lists.patterns import ANY_DOMAIN, WILDCARD_MARK, OwnLists, parse_pattern
from winnow.core.ports import Blobs
from winnow.core.tasks.task import KeyType, Summary, Task
from winnow.core.verdicts.facts import Evidence, OwnEntry
from winnow.core.verdicts.reasons import OWN_FILES, OWN_REASONS, Reason
from winnow.domain_data.suffixes import is_public_suffix
from winnow.limited.messages import Question
from winnow.lists.reports.review import SaidOfMail
from winnow.services.own.own_lists import OwnListBook
from winnow.services.per_project import PerProject
from winnow.services.tasks.tasks import Tasks
from winnow.services.use_cases import use_case
from winnow.storage.database import tables
from winnow.storage.database.database import Database
from winnow.storage.database.query_cache import QueryCache
from winnow.storage.repositories.own_files import list_files
from winnow.storage.repositories.tasks import StoredTask
from winnow.words import Sentence, say, translatable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from winnow.lists.marks.key_files import MatchedRows, OwnKeys
    from winnow.lists.marks.keyed_hash import AddressHash
    from winnow.lists.result.cell_table import AskCells, CellReader
    from winnow.lists.result.consent_cells import SaidRows
    from winnow.lists.result.row_view import RowView
    from winnow.lists.result.silence import Silence

VIEWS_KEPT = 16  # each takes two bytes a row, with own lists and files four
PROJECTS_KEPT = 64  # summaries, and eight bytes a row that is unsubscribed
KEYS_KEPT = 4  # files opened for single addresses; the largest takes 80 MB
COUNTS_KEPT = 1_000  # of rows that an entry names
ROWS_CITED = 5  # of a mailbox
_VERSIONS = 1 << 32
_LIST = translatable("The list")
_IN_COLUMN = translatable("The column {column} of this list says “{cell}”.")
_OBJECTED = translatable("This person complained or unsubscribed, by an imported bounce file.")
_IN_ROW = translatable("Row {number:d} of {file} says “{cell}” in the column {column}.")
_DELIVERED = translatable("Mail to this address arrived, by an imported bounce file.")
_SAID_NO = translatable("This person said no in a list of yours, and that is remembered.")
_AGAIN = translatable("The person said yes after that, and you chose to mail them again.")
_BOUNCED = translatable(
    "Mail to this address bounced for good, by a list of yours; that is remembered."
)


@dataclass(frozen=True, slots=True)
class _SeenProject:
    """One project with one version of the own lists, and maybe of own files.

    ``view`` is None where it is as it was judged. ``counts`` are the rows that each readable file
    matches, by its id.
    """

    view: "RowView | None"
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(eq=False, repr=False)
class ProjectViews:
    """Lays each version of own lists and files over a project once; its files never change.

    Synchronous and thread-safe.
    """

    database: Database
    blobs: Blobs
    tasks: Tasks
    own_lists: OwnListBook
    secret: bytes
    has_plus_tags: HasPlusTags
    ask: "AskCells" = Question.answer

    def __post_init__(self) -> None:
        self._files = QueryCache[str, tuple[OwnFile, ...]](
            self.database.changes_of(tables.own_files)
        )
        self._own = PerProject[tuple[str, int], _SeenProject](VIEWS_KEPT)
        self._summaries = PerProject[tuple[str, int], Summary](PROJECTS_KEPT)
        self._seen = PerProject[tuple[str, int, tuple[str, ...]], _SeenProject](VIEWS_KEPT)
        self._said = PerProject[tuple[str, str], "SaidRows"](PROJECTS_KEPT)
        self._silences = PerProject[tuple[str, str], "Silence | None"](VIEWS_KEPT)
        self._later = PerProject[tuple[str, ...], tuple[LaterYes, ...]](PROJECTS_KEPT)
        self._keys = PerProject[str, "OwnKeys"](KEYS_KEPT)
        self._listed = PerProject[tuple[str, str], int](COUNTS_KEPT)

    def open_cells(self, stored: StoredTask) -> "CellReader":
        """Return the cells of a completed project.

        Raises:
            Gone: The project was just deleted.
        """
        from winnow.lists.result.cell_table import CellReader  # brings numpy and polars along

        with naming_loss():
            return CellReader(self.blobs.fetch(stored.result_key), stored.task.plan, self.ask)

    def find_view(self, stored: StoredTask, known_at: datetime | None = None) -> "RowView | None":
        """Return the view of a completed project with own lists and files; None: as it was judged.

        The same object while nothing changed. ``known_at``: of the files for all lists only those
        that were there at that time.

        Raises:
            Gone: The project was just deleted.
        """
        return self._look_through(stored, known_at).view

    def find_remembered(self, stored: StoredTask) -> "RowView":
        """Return the view of a project with what was remembered of its people when it came."""
        from winnow.lists.marks.key_files import list_file_reasons
        from winnow.lists.result.row_index import RowIndex
        from winnow.lists.result.row_view import RowView

        came = stored.task.submitted_at
        files = [
            file
            for file in self._list_files(stored)
            if file.upload_id != stored.upload_id and file.created_at < came
        ]
        own = self._find_own(stored.task.account, stored.task.key_type)
        plain, cells = self._with_own_lists(stored, own).view, self.open_cells(stored)
        with naming_loss():
            plain = plain or RowView.as_judged(RowIndex.open(cells.folder))
            found = _sort_kinds(files, self._match(stored, cells, files))
            return plain.add_matches(list_file_reasons(found))

    def name_mailboxes(
        self, before: StoredTask, now: StoredTask, rows: "NDArray[np.int64]"
    ) -> "NDArray[np.int64]":
        """Return the rows of a later project that reach the mailboxes of an earlier one's rows."""
        from winnow.lists.marks.key_files import find_named_rows
        from winnow.lists.marks.said_no import gather_noes
        from winnow.lists.result.consent_cells import SaidRows

        said, day = SaidRows(rows={Outcome.NO_MAIL: rows}), before.task.submitted_at.date()
        with naming_loss():
            keys, _ = gather_noes(self.open_cells(before), said, self.hashes, None, day)
            cells = self.open_cells(now)
            [found] = find_named_rows(cells, [keys], self.hashes, self.has_plus_tags)
        return found.rows

    def version(self, stored: StoredTask) -> int:
        """Return a number that differs after each change of own lists, files or decisions."""
        version = self.own_lists.current(stored.task.account).version
        files = self._list_files(stored)
        asked = stored.task.request
        chosen = asked.mail, asked.silence, asked.left_out
        if not files and chosen == (NO_DECISIONS, USUAL_SILENCE, ()):
            return version
        names = zlib.crc32(f"{[file.file_id for file in files]} {chosen}".encode())
        return version * _VERSIONS + names + 1

    def prepare(self, stored: StoredTask) -> None:
        """Find and store the rows that files match, before a page needs them; errors as above."""
        files = self._list_files(stored)
        if files:
            with naming_loss():
                self._match(stored, self.open_cells(stored), files)

    @use_case(Role.READER)
    def present(self, task: Task) -> Task:
        """Return a task with its counts by the own lists of now; what was charged stays as it is.

        A project that was just deleted, or is too large to count, is returned unchanged.
        """
        return self._present(task, self._find_own(task.account, task.key_type))

    @use_case(Role.READER)
    def present_all(self, tasks: Sequence[Task]) -> list[Task]:
        """Return tasks as ``present`` does, by lists that are read once."""
        find_own = cache(self._find_own)
        return [self._present(task, find_own(task.account, task.key_type)) for task in tasks]

    def _present(self, task: Task, own: OwnLists) -> Task:
        summary = task.summary
        if summary is None or not (own.entries or _was_overruled(summary)):
            return task
        try:
            stored = self.tasks.get_stored(task.account, task.task_id)
            key = task.task_id, own.version
            counted = self._summaries.get(key, lambda: self._count(stored, summary, own))
        except (Gone, TaskUnknown, InspectionLost, QueryEnded):
            return task
        return replace(task, summary=counted)

    def find_entry(self, task: Task, text: str, domain: str) -> OwnEntry | None:
        """Return the entry that now decides the verdict of a well-formed address in a project."""
        return self._find_own(task.account, task.key_type).match(text, domain)

    def count_rows(self, stored: StoredTask) -> Mapping[str, int]:
        """Return the number of rows that each readable file matches, by its id."""
        return self._look_through(stored).counts

    @use_case(Role.READER)
    def count_listed(self, account: str, text: str) -> tuple[int, int]:
        """Return how many rows of how many projects an entry of the own lists would name.

        Args:
            account: Whose projects.
            text: The entry's pattern as typed.

        Raises:
            BadField: It is none.
        """
        pattern = parse_pattern(text, is_public_suffix).text
        counts = [
            self._listed.get((task.task_id, pattern), partial(self._count_listed, task, pattern))
            for task in self.tasks.list(account)
            if task.summary is not None and task.key_type is not KeyType.SANDBOX
        ]
        return sum(counts), sum(map(bool, counts))

    def _count_listed(self, task: Task, pattern: str) -> int:
        """Return how many rows of a project an entry would name; 0 if it cannot be read."""
        import numpy as np

        from winnow.lists.result.cell_queries import find_addresses, find_local_parts
        from winnow.lists.result.row_index import RowIndex

        with suppress(Gone, TaskUnknown, InspectionLost, QueryEnded), naming_loss():
            cells = self.open_cells(self.tasks.get_stored(task.account, task.task_id))
            if pattern.endswith(ANY_DOMAIN):
                return len(cells.find(find_local_parts, [pattern.removesuffix(ANY_DOMAIN)])[0])
            index = RowIndex.open(cells.folder)
            below = pattern.removeprefix("*") if pattern.startswith(WILDCARD_MARK) else None
            codes = index.find_domains([pattern.rpartition("@")[2]], below)
            if codes and "@" in pattern:
                return len(cells.find(find_addresses, [pattern])[0])
            named = (np.isin(index.domain_codes(*run), codes) for run in index.iterate_runs())
            return sum(int(np.count_nonzero(some)) for some in named)
        return 0

    def cite(self, stored: StoredTask, email: str) -> tuple[Evidence, ...]:
        """Return the matches of an address of a project's list in own files, as evidence."""
        return tuple(self.cite_files(self._list_files(stored), email))

    def open_standing(self, account: str) -> "Mapping[OwnFileKind, list[OwnKeys]]":
        """Return the readable files that count for all lists of an account, by kind."""
        found: dict[OwnFileKind, list[OwnKeys]] = {}
        for file in self.list_all_files(account):
            with suppress(FileNotFoundError):
                if file.counts_for_all:
                    found.setdefault(file.counts_as, []).append(self.open_keys(file))
        return found

    def list_mailed(self, account: str) -> tuple[tuple[MailCount, ...], ...]:
        """Return what imported files say became of mail to kinds of addresses, each file once."""
        found = {
            file.sha256: file.counts.mailed
            for file in self.list_all_files(account)
            if file.kind is OwnFileKind.BOUNCES
        }
        return tuple(found.values())

    def cite_standing(self, account: str, email: str) -> tuple[Evidence, ...]:
        """Return the matches of an address in the files that count for all lists, as evidence."""
        standing = [file for file in self.list_all_files(account) if file.counts_for_all]
        return tuple(self.cite_files(standing, email))

    def gather_noes(self, stored: StoredTask, *, is_new: bool) -> "tuple[OwnKeys, FileCounts]":
        """Return who says no in a list, as hashes with the day of it.

        Of a new result, what the run wrote down is all; later decisions may be on other columns.
        """
        from winnow.lists.marks.said_no import gather_noes
        from winnow.lists.result.consent_cells import SaidRows
        from winnow.lists.result.noes import Noes

        task = stored.task
        with naming_loss():
            cells = self.open_cells(stored)
            if is_new:
                said = SaidRows(noes=Noes.open(cells, task.request.mail))
            else:
                said = self._read_consent(stored, cells)
            column, today = task.request.keep.date_column, task.submitted_at.date()
            return gather_noes(cells, said, self.hashes, column, today)

    def find_later_yes(self, stored: StoredTask) -> tuple[LaterYes, ...]:
        """Return the rows of a project that say yes on a day after a remembered no."""
        files, mail = self._list_files(stored), str(stored.task.request.mail)
        if not any(file.counts_as is OwnFileKind.SAID_NO for file in files):
            return ()
        key = stored.task.task_id, mail, *(file.file_id for file in files)
        return self._later.get(key, lambda: self._look_for_yes(stored, files))

    def _look_for_yes(self, stored: StoredTask, files: Sequence[OwnFile]) -> tuple[LaterYes, ...]:
        from winnow.lists.marks.said_no import find_later_yes

        task = stored.task
        with naming_loss():
            cells = self.open_cells(stored)
            matched = _sort_kinds(files, self._match(stored, cells, files))
            said, column = self._read_consent(stored, cells), task.request.keep.date_column
            today = task.submitted_at.date()
            return tuple(find_later_yes(cells, matched, said, column, today))

    def add_yes(self, stored: StoredTask, yes: LaterYes) -> "tuple[OwnKeys, FileCounts]":
        """Return who is mailed again, with the person of one more row."""
        from winnow.lists.marks.said_no import add_yes

        former = self.open_standing(stored.task.account).get(OwnFileKind.MAIL_AGAIN, [])
        with naming_loss():
            return add_yes(self.open_cells(stored), self.hashes, yes, former)

    def cite_files(self, files: Sequence[OwnFile], email: str) -> Iterator[Evidence]:
        """Yield the matches of an address in files, as evidence."""
        if not files or find_address(email) is None:
            return
        key = duplicate_key(email)
        for file in files:
            with suppress(FileNotFoundError):
                keys = self.open_keys(file)
                found = keys.match_address(key, self.hashes, self.has_plus_tags)
                if (event := found.read_last()) is not None:
                    yield _cite_event(file, *event)
                elif len(found.rows):
                    rule, dated = Sentence(Reason.DO_NOT_MAIL.rule), file.created_at.date()
                    yield Evidence(Reason.DO_NOT_MAIL, rule, source=file.file_name, dated=dated)

    def leave_out(self, files: Sequence[OwnFile], email: str) -> bool:
        """Return whether files leave an address out, as they would a row of a list."""
        from winnow.lists.marks.key_files import list_file_reasons

        key = duplicate_key(email)
        found: dict[str, MatchedRows] = {}
        for file in files:
            with suppress(FileNotFoundError):
                keys = self.open_keys(file)
                found[file.file_id] = keys.match_address(key, self.hashes, self.has_plus_tags)
        by_reason = list_file_reasons(_sort_kinds(files, found))
        return any(len(rows) for parts in by_reason.values() for rows in parts)

    def is_readable(self, file: OwnFile) -> bool:
        """Return whether a file's hashes are there, and of this installation's pepper."""
        from winnow.lists.marks.key_files import has_seal

        with suppress(FileNotFoundError):
            return has_seal(self.blobs.fetch(file.key), self.hashes)
        return False

    def _find_own(self, account: str, key_type: KeyType) -> OwnLists:
        """Return the own lists that apply to a project: none in the sandbox."""
        return OwnLists() if key_type is KeyType.SANDBOX else self.own_lists.current(account)

    def _list_files(self, stored: StoredTask) -> tuple[OwnFile, ...]:
        """Return the current files of a project, read again only after a commit."""
        return tuple(
            file for file in self.list_all_files(stored.task.account) if _holds(file, stored)
        )

    def list_all_files(self, account: str) -> tuple[OwnFile, ...]:
        """Return all files of an account, the oldest first, read again only after a change."""
        return self._files.get(account, lambda key: list_files(self.database, key))

    def _look_through(self, stored: StoredTask, known_at: datetime | None = None) -> _SeenProject:
        task, files = stored.task, self._list_files(stored)
        if known_at is not None:
            of_list = stored.upload_id
            files = tuple(
                file for file in files if file.upload_id == of_list or file.created_at <= known_at
            )
        own = self._find_own(task.account, task.key_type)
        files_now = (file.file_id for file in files)
        asked = task.request
        chosen = *map(str, (asked.mail, asked.silence, asked.left_out)), *files_now
        key = stored.task.task_id, own.version, chosen
        return self._seen.get(key, lambda: self._lay_files(stored, own, files))

    def _with_own_lists(self, stored: StoredTask, own: OwnLists) -> _SeenProject:
        """Lay own lists over a project; without any, nothing is read."""

        def lay() -> _SeenProject:
            if not (own.entries or _was_overruled(stored.task.summary)):
                return _SeenProject(None)
            from winnow.lists.result.row_view import RowView  # brings numpy and polars along

            with naming_loss():
                return _SeenProject(RowView.with_own_lists(self.open_cells(stored), own))

        return self._own.get((stored.task.task_id, own.version), lay)

    def _lay_files(
        self, stored: StoredTask, own: OwnLists, files: Sequence[OwnFile]
    ) -> _SeenProject:
        """Lay the matches of files over the view with own lists."""
        view = self._with_own_lists(stored, own).view
        plan = stored.task.plan
        asked = stored.task.request
        is_decided = asked.mail.columns or asked.left_out or asked.silence != USUAL_SILENCE
        says = may_say(plan.columns, plan.email_column) or find_activity(plan.columns)
        if not (files or is_decided or says):
            return _SeenProject(view)
        from winnow.lists.result.row_index import RowIndex
        from winnow.lists.result.row_view import RowView

        with naming_loss():
            cells = self.open_cells(stored)
            found = self._match(stored, cells, files)
            plain = view or RowView.as_judged(RowIndex.open(cells.folder))
            marked = plain.add_matches(self._list_matches(stored, cells, files, found))
            silence = self._read_silence(stored, cells)
            marked = marked if silence is None else marked.add_silence(silence.months)
        counts = {file_id: matched.count_rows() for file_id, matched in found.items()}
        return _SeenProject(view if marked is plain else marked, counts)

    def _list_matches(
        self,
        stored: StoredTask,
        cells: "CellReader",
        files: Sequence[OwnFile],
        found: "Mapping[str, MatchedRows]",
    ) -> "Mapping[Reason, Sequence[NDArray[np.int64]]]":
        """Return the matched rows by reason; the newest bounce of a row counts."""
        from winnow.lists.marks.key_files import list_file_reasons
        from winnow.lists.result.own_values import find_groups

        by_reason = list_file_reasons(_sort_kinds(files, found))
        for reason, rows in self._read_consent(stored, cells).list_reasons().items():
            by_reason.setdefault(reason, []).extend(rows)
        if groups := stored.task.request.left_out:
            by_reason[Reason.LEFT_OUT] = [cells.find(find_groups, groups)]
        return by_reason

    @use_case(Role.READER)
    def read_meanings(self, stored: StoredTask) -> "tuple[ColumnMeaning, ...]":
        """Return the columns of a project that say, or may say, who may be mailed."""
        with naming_loss():
            return self._read_consent(stored, self.open_cells(stored)).columns

    def find_silence(self, stored: StoredTask) -> SilenceColumn | None:
        """Return the column of a project that says when people were active; None: there is none."""
        with naming_loss():
            found = self._read_silence(stored, self.open_cells(stored))
        return None if found is None else found.column

    def _read_silence(self, stored: StoredTask, cells: "CellReader") -> "Silence | None":
        from winnow.lists.result.silence import read_silence

        choice, today = stored.task.request.silence, stored.task.submitted_at.date()
        key = stored.task.task_id, str(choice)
        return self._silences.get(key, lambda: read_silence(cells, choice, today))

    def read_said(self, stored: StoredTask) -> SaidOfMail:
        """Return what a project's columns say of mail, and of how many rows."""
        import numpy as np

        from winnow.lists.result.row_index import RowIndex
        from winnow.lists.result.row_view import RowView

        with naming_loss():
            cells = self.open_cells(stored)
            said = self._read_consent(stored, cells)
            view = self.find_view(stored) or RowView.as_judged(RowIndex.open(cells.folder))
            rows = {one: view.count_among(found) for one, found in said.rows.items()}
        reasons = said.list_reasons().items()
        counts = {one: len(np.unique(np.concatenate(parts))) for one, parts in reasons}
        return SaidOfMail(said.columns, rows, counts)

    def cite_rows(self, stored: StoredTask, row: Row) -> Iterator[Evidence]:
        """Yield what other rows of a row's mailbox say against mail to it, removed rows too."""
        with naming_loss():
            noes = self._read_consent(stored, self.open_cells(stored)).noes
        for said in islice(() if noes is None else noes.cite(row.number - 1), ROWS_CITED):
            file, number = _name_place(stored.task, said.number)
            text = Sentence(_IN_ROW, number=number, file=file, column=said.column, cell=said.cell)
            yield Evidence(SAID_REASONS[said.outcome], text, _LIST)

    def _read_consent(self, stored: StoredTask, cells: "CellReader") -> "SaidRows":
        from winnow.lists.result.consent_cells import read_consent

        mail = stored.task.request.mail
        key = stored.task.task_id, str(mail)
        return self._said.get(key, lambda: read_consent(cells, mail))

    def _match(
        self, stored: StoredTask, cells: "CellReader", files: Sequence[OwnFile]
    ) -> "dict[str, MatchedRows]":
        """Return the rows that each readable file matches, stored before or found now."""
        from winnow.lists.marks.key_files import find_named_rows, read_rows, write_rows

        found: dict[str, MatchedRows] = {}
        opened: list[tuple[OwnFile, OwnKeys]] = []
        for file in files:
            try:
                found[file.file_id] = read_rows(
                    self.blobs.fetch(file.name_matches(stored.task.task_id))
                )
            except FileNotFoundError:
                with suppress(FileNotFoundError):
                    opened.append((file, self.open_keys(file)))
        if not opened:
            return found
        parts = find_named_rows(
            cells, [keys for _, keys in opened], self.hashes, self.has_plus_tags
        )
        for (file, _), matched in zip(opened, parts, strict=True):
            found[file.file_id] = matched
            with (
                suppress(StorageFull, StorageFailed),  # they are found again then
                mapping_disk_errors(),
                self.blobs.stage(file.name_matches(stored.task.task_id)) as path,
            ):
                write_rows(matched, path)
        return found

    def _count(self, stored: StoredTask, summary: Summary, own: OwnLists) -> Summary:
        """Return the counts of a project with own lists."""
        view = self._with_own_lists(stored, own).view
        if view is None:
            return summary
        from winnow.lists.result.result_rows import ResultRows

        with naming_loss():
            folder = self.blobs.fetch(stored.result_key)
            return ResultRows(folder, stored.task.plan, view).summarise(summary)

    def open_keys(self, file: OwnFile) -> "OwnKeys":
        """Read the keys of a file; only a few large files stay in memory.

        Raises:
            FileNotFoundError: They can no longer be read.
        """
        from winnow.lists.marks.key_files import OwnKeys

        return self._keys.get(
            file.file_id, lambda: OwnKeys.read(self.blobs.fetch(file.key), self.hashes)
        )

    @cached_property
    def hashes(self) -> "AddressHash":
        """What hides addresses in own files."""
        from winnow.lists.marks.keyed_hash import AddressHash

        return AddressHash.of(self.secret)


def _sort_kinds(
    files: Sequence[OwnFile], found: "Mapping[str, MatchedRows]"
) -> "Mapping[OwnFileKind, Sequence[MatchedRows]]":
    """Return the rows that each readable file matches, by kind."""
    readable = [file for file in files if file.file_id in found]
    return {
        kind: [found[file.file_id] for file in readable if file.counts_as is kind]
        for kind in OwnFileKind
    }


def _holds(file: OwnFile, stored: StoredTask) -> bool:
    """Return whether a file counts for a project.

    What the same list said does not: its columns say it, by the decisions and the policy of now.
    """
    if file.kind is OwnFileKind.EARLIER:
        return False
    if file.kind is not OwnFileKind.SAID_NO and file.upload_id == stored.upload_id:
        return True
    is_same = stored.list_id == file.said_by or stored.upload_id == file.upload_id
    is_echo = file.kind is OwnFileKind.SAID_NO and is_same
    return file.counts_for_all and not is_echo and stored.task.key_type is not KeyType.SANDBOX


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


def cite_columns(
    columns: Sequence[ColumnMeaning], row: Row, mail: MailDecisions = NO_DECISIONS
) -> Iterator[Evidence]:
    """Yield the cells of a row that forbid mail to it, as evidence."""
    for column in columns:
        cell = row.cells[column.position].strip() if column.position < len(row.cells) else ""
        reason = SAID_REASONS.get(read_cell(column, cell, mail)) if column.applied else None
        if reason in row.verdict.reasons:
            said = Sentence(_IN_COLUMN, column=column.name.strip(), cell=cell)
            yield Evidence(reason, said, _LIST)


def _name_place(task: Task, number: int) -> tuple[str, int]:
    """Return the file of a row, and its number there, by that in the list; headers are rows."""
    merge, above = task.request.merge, int(task.plan.has_header)
    before = 0
    for file in () if merge is None else merge.files:
        if number - above <= before + file.rows:
            return file.file_name, number - before
        before += file.rows
    return task.file_name, number


def strip_matches(reasons: tuple[Reason, ...]) -> tuple[Reason, ...]:
    """Return a verdict's reasons without those from own files."""
    return tuple(reason for reason in reasons if reason not in OWN_FILES)


@contextmanager
def naming_loss() -> Iterator[None]:
    """Turn the error of a project's file that something else removed into Gone."""
    try:
        yield
    except FileNotFoundError as error:
        raise Gone("The project has been deleted.") from error


def _was_overruled(summary: Summary | None) -> bool:
    return summary is not None and not OWN_REASONS.isdisjoint(summary.by_reason)
