"""Never-mail list: who said no in a finished list is left out of every list from then on."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial

from sqlalchemy import Connection

from winnow.core.identities import Event, Role
from winnow.core.lists.side_files import LaterYes, OwnFile, OwnFileKind
from winnow.core.tasks.task import KeyType
from winnow.core.verdicts.facts import Evidence
from winnow.services.own.project_views import ProjectViews, naming_loss
from winnow.services.per_project import PerProject
from winnow.services.use_cases import use_case
from winnow.storage.database import tables
from winnow.storage.database.database import Database
from winnow.storage.database.query_cache import QueryCache
from winnow.storage.repositories import own_files as own_file_rows
from winnow.storage.repositories.accounts import read_remembers, write_remembers
from winnow.storage.repositories.tasks import StoredTask

Step = Callable[[Connection], object]
LATER_KEPT = 64  # of projects: a few rows each


@dataclass(eq=False, repr=False)
class NeverMail:
    """The never-mail list of every account, as own files: each list that said no has its own.

    While it is on, every finished list adds its noes, complaints and hard bounces, and keeps its
    do-not-mail files there after its project; sandbox projects add nothing. What is on it counts
    for all lists until it is taken back, also after it is turned off; no answer of the API heeds
    it. Each run of a list is a source: a decision on one changes what that one says, and nothing
    where it was taken back. Synchronous and thread-safe.
    """

    database: Database
    views: ProjectViews

    def __post_init__(self) -> None:
        self.store = self.views.store
        self._later = PerProject[tuple[str, ...], tuple[LaterYes, ...]](LATER_KEPT)
        self._counted = QueryCache[str, int](self.database.changes_of(tables.own_files))

    @use_case(Role.READER)
    def is_on(self, account: str) -> bool | None:
        """Return whether finished lists are remembered; None: that was not decided yet."""
        return read_remembers(self.database, account)

    @use_case(Role.MEMBER, Event.LISTS_CHANGED)
    def turn(self, account: str, *, is_on: bool) -> None:
        """Turn it on or off; what is on it stays."""
        write_remembers(self.database, account, is_on)

    @use_case(Role.READER)
    def list(self, account: str) -> tuple[OwnFile, ...]:
        """Return what lists and their files said, and who is mailed again, the oldest first."""
        return tuple(
            one
            for one in self.store.list_files(account)
            if one.kind is OwnFileKind.MAIL_AGAIN or (one.said_by and one.counts.noes)
        )

    @use_case(Role.READER)
    def count(self, account: str) -> int:
        """Return how many addresses and domains are remembered, each once."""
        return self._counted.get(account, self._count)

    def _count(self, account: str) -> int:
        from winnow.lists.marks.key_files import count_named

        found = []
        for one in self.list(account):
            if one.kind is not OwnFileKind.MAIL_AGAIN:
                with suppress(FileNotFoundError):
                    found.append(self.store.open_keys(one))
        return count_named(found)

    @use_case(Role.READER)
    def find_noes(self, account: str, email: str) -> tuple[tuple[Evidence, ...], bool]:
        """Return what it says of an address, as evidence, and whether that leaves it out."""
        found, reasons = self.store.find_noes(self.list(account), email)
        return found, bool(reasons)

    @use_case(Role.MEMBER, Event.LISTS_CHANGED, subject="task_id")
    def remember(self, account: str, task_id: str) -> None:
        """Turn it on, and add what a finished project says, also where that was taken back.

        Raises:
            TaskUnknown, Gone: As ``Tasks.get``.
            QuotaExceeded, StorageFull: There is no space for it.
        """
        stored = self.views.tasks.get_stored(account, task_id)
        self.turn(account, is_on=True)
        self._replace(stored, with_files=True)

    @use_case(Role.MEMBER, Event.LISTS_CHANGED, subject="file_id")
    def take_back(self, account: str, file_id: str) -> bool:
        """Take back what one list or file said; False if there is no such file."""
        return own_file_rows.take_back(self.database, self.store.blobs, account, file_id)

    @use_case(Role.READER)
    def find_later_yes(self, account: str, task_id: str) -> tuple[LaterYes, ...]:
        """Return the rows of a project that say yes on a day after a remembered no of the person.

        Raises:
            TaskUnknown, Gone: As ``Tasks.get``.
        """
        stored = self.views.tasks.get_stored(account, task_id)
        files, mail = self.views.list_files(stored), str(stored.task.request.mail)
        if not any(file.counts_as is OwnFileKind.SAID_NO for file in files):
            return ()

        def look() -> tuple[LaterYes, ...]:
            from winnow.lists.marks.said_no import find_later_yes

            matched, said = self.views.match_kinds(stored, files), self.views.read_consent(stored)
            column, today = stored.task.request.keep.date_column, stored.task.submitted_at.date()
            with naming_loss():
                cells = self.views.open_cells(stored)
                return tuple(find_later_yes(cells, matched, said, column, today))

        return self._later.get((task_id, mail, *(file.file_id for file in files)), look)

    @use_case(Role.MEMBER, Event.LISTS_CHANGED, subject="task_id")
    def mail_again(self, account: str, task_id: str, number: int) -> None:
        """Let the person of such a row be mailed; a no of that day or later still counts.

        Raises:
            TaskUnknown, Gone: As ``Tasks.get``.
            QuotaExceeded, StorageFull: There is no space for it.
        """
        from winnow.lists.marks.said_no import add_yes

        kind, stored = OwnFileKind.MAIL_AGAIN, self.views.tasks.get_stored(account, task_id)
        for yes in self.find_later_yes(account, task_id):
            if yes.number == number:
                former = self.store.open_standing(account).get(kind, [])
                with naming_loss():
                    cells = self.views.open_cells(stored)
                    found = add_yes(cells, self.store.hashes, yes, former)
                write = partial(self.store.write_keys, found)
                self.store.keep(account, kind, kind.value, write)

    @use_case(Role.READER)
    def list_lost(self, account: str) -> tuple[OwnFile, ...]:
        """Return the files of all lists that match no one: they are lost, or of another pepper."""
        found = (one for one in self.store.list_files(account) if one.counts_for_all)
        return tuple(file for file in found if not self.store.is_readable(file))

    @use_case(Role.MEMBER, Event.LISTS_CHANGED)
    def forget_lost(self, account: str) -> None:
        """Remove the files that match no one."""
        for file in self.list_lost(account):
            self.store.remove(account, file.file_id)

    def update(self, account: str, task_id: str) -> None:
        """Have the list say what it says by the decisions of now; errors are ``remember``'s."""
        stored = self.views.tasks.get_stored(account, task_id)
        of_list = stored.upload_id, OwnFileKind.SAID_NO
        files = self.store.list_files(account)
        said = any((file.upload_id, file.kind) == of_list for file in files)
        is_asked = self.is_on(account) and not own_file_rows.is_taken_back(
            self.database, stored.upload_id
        )
        if said or is_asked:
            self._replace(stored, with_files=False)

    @contextmanager
    def remembering(
        self, stored: StoredTask, *, is_new: bool = True, with_files: bool = True
    ) -> Iterator[Step]:
        """Yield the step of the transaction that remembers a list; its hashes are written before.

        A new one is just being finished, and is remembered if that is on.
        """
        task = stored.task
        if task.key_type is KeyType.SANDBOX or (is_new and not self.is_on(task.account)):
            yield lambda connection: None
            return
        noes = self._write(stored, is_new=is_new)
        try:
            yield partial(
                own_file_rows.remember_list,
                account=task.account,
                upload_id=stored.upload_id,
                said_by=stored.input_sha256,
                noes=noes,
                with_files=with_files,
            )
        except BaseException:
            if noes is not None:
                self.store.drop(noes)
            raise

    def _replace(self, stored: StoredTask, *, with_files: bool) -> None:
        with (
            self.remembering(stored, is_new=False, with_files=with_files) as step,
            self.database.writing() as connection,
        ):
            step(connection)

    def _write(self, stored: StoredTask, *, is_new: bool) -> OwnFile | None:
        """Write who says no in a list, as hashes with the day of it; None: a new one has no one.

        Of a new result, what the run wrote down is all; later decisions may be on other columns.
        """
        from winnow.lists.marks.said_no import gather_noes
        from winnow.lists.result.consent_cells import SaidRows
        from winnow.lists.result.noes import Noes

        task = stored.task
        with naming_loss():
            cells = self.views.open_cells(stored)
            if is_new:
                said = SaidRows(noes=Noes.open(cells, task.request.mail))
            else:
                said = self.views.read_consent(stored)
            column, today = task.request.keep.date_column, task.submitted_at.date()
            found = gather_noes(cells, said, self.store.hashes, column, today)
        if is_new and not found[1].noes:
            return None
        write = partial(self.store.write_keys, found)
        owner = stored.upload_id, stored.list_id
        return self.store.write_hashes(
            task.account, OwnFileKind.SAID_NO, task.file_name, write, *owner
        )
