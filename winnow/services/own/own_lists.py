"""Own lists of an account: edited, imported, exported, looked up."""

import csv
import io
import unicodedata
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path

from winnow.core.errors import BadField
from winnow.core.identities import Event, Role
from winnow.core.lists.side_files import NamedEntries
from winnow.core.lists.upload import Upload
from winnow.core.own_lists.entries import (
    ENTRIES_MAX,
    EntryPage,
    ImportReport,
    ListEntry,
    OwnChange,
    RefusedLine,
    Undone,
)
from winnow.core.own_lists.patterns import OwnLists, parse_pattern
from winnow.core.unicode_forms import guard_cell, unguard_cell
from winnow.core.verdicts.verdict import Category
from winnow.domain_data.suffixes import is_public_suffix
from winnow.lists.inspection.signature import find_extension
from winnow.services.per_project import PerProject
from winnow.services.uploads.uploads import Uploads
from winnow.services.use_cases import use_case
from winnow.storage.database import tables
from winnow.storage.database.database import Database
from winnow.storage.database.query_cache import QueryCache
from winnow.storage.repositories import own_lists as own_list_rows
from winnow.storage.repositories.own_changes import list_changes

ACCOUNTS_KEPT = 64
NOTE_MAX_CHARACTERS = 200
IMPORT_MAX_BYTES = 64 << 20  # 100,000 of the longest entries
REFUSED_LINES_SHOWN = 100
REPORTS_KEPT = 64
CHANGES_SHOWN = 10
_NAMES_NOBODY = "it is neither an address nor a domain"
_CATEGORY_WORDS = {**{category.value: category for category in Category}, "gray": Category.GREY}


@dataclass(eq=False, repr=False)
class OwnListBook:
    """The own lists of every account. Synchronous and thread-safe.

    A change applies when the call returns: in this process and, for tasks that begin later, in
    the workers. One for which the quota has no space raises QuotaExceeded, and changes nothing.
    """

    database: Database
    uploads: Uploads
    clock: Callable[[], datetime]

    def __post_init__(self) -> None:
        self._versions = QueryCache[str, int](self.database.changes_of(tables.own_list_versions))
        self._current = PerProject[str, OwnLists](ACCOUNTS_KEPT)
        self._reports: dict[str, ImportReport] = {}

    def current(self, account: str) -> OwnLists:
        """Return an account's lists as they are now, ready for look-ups."""
        version = self._versions.get(
            account, lambda name: own_list_rows.read_version(self.database, name)
        )
        return self._current.get(
            account,
            lambda: own_list_rows.read_own_lists(self.database, account),
            is_enough=lambda known: known.version == version,
        )

    @use_case(Role.MEMBER, Event.OVERRULED, subject="category")
    def add(
        self, account: str, pattern: str, category: Category, note: str | None = None
    ) -> ListEntry:
        """Put one pattern on a list; one on another list moves, and keeps its date.

        It keeps its note, too, where ``note`` is None.

        Raises:
            BadField: The pattern or note is not valid, or the lists are full.
        """
        entry = self._read_entry(pattern, category, note or "")
        now, keeps = self.clock(), note is None
        own_list_rows.put_entries(self.database, account, [entry], now=now, keeps_notes=keeps)
        return own_list_rows.find_entry(self.database, account, entry.pattern) or entry

    @use_case(Role.MEMBER, Event.LISTS_CHANGED)
    def change(
        self,
        account: str,
        pattern: str,
        *,
        category: Category | None = None,
        note: str | None = None,
    ) -> None:
        """Change an entry's list or note; a pattern that was removed is not added again.

        Raises:
            BadField: The note is not valid.
        """
        entry = own_list_rows.find_entry(self.database, account, pattern)
        if entry is not None:
            new_note = entry.note if note is None else _read_note(note)
            wanted = replace(entry, category=category or entry.category, note=new_note)
            own_list_rows.put_entries(self.database, account, [wanted], now=self.clock())

    @use_case(Role.MEMBER, Event.LISTS_CHANGED, subject="category")
    def replace(
        self,
        account: str,
        category: Category,
        entries: Sequence[tuple[str, str]],
        expects: Collection[str] | None = None,
    ) -> None:
        """Let one list have these entries, patterns and notes, and no others.

        A pattern that is on another list moves. It is one change, which can be undone.
        ``expects`` are tags (``tag_entries``), of which the list has one; None: any list will do.

        Raises:
            BadField: An entry is not valid, or the lists would be too long; nothing changed.
            ListChanged: The list has another tag; nothing changed.
        """
        wanted: dict[str, ListEntry] = {}
        for place, (pattern, note) in enumerate(entries):
            try:
                entry = self._read_entry(pattern, category, note)
            except BadField as error:
                problem = f"{error.field} {error.problem}"
                raise BadField(f"entries[{place}]", problem, hint=error.hint) from error
            wanted[entry.pattern] = entry
        own_list_rows.put_entries(
            self.database,
            account,
            list(wanted.values()),
            now=self.clock(),
            replaces=category,
            expects=expects,
        )

    @use_case(Role.MEMBER, Event.LISTS_CHANGED)
    def remove(self, account: str, patterns: Collection[str]) -> int:
        """Remove entries from the lists; return how many were there."""
        return own_list_rows.remove_entries(self.database, account, patterns, self.clock())

    @use_case(Role.MEMBER, Event.LISTS_CHANGED, subject="category")
    def remove_typed(self, account: str, category: Category, pattern: str) -> None:
        """Remove the entry of one list, if it is there, for a pattern, stored or as typed.

        Raises:
            BadField: The pattern is not valid.
        """
        if (found := self.find_entry(account, category, pattern)) is not None:
            own_list_rows.remove_entries(
                self.database, account, [found.pattern], self.clock(), category
            )

    @use_case(Role.READER)
    def find_entry(self, account: str, category: Category, pattern: str) -> ListEntry | None:
        """Return the entry of one list for a pattern, stored or as typed; None: there is none.

        Raises:
            BadField: The pattern is not valid.
        """
        found = own_list_rows.find_entry(self.database, account, pattern)
        if found is None:  # a stored one may since have become a public suffix
            stored = parse_pattern(pattern, is_public_suffix).text
            found = own_list_rows.find_entry(self.database, account, stored)
        return found if found is not None and found.category is category else None

    @use_case(Role.READER)
    def changes(self, account: str, limit: int = CHANGES_SHOWN) -> tuple[OwnChange, ...]:
        """Return the newest changes that can be undone."""
        return list_changes(self.database, account, limit)

    @use_case(Role.MEMBER, Event.LISTS_CHANGED, subject="change_id")
    def undo(self, account: str, change_id: int) -> Undone | None:
        """Undo a change; entries changed again since stay. None: it can no longer be undone.

        Raises:
            BadField: The lists would be too long; nothing changed.
        """
        return own_list_rows.undo_change(self.database, account, change_id)

    @use_case(Role.READER)
    def list(
        self,
        account: str,
        *,
        search: str = "",
        category: Category | None = None,
        offset: int = 0,
        limit: int = 50,
    ) -> EntryPage:
        """Return a page of the entries, the newest first."""
        return own_list_rows.list_entries(
            self.database,
            account,
            search=search.strip(),
            category=category,
            offset=offset,
            limit=limit,
        )

    @use_case(Role.MEMBER, Event.LISTS_CHANGED, subject="category")
    def import_file(self, account: str, received: Upload, category: Category) -> ImportReport:
        """Add the addresses and domains of a file; lines that name none are left out and reported.

        A table with the columns pattern and category says the list of each entry, and maybe a note
        (any order, any case). Other entries are put on the list of ``category``, without a note.
        Of several entries of one pattern the last counts; it replaces the one on the lists.
        ``received`` is deleted afterwards, as by ``OwnFiles.add``.

        Raises:
            BadField: The file is too large, or the lists would be too long; nothing changed.
            UnsupportedFormat, BrokenFile, EmptyFile: It cannot be read; nothing changed.
        """
        try:
            if received.size_bytes > IMPORT_MAX_BYTES:
                raise BadField("file", "is larger than {most} MiB", most=IMPORT_MAX_BYTES >> 20)
            file_format = find_extension(received.file_name)
            work = partial(_read_entries, received.file_name)
            named = self.uploads.ask(received.key, file_format, work)
        finally:
            self.uploads.discard(account, received.upload_id)
        if len(named.entries) > ENTRIES_MAX:
            raise BadField(
                "your lists",
                "would have more than {most} entries",
                most=ENTRIES_MAX,
                hint="Add such a file to a list as a do-not-mail file.",
            )
        entries: dict[str, ListEntry] = {}
        refused = [RefusedLine(line, _NAMES_NOBODY) for line in named.left_out_lines]
        refused_count = named.left_out
        for one in named.entries:
            try:
                word = one.category.strip().lower()
                chosen = _CATEGORY_WORDS.get(word) if one.category else category
                if chosen is None:
                    raise BadField("category", "must be white, grey or black")
                entry = self._read_entry(one.pattern, chosen, unguard_cell(one.note))
                entries[entry.pattern] = entry
            except BadField as error:
                refused_count += 1
                refused.append(RefusedLine(one.line, f"{error.field} {error.problem}"))
        added, changed = own_list_rows.put_entries(
            self.database, account, list(entries.values()), now=self.clock()
        )
        shown = tuple(sorted(refused, key=lambda one: one.line)[:REFUSED_LINES_SHOWN])
        report = ImportReport(added, changed, shown, refused_count, file_id=received.upload_id)
        self._reports[report.file_id] = report
        for oldest in list(self._reports)[:-REPORTS_KEPT]:
            self._reports.pop(oldest, None)
        return report

    @use_case(Role.READER)
    def find_report(self, file_id: str) -> ImportReport | None:
        """Return the report of an import of the last few, by its file; None: it is not known."""
        return self._reports.get(file_id)

    @use_case(Role.READER)
    def export_csv(self, account: str) -> bytes:
        """Return all entries as a CSV file that ``import_file`` takes back, notes guarded.

        It has a byte order mark, which spreadsheet programs need.
        """
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(("pattern", "category", "note", "added_on"))
        writer.writerows(
            (
                entry.pattern,
                entry.category.value,
                guard_cell(entry.note),
                entry.added_at.date().isoformat(),
            )
            for entry in own_list_rows.read_entries(self.database, account)
        )
        return text.getvalue().encode("utf-8-sig", "replace")

    def _read_entry(self, pattern: str, category: Category, note: str) -> ListEntry:
        read = parse_pattern(pattern, is_public_suffix)
        return ListEntry(read.text, read.kind, category, _read_note(note), self.clock())


def _read_entries(file_name: str, path: Path, scratch: Path) -> NamedEntries:
    """Read the entries of a file as texts, each with its line; too many are not read to the end."""
    from winnow.lists.side_files.named_file import list_entries  # brings polars along

    return list_entries(path, file_name, is_public_suffix, scratch, most=ENTRIES_MAX)


def _read_note(text: str) -> str:
    """Return a note on one line.

    Raises:
        BadField: It is too long.
    """
    kept = text
    if not text.isprintable():
        kept = "".join(" " if unicodedata.category(c)[0] == "C" else c for c in text)
    note = " ".join(kept.split())
    if len(note) > NOTE_MAX_CHARACTERS:
        raise BadField("note", "is longer than {most} characters", most=NOTE_MAX_CHARACTERS)
    return note
