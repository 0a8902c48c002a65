"""Finished projects as they are seen now: own lists, own files and consent columns over them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING

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
from winnow.core.lists.cleaning import SAID_REASONS
from winnow.core.lists.rows import Row
from winnow.core.lists.side_files import OwnFile, OwnFileKind
from winnow.core.lists.silence import USUAL_SILENCE, find_activity
from winnow.core.meaning.columns import may_say, read_cell
from winnow.core.own_lists.patterns import ANY_DOMAIN, WILDCARD_MARK, OwnLists, parse_pattern
from winnow.core.tasks.task import KeyType, Summary, Task
from winnow.core.verdicts.facts import Evidence, OwnEntry
from winnow.core.verdicts.reasons import OWN_REASONS, Reason
from winnow.domain_data.suffixes import is_public_suffix
from winnow.limited.messages import Question
from winnow.services.own.file_store import FileStore, cite_matches, sort_kinds
from winnow.services.own.own_lists import OwnListBook
from winnow.services.per_project import PerProject
from winnow.services.tasks.tasks import Tasks
from winnow.services.use_cases import use_case
from winnow.storage.repositories.tasks import StoredTask
from winnow.words import Sentence, translatable

if TYPE_CHECKING:
    from winnow.lists.marks.key_files import MatchedRows, OwnKeys
    from winnow.lists.result.cell_table import AskCells, CellReader
    from winnow.lists.result.consent_cells import SaidRows
    from winnow.lists.result.row_view import RowView
    from winnow.lists.result.silence import Silence

VIEWS_KEPT = 16  # each takes two bytes a row, with own lists and files four
PROJECTS_KEPT = 64  # summaries, and eight bytes a row that is unsubscribed
COUNTS_KEPT = 4096  # of rows that an entry names in a project
ROWS_CITED = 5  # of a mailbox
_LIST = translatable("The list")
_EMPTY = Sentence(translatable("(empty)"))
_IN_COLUMN = translatable("The column {column} of this list says “{cell}”.")
_IN_ROW = translatable("Row {number:d} of {file} says “{cell}” in the column {column}.")


@dataclass(frozen=True, slots=True)
class SeenProject:
    """One project with one version of own lists, own files and decisions.

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

    store: FileStore
    tasks: Tasks
    own_lists: OwnListBook
    ask: "AskCells" = Question.answer

    def __post_init__(self) -> None:
        self._own = PerProject[tuple[str, int], SeenProject](VIEWS_KEPT)
        self._seen = PerProject[tuple[str, int], SeenProject](VIEWS_KEPT)
        self._summaries = PerProject[tuple[str, int], Summary](PROJECTS_KEPT)
        self._said = PerProject[tuple[str, str], "SaidRows"](PROJECTS_KEPT)
        self._silences = PerProject[tuple[str, str], "Silence | None"](VIEWS_KEPT)
        self._listed = PerProject[tuple[str, str], int](COUNTS_KEPT)

    def open_cells(self, stored: StoredTask) -> "CellReader":
        """Return the cells of a completed project.

        Raises:
            Gone: The project was just deleted.
        """
        from winnow.lists.result.cell_table import CellReader  # brings numpy and polars along

        with naming_loss():
            folder = self.store.blobs.fetch(stored.result_key)
            return CellReader(folder, stored.task.plan, self.ask)

    def list_files(self, stored: StoredTask) -> tuple[OwnFile, ...]:
        """Return the files that count for a project, the oldest first."""
        files = self.store.list_files(stored.task.account)
        return tuple(file for file in files if _holds(file, stored))

    def see(self, stored: StoredTask, known_at: datetime | None = None) -> SeenProject:
        """Return a completed project with own lists and files.

        The same object while nothing changed. ``known_at``: of the files for all lists only those
        that were there at that time.

        Raises:
            Gone: The project was just deleted.
        """
        own, files = self._find_own(stored.task), self.list_files(stored)
        if known_at is not None:
            of_list = stored.upload_id
            files = tuple(
                file for file in files if file.upload_id == of_list or file.created_at <= known_at
            )
        key = stored.task.task_id, _number_state(stored, own, files)
        return self._seen.get(key, lambda: self._lay(stored, own, files))

    def version(self, stored: StoredTask) -> int:
        """Return a number that differs after each change of own lists, files or decisions."""
        return _number_state(stored, self._find_own(stored.task), self.list_files(stored))

    @use_case(Role.READER)
    def present(self, task: Task) -> Task:
        """Return a task with its counts by the own lists of now; what was charged stays as it is.

        A project that was just deleted, or is too large to count, is returned unchanged.
        """
        summary, own = task.summary, self._find_own(task)
        if summary is None or not (own.entries or _was_overruled(summary)):
            return task
        try:
            stored = self.tasks.get_stored(task.account, task.task_id)
            key = task.task_id, own.version
            counted = self._summaries.get(key, lambda: self._count(stored, summary, own))
        except (Gone, TaskUnknown, InspectionLost, QueryEnded):
            return task
        return replace(task, summary=counted)

    @use_case(Role.READER)
    def present_all(self, tasks: Sequence[Task]) -> list[Task]:
        """Return tasks as ``present`` does."""
        return [self.present(task) for task in tasks]

    def find_entry(self, task: Task, text: str, domain: str) -> OwnEntry | None:
        """Return the entry that now decides the verdict of a well-formed address in a project."""
        return self._find_own(task).match(text, domain)

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
        tasks = [
            task
            for task in self.tasks.list(account)
            if task.summary is not None and task.key_type is not KeyType.SANDBOX
        ]

        counts = [
            self._listed.get((task.task_id, pattern), partial(self._count_listed, task, pattern))
            for task in tasks
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

    def cite(self, stored: StoredTask, row: Row) -> Iterator[Evidence]:
        """Yield what forbids mail to a row: own files, its cells, other rows of its mailbox.

        Of its mailbox removed rows speak too.
        """
        files, place = self.list_files(stored), row.number - 1
        matched = self.match(stored, files)
        yield from cite_matches(files, {one: some.pick(place) for one, some in matched.items()})
        said = self.read_consent(stored)
        for column in said.columns:
            cell = "".join(row.cells[column.position : column.position + 1]).strip()
            outcome = read_cell(column, cell, stored.task.request.mail)
            reason = SAID_REASONS.get(outcome) if column.applied else None
            if reason in row.verdict.reasons:
                text = Sentence(_IN_COLUMN, column=column.name.strip(), cell=cell or _EMPTY)
                yield Evidence(reason, text, _LIST)
        noes = () if said.noes is None else said.noes.cite(place)
        for one in islice(noes, ROWS_CITED):
            file, number = _name_place(stored.task, one.number)
            cell = one.cell or _EMPTY
            text = Sentence(_IN_ROW, number=number, file=file, column=one.column, cell=cell)
            yield Evidence(SAID_REASONS[one.outcome], text, _LIST)

    def read_consent(self, stored: StoredTask) -> "SaidRows":
        """Return what the columns of a project say of mail to its rows."""
        from winnow.lists.result.consent_cells import read_consent

        mail = stored.task.request.mail
        with naming_loss():
            key = stored.task.task_id, str(mail)
            return self._said.get(key, lambda: read_consent(self.open_cells(stored), mail))

    def read_silence(self, stored: StoredTask) -> "Silence | None":
        """Return how long a project's people have been silent; None: no column says it."""
        from winnow.lists.result.silence import read_silence

        choice, today = stored.task.request.silence, stored.task.submitted_at.date()
        with naming_loss():
            return self._silences.get(
                (stored.task.task_id, str(choice)),
                lambda: read_silence(self.open_cells(stored), choice, today),
            )

    def match(self, stored: StoredTask, files: Sequence[OwnFile]) -> "dict[str, MatchedRows]":
        """Return the rows that each readable file matches, by its id: stored before or found now.

        Raises:
            Gone: The project was just deleted.
        """
        from winnow.lists.marks.key_files import find_named_rows, read_rows, write_rows

        blobs, hashes = self.store.blobs, self.store.hashes
        found: dict[str, MatchedRows] = {}
        opened: list[tuple[OwnFile, OwnKeys]] = []
        for file in files:
            try:
                found[file.file_id] = read_rows(blobs.fetch(file.name_matches(stored.task.task_id)))
            except FileNotFoundError:
                with suppress(FileNotFoundError):
                    opened.append((file, self.store.open_keys(file)))
        if not opened:
            return found
        with naming_loss():
            keys = [keys for _, keys in opened]
            has_tags = self.store.has_plus_tags
            parts = find_named_rows(self.open_cells(stored), keys, hashes, has_tags)
        for (file, _), matched in zip(opened, parts, strict=True):
            found[file.file_id] = matched
            with (
                suppress(StorageFull, StorageFailed),  # they are found again then
                mapping_disk_errors(),
                blobs.stage(file.name_matches(stored.task.task_id)) as path,
            ):
                write_rows(matched, path)
        return found

    def match_kinds(
        self, stored: StoredTask, files: Sequence[OwnFile]
    ) -> "Mapping[OwnFileKind, Sequence[MatchedRows]]":
        """Return the rows that files match by kind; errors are those of ``match``."""
        return sort_kinds(files, self.match(stored, files))

    def lay_lists(self, stored: StoredTask, own: OwnLists | None = None) -> "RowView | None":
        """Return the view of a project with own lists alone; without any, nothing is read."""
        own = self._find_own(stored.task) if own is None else own

        def lay() -> SeenProject:
            if not (own.entries or _was_overruled(stored.task.summary)):
                return SeenProject(None)
            from winnow.lists.result.row_view import RowView  # brings numpy and polars along

            with naming_loss():
                return SeenProject(RowView.with_own_lists(self.open_cells(stored), own))

        return self._own.get((stored.task.task_id, own.version), lay).view

    def _lay(self, stored: StoredTask, own: OwnLists, files: Sequence[OwnFile]) -> SeenProject:
        """Lay the matches of files, of columns and of groups over the view with own lists."""
        view, plan, asked = self.lay_lists(stored, own), stored.task.plan, stored.task.request
        is_decided = asked.mail.columns or asked.left_out or asked.silence != USUAL_SILENCE
        says = may_say(plan.columns, plan.email_column) or find_activity(plan.columns)
        if not (files or is_decided or says):
            return SeenProject(view)
        from winnow.lists.marks.key_files import list_file_reasons
        from winnow.lists.result.own_values import find_groups
        from winnow.lists.result.row_index import RowIndex
        from winnow.lists.result.row_view import RowView

        with naming_loss():
            cells, found = self.open_cells(stored), self.match(stored, files)
            by_reason = list_file_reasons(sort_kinds(files, found))
            for reason, rows in self.read_consent(stored).list_reasons().items():
                by_reason.setdefault(reason, []).extend(rows)
            if asked.left_out:
                by_reason[Reason.LEFT_OUT] = [cells.find(find_groups, asked.left_out)]
            plain = view or RowView.as_judged(RowIndex.open(cells.folder))
            marked, silence = plain.add_matches(by_reason), self.read_silence(stored)
            marked = marked if silence is None else marked.add_silence(silence.months)
        counts = {file_id: matched.count_rows() for file_id, matched in found.items()}
        return SeenProject(view if marked is plain else marked, counts)

    def _count(self, stored: StoredTask, summary: Summary, own: OwnLists) -> Summary:
        """Return the counts of a project with own lists."""
        view = self.lay_lists(stored, own)
        if view is None:
            return summary
        from winnow.lists.result.result_rows import ResultRows

        with naming_loss():
            folder = self.store.blobs.fetch(stored.result_key)
            return ResultRows(folder, stored.task.plan, view).summarise(summary)

    def _find_own(self, task: Task) -> OwnLists:
        """Return the own lists that apply to a project: none in the sandbox."""
        is_sandbox = task.key_type is KeyType.SANDBOX
        return OwnLists() if is_sandbox else self.own_lists.current(task.account)


def _number_state(stored: StoredTask, own: OwnLists, files: Sequence[OwnFile]) -> int:
    """Return a number of a project's decisions, and of the own lists and files laid over it.

    It has at most 18 digits, as names of stored files may have.
    """
    asked = stored.task.request
    chosen = *map(str, (asked.mail, asked.silence, asked.left_out)), *(one.file_id for one in files)
    return int.from_bytes(sha256(repr((own.version, chosen)).encode()).digest()[:7], "big")


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


def _name_place(task: Task, number: int) -> tuple[str, int]:
    """Return the file of a row, and its number there, by that in the list; headers are rows."""
    merge, above = task.request.merge, int(task.plan.has_header)
    before = 0
    for file in () if merge is None else merge.files:
        if number - above <= before + file.rows:
            return file.file_name, number - before
        before += file.rows
    return task.file_name, number


@contextmanager
def naming_loss() -> Iterator[None]:
    """Turn the error of a project's file that something else removed into Gone."""
    try:
        yield
    except FileNotFoundError as error:
        raise Gone("The project has been deleted.") from error


def _was_overruled(summary: Summary | None) -> bool:
    return summary is not None and not OWN_REASONS.isdisjoint(summary.by_reason)
