"""Never-mail list: who said no in a finished list is left out of every list from then on."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from winnow.core.blobs import BlobKey
from winnow.core.identities import Event, Role
from winnow.core.lists.side_files import FileCounts, LaterYes, OwnFile, OwnFileKind
from winnow.core.tasks.task import KeyType
from winnow.core.verdicts.facts import Evidence
from winnow.services.own.own_files import OwnFiles
from winnow.services.own.project_views import ProjectViews
from winnow.services.tasks.tasks import Tasks
from winnow.services.use_cases import use_case
from winnow.storage.database import tables
from winnow.storage.database.database import Database
from winnow.storage.database.query_cache import QueryCache
from winnow.storage.repositories import own_files as rows
from winnow.storage.repositories.accounts import read_remembers, write_remembers
from winnow.storage.repositories.tasks import StoredTask

if TYPE_CHECKING:
    from winnow.lists.marks.key_files import OwnKeys

Step = Callable[[Connection], object]


@dataclass(eq=False, repr=False)
class NeverMail:
    """The never-mail list of every account, as own files: each list that said no has its own.

    While it is on, every finished list adds its noes, complaints and hard bounces, and keeps its
    do-not-mail files there after its project; sandbox projects add nothing. What is on it counts
    for all lists until it is taken back, also after it is turned off; no answer of the API heeds
    it. A list is known by its content: cleaned again, it adds to what it said, and a decision
    replaces that. Synchronous and thread-safe.
    """

    database: Database
    tasks: Tasks
    views: ProjectViews
    files: OwnFiles

    def __post_init__(self) -> None:
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
        found = rows.list_files(self.database, account)
        return tuple(file for file in found if file.said_by or file.kind is OwnFileKind.MAIL_AGAIN)

    @use_case(Role.READER)
    def count(self, account: str) -> int:
        """Return how many addresses and domains are remembered, each once."""
        return self._counted.get(account, self._count)

    def _count(self, account: str) -> int:
        from winnow.lists.marks.key_files import count_named

        kinds = (OwnFileKind.SAID_NO, OwnFileKind.DO_NOT_MAIL)
        standing = self.views.open_standing(account)
        return count_named(keys for kind in kinds for keys in standing.get(kind, ()))

    @use_case(Role.READER)
    def find(self, account: str, email: str) -> tuple[Evidence, ...]:
        """Return who said no for an address, with the day, as evidence."""
        return tuple(self.views.cite_files(self.list(account), email))

    @use_case(Role.MEMBER, Event.LISTS_CHANGED, subject="task_id")
    def remember(self, account: str, task_id: str) -> None:
        """Turn it on, and add what a finished project says.

        Raises:
            TaskUnknown, Gone: As ``Tasks.get``.
            QuotaExceeded, StorageFull: There is no space for it.
        """
        stored = self.tasks.get_stored(account, task_id)
        self.turn(account, is_on=True)
        self._replace(stored)

    @use_case(Role.MEMBER, Event.LISTS_CHANGED, subject="file_id")
    def take_back(self, account: str, file_id: str) -> bool:
        """Take back what one list or file said; False if there is no such file."""
        return rows.take_back(self.database, self.files.blobs, account, file_id)

    @use_case(Role.READER)
    def find_later_yes(self, account: str, task_id: str) -> tuple[LaterYes, ...]:
        """Return the rows of a project that say yes on a day after a remembered no of the person.

        Raises:
            TaskUnknown, Gone: As ``Tasks.get``.
        """
        return self.views.find_later_yes(self.tasks.get_stored(account, task_id))

    @use_case(Role.MEMBER, Event.LISTS_CHANGED, subject="task_id")
    def mail_again(self, account: str, task_id: str, number: int) -> None:
        """Let the person of such a row be mailed; a no of that day or later still counts.

        Raises:
            TaskUnknown, Gone: As ``Tasks.get``.
            QuotaExceeded, StorageFull: There is no space for it.
        """
        stored = self.tasks.get_stored(account, task_id)
        for yes in self.views.find_later_yes(stored):
            if yes.number == number:
                write = partial(self._write_keys, self.views.add_yes(stored, yes))
                kind = OwnFileKind.MAIL_AGAIN
                self.files.keep(account, kind, kind.value, write)

    @use_case(Role.READER)
    def list_lost(self, account: str) -> tuple[OwnFile, ...]:
        """Return the files of all lists that match no one: they are lost, or of another pepper."""
        found = (file for file in rows.list_files(self.database, account) if file.counts_for_all)
        return tuple(file for file in found if not self.views.is_readable(file))

    @use_case(Role.MEMBER, Event.LISTS_CHANGED)
    def forget_lost(self, account: str) -> None:
        """Remove the files that match no one."""
        for file in self.list_lost(account):
            rows.remove_file(self.database, self.files.blobs, account, file.file_id)

    def update(self, account: str, task_id: str) -> None:
        """Have the list say what it says by the decisions of now; errors are ``remember``'s."""
        stored = self.tasks.get_stored(account, task_id)
        known = {file.said_by for file in self.list(account) if file.kind is OwnFileKind.SAID_NO}
        if stored.input_sha256 in known or self.is_on(account):
            self._replace(stored)

    def remembering(self, stored: StoredTask) -> AbstractContextManager[Step]:
        """Yield the step of the transaction that finishes a list; its hashes are written before.

        Read otherwise, a list adds to what it said before: nothing is forgotten by a run.
        """
        if not self.is_on(stored.task.account):
            return nullcontext(lambda connection: None)
        return self._writing(stored, is_new=True)

    def _replace(self, stored: StoredTask) -> None:
        with (
            self._writing(stored, is_new=False) as step,
            self.database.write() as connection,
        ):
            step(connection)

    @contextmanager
    def _writing(self, stored: StoredTask, *, is_new: bool) -> Iterator[Step]:
        task = stored.task
        if task.key_type is KeyType.SANDBOX:
            yield lambda connection: None
            return
        noes = self._write(stored, is_new=is_new)
        try:
            yield partial(
                rows.remember_list,
                account=task.account,
                upload_id=stored.upload_id,
                said_by=stored.input_sha256,
                noes=noes,
                replaces=not is_new,
                limit=self.files.settings.quota_bytes,
            )
        except BaseException:
            if noes is not None:
                self.files.drop(noes)
            raise

    def _write(self, stored: StoredTask, *, is_new: bool) -> rows.WrittenFile | None:
        """Write the hashes of what a list says; None: it says nothing."""
        found = self.views.gather_noes(stored, is_new=is_new)
        if found is None:
            return None
        task, write = stored.task, partial(self._write_keys, found)
        kind, said_by = OwnFileKind.SAID_NO, stored.input_sha256
        return self.files.write(task.account, kind, task.file_name, write, said_by=said_by)

    def _write_keys(self, found: "tuple[OwnKeys, FileCounts]", key: BlobKey) -> FileCounts:
        keys, counts = found
        with self.files.blobs.stage(key) as path:
            keys.write(path, self.views.hashes)
        return counts
