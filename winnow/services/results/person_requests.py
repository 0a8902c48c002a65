"""Requests about a person: search all projects, own lists and checks for one address."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from winnow.core.addresses.address import EmailAddress, duplicate_key, normalise, parse_address
from winnow.core.decisions import (
    CELL_MAX_CHARACTERS,
    ROWS_SHOWN_MOST,
    PersonAnswer,
    PersonProject,
    PersonRow,
    Unsearched,
)
from winnow.core.errors import (
    AddressSyntaxError,
    BadField,
    Gone,
    InputError,
    InspectionLost,
    QueryEnded,
    ResultNotReady,
    TaskUnknown,
)
from winnow.core.figures import cut_text
from winnow.core.lists.notices import DNS_USE, REGISTRY_USE
from winnow.core.lists.rows import Row
from winnow.core.own_lists.entries import ListEntry
from winnow.core.own_lists.patterns import ANY_DOMAIN, WILDCARD_MARK, PatternKind
from winnow.core.tasks.input_plan import InputPlan
from winnow.core.tasks.task import Task, TaskState
from winnow.core.verdicts.facts import MailRoute
from winnow.domain_data.suffixes import find_registrable
from winnow.lists.requests import RowsRequest
from winnow.services.own.file_store import cite_matches
from winnow.services.results.results import Results
from winnow.services.tasks.deletions import UPLOAD_LIFE
from winnow.services.uploads.uploads import Uploads
from winnow.storage.blobs.network_files import read_age_facts, read_mail_facts
from winnow.storage.database.database import Database
from winnow.storage.repositories.own_changes import find_changes_of
from winnow.storage.repositories.own_lists import read_entries
from winnow.storage.repositories.single_checks import KEPT_PER_ACCOUNT, list_checks
from winnow.storage.repositories.tasks import StoredTask
from winnow.storage.repositories.uploads import list_uploads
from winnow.words import translatable

if TYPE_CHECKING:
    from winnow.lists.address_search import AddressRow


@dataclass(eq=False, repr=False)
class PersonRequests:
    """Searches one account for one address. Synchronous and thread-safe."""

    database: Database
    results: Results
    uploads: Uploads

    def gather(self, account: str, text: str) -> tuple[PersonAnswer, int, tuple[Unsearched, ...]]:
        """Search everything that can be searched.

        Returns:
            What was found, how many projects were searched, and which could not be.

        Raises:
            BadField: The text is not an address that mail can be sent to.
        """
        address = read_address(text)
        projects: list[PersonProject] = []
        unsearched: list[Unsearched] = []
        names: dict[str | None, str] = {}
        searched = 0
        for task in self.results.tasks.list(account):
            try:
                found = self._search(task, address)
            except TaskUnknown:
                continue
            except Gone:
                with suppress(Gone, TaskUnknown):
                    self.results.tasks.get(account, task.task_id)  # else its files are missing
                    unsearched.append(Unsearched(task.project_name, task.expires_at))
                continue
            except (ResultNotReady, InputError, InspectionLost, QueryEnded):
                unsearched.append(Unsearched(task.project_name, task.expires_at))
                continue
            searched += 1
            names[self.results.tasks.get_stored(account, task.task_id).upload_id] = (
                task.project_name
            )
            if found is not None:
                projects.append(found)
        unsearched += (
            Unsearched(upload.file_name, upload.created_at + UPLOAD_LIFE)
            for upload in list_uploads(self.database, account)
        )
        key = duplicate_key(str(address))
        entries, store = read_entries(self.database, account), self.results.views.store
        checks = list_checks(self.database, account, KEPT_PER_ACCOUNT)
        answer = PersonAnswer(
            normalise(text),
            projects,
            [entry for entry in entries if _names(entry, key, address.domain)],
            [check for check in checks if duplicate_key(check.email) == key],
            [
                (one, names.get(file.upload_id, ""))
                for file in store.list_files(account)
                for one in cite_matches([file], store.match_address([file], str(address)))
            ],
            list(find_changes_of(self.database, account, key)),
        )
        return answer, searched, tuple(unsearched)

    def _search(self, task: Task, address: EmailAddress) -> PersonProject | None:
        from winnow.lists.address_search import find_rows  # brings numpy and polars along

        if task.state is not TaskState.COMPLETED:
            raise ResultNotReady("The project has no result.")
        stored = self.results.require_completed(task.account, task.task_id)
        found = find_rows(self.results.views.open_cells(stored), str(address))
        columns = self.results.columns(task.account, task.task_id)
        numbers = islice(found, ROWS_SHOWN_MOST)
        kept = [self.results.row(task.account, task.task_id, number) for number in numbers]
        rows = [
            PersonRow(
                row.shown_number, found[row.number], row.verdict, _name_cells(columns, row.cells)
            )
            for row in kept
        ]
        removed = list(self._find_removed(stored, address, kept))
        rows = sorted((*rows, *removed), key=lambda row: row.number)
        row_count = len(found) + len(removed)
        return self._describe(stored, address, row_count, rows[:ROWS_SHOWN_MOST]) if rows else None

    def _find_removed(
        self, stored: StoredTask, address: EmailAddress, kept: Collection[Row]
    ) -> Iterator[PersonRow]:
        """Yield the rows of the uploaded list that were removed as duplicates.

        Rows are known by their numbers, or where these are not known by their cells: repairs
        change those of addresses.
        """
        task = stored.task
        if task.summary is None or not task.summary.duplicates_removed:
            return
        work = partial(_find_rows, task.plan, str(address))
        found = self.uploads.ask(stored.input_key, task.plan.file_format, work)
        numbers = {row.file_number for row in kept}
        left = Counter(_list_others(task.plan, row.cells) for row in kept)
        for row in found:
            others = _list_others(task.plan, row.cells)
            has_number = row.number and None not in numbers
            is_kept = row.number in numbers if has_number else left[others] > 0
            left[others] -= 1
            if not is_kept:
                cells = _name_cells(task.plan.columns, row.cells)
                yield PersonRow(row.number, row.is_email, None, cells)

    def _describe(
        self, stored: StoredTask, address: EmailAddress, row_count: int, rows: list[PersonRow]
    ) -> PersonProject:
        folder, task = self.results.fetch(stored), stored.task
        mail = read_mail_facts(folder, address.domain)
        age = read_age_facts(folder, find_registrable(address.domain))
        judged_at = task.completed_at or task.submitted_at
        was_asked = mail.route is not MailRoute.NOT_LOOKED_UP
        asked = (one for one in task.notices if one.code in {DNS_USE, REGISTRY_USE})
        return PersonProject(
            task,
            row_count,
            rows,
            (mail.asked_at or judged_at) if was_asked else None,
            age.registry,
            age.asked_at,
            any(one.count for one in asked),
        )


def read_address(text: str) -> EmailAddress:
    """Return the address that a person asks about.

    Raises:
        BadField: It is not one that mail can be sent to.
    """
    try:
        return parse_address(text)
    except AddressSyntaxError as error:
        raise BadField(
            "email",
            translatable("is not one that mail can be sent to"),
            hint=translatable("Enter one address, such as ana@example.com."),
        ) from error


def _find_rows(plan: InputPlan, text: str, path: Path, scratch: Path) -> Sequence["AddressRow"]:
    from winnow.lists.address_search import find_address_rows  # brings polars along

    return find_address_rows(RowsRequest(path, plan, scratch), text)


def _list_others(plan: InputPlan, cells: Sequence[str]) -> tuple[str, ...]:
    """Return a row's own cells without those of addresses."""
    addresses = {plan.email_column, plan.second_email_column}
    places = (place for place in range(len(plan.columns)) if place not in addresses)
    return tuple(cells[place] if place < len(cells) else "" for place in places)


def _name_cells(columns: Sequence[str], cells: Sequence[str]) -> list[list[str]]:
    """Return each cell with the name of its column; empty cells without a name are left out."""
    return [
        [name.strip(), cut_text(value, CELL_MAX_CHARACTERS)]
        for name, value in zip_longest(columns, cells, fillvalue="")
        if name or value
    ]


def _names(entry: ListEntry, key: str, domain: str) -> bool:
    if entry.kind is PatternKind.WILDCARD:
        return domain.endswith(entry.pattern.removeprefix(WILDCARD_MARK.removesuffix(".")))
    return entry.pattern in (key, domain, key.rpartition("@")[0] + ANY_DOMAIN)
