"""Own files: do-not-mail files of lists and imported bounces, stored as keyed hashes."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winnow.core.blobs import BlobKey
from winnow.core.errors import Gone, ResultNotReady
from winnow.core.identities import Event, Role
from winnow.core.lists.side_files import FileCounts, OwnFile, OwnFileKind
from winnow.core.lists.upload import Upload
from winnow.core.tasks.task import KeyType, TaskState
from winnow.domain_data.suffixes import is_public_suffix
from winnow.limited.messages import Answer, JudgeOffline
from winnow.lists.execution.run_files import create_durably
from winnow.lists.inspection.signature import find_extension
from winnow.services.own.project_views import ProjectViews, naming_loss
from winnow.services.uploads.uploads import Uploads
from winnow.services.use_cases import use_case
from winnow.words import translatable

if TYPE_CHECKING:
    from winnow.lists.marks.key_files import OwnKeys

_log = logging.getLogger(__name__)
_UNFINISHED = translatable("The project is not finished. Add last month's list when it is.")


@dataclass(eq=False, repr=False)
class OwnFiles:
    """The own files of every account; hashes count toward the quota. Synchronous and thread-safe.

    A do-not-mail file belongs to a list, and removes rows as soon as it is added, also from a list
    that is already cleaned. Bounces belong to an account, and are shown at once with its checks and
    the rows of its projects. The stored result does not change, and no answer of the API does.
    """

    uploads: Uploads
    views: ProjectViews

    def __post_init__(self) -> None:
        self.store = self.views.store

    @use_case(Role.MEMBER, Event.LISTS_CHANGED, subject="result.file_id")
    def add(
        self, account: str, kind: OwnFileKind, received: Upload, *, upload_id: str | None = None
    ) -> OwnFile:
        """Store the hashes of a file.

        Args:
            account: Whose file.
            kind: How it is read.
            received: The file, from ``UploadWriter.receive``; it is deleted afterwards.
            upload_id: The list that it is for, which may be cleaned or not; None: all lists.

        Raises:
            UnsupportedFormat, BrokenFile, EmptyFile: It cannot be read, or names no one.
            QuotaExceeded, StorageFull: There is no space for its hashes; nothing is left.
            Gone: The list is not there.
        """
        name = received.file_name
        try:
            write = partial(self._ask, received, partial(_hash_file, name, kind))
            return self.store.keep(account, kind, name, write, upload_id)
        finally:
            self.uploads.discard(account, received.upload_id)

    @use_case(Role.MEMBER, Event.LISTS_CHANGED, subject="result.file_id")
    def add_to_task(self, account: str, task_id: str, received: Upload) -> OwnFile:
        """Add a do-not-mail file to a project's list; errors are ``add``'s, and TaskUnknown."""
        try:
            stored = self.views.tasks.get_stored(account, task_id)
        except BaseException:
            self.uploads.discard(account, received.upload_id)
            raise
        kind = OwnFileKind.DO_NOT_MAIL
        made = self.add(account, kind, received, upload_id=stored.upload_id)
        if stored.result is not None:
            self.views.match(stored, self.views.list_files(stored))
        return made

    @use_case(Role.MEMBER, Event.LISTS_CHANGED, subject="result.file_id")
    def add_earlier(self, account: str, task_id: str, received: Upload) -> OwnFile:
        """Compare a finished project with an earlier list's file, in place of a former one.

        Who says no or bounced in the file is on a file of the project's list, which counts as a
        do-not-mail file. ``received`` is deleted.

        Raises:
            InputError, QuotaExceeded, StorageFull: As ``add``; it may also be no list.
            ResultNotReady: The project is not finished.
            TaskUnknown, Gone: As ``Tasks.get``.
        """
        found: list[tuple[OwnKeys, FileCounts]] = []
        name, kind = received.file_name, OwnFileKind.EARLIER

        def write(key: BlobKey) -> FileCounts:
            with naming_loss():
                folder = self.store.blobs.fetch(stored.result_key)
            work = partial(_compare, name, stored.task, folder)
            found.append(self._ask(received, work, key))
            return FileCounts()

        try:
            stored = self.views.tasks.get_stored(account, task_id)
            if stored.task.state is not TaskState.COMPLETED:
                raise ResultNotReady(_UNFINISHED)
            former = self.list(account, kind, stored.upload_id)
            names = {one.file_name for one in former}
            noes_of = self.list(account, OwnFileKind.BOUNCES, stored.upload_id)
            former += tuple(one for one in noes_of if one.file_name in names)
            made = self.store.keep(account, kind, name, write, stored.upload_id)
            try:
                if found[0][1].addresses:
                    noes = partial(self.store.write_keys, found[0])
                    self.store.keep(account, OwnFileKind.BOUNCES, name, noes, stored.upload_id)
            except BaseException:
                self.remove(account, made.file_id)
                raise
        finally:
            self.uploads.discard(account, received.upload_id)
        for one in former:
            self.remove(account, one.file_id)
        self.views.match(stored, self.views.list_files(stored))
        return made

    def _ask(self, received: Upload, work: Callable[..., Answer], key: BlobKey) -> Answer:
        """Have a looking process read a received file, and write what is kept of it under a key."""
        file_format = find_extension(received.file_name)
        with self.store.blobs.stage(key) as out_path:
            asked = partial(work, self.store.secret, out_path)
            return self.uploads.ask(received.key, file_format, asked, needs_judge=True)

    @use_case(Role.READER)
    def list(
        self, account: str, kind: OwnFileKind, upload_id: str | None = None
    ) -> tuple[OwnFile, ...]:
        """Return the files of a kind, the oldest first; of one list, or of none.

        A list's do-not-mail files are also what earlier lists say of its people.
        """
        kinds = {kind}
        if kind is OwnFileKind.DO_NOT_MAIL and upload_id is not None:
            kinds.add(OwnFileKind.BOUNCES)
        found = (file for file in self.store.list_files(account) if file.kind in kinds)
        is_of_list = upload_id is not None  # else what is remembered of a list that is gone is none
        return tuple(
            file
            for file in found
            if file.upload_id == upload_id and (is_of_list or file.said_by is None)
        )

    @use_case(Role.READER)
    def list_of_task(self, account: str, task_id: str) -> tuple[OwnFile, ...]:
        """Return the do-not-mail files of a project's list; errors are those of ``Tasks.get``."""
        stored = self.views.tasks.get_stored(account, task_id)
        return self.list(account, OwnFileKind.DO_NOT_MAIL, stored.upload_id)

    @use_case(Role.READER)
    def count_rows(self, account: str, task_id: str) -> Mapping[str, int] | None:
        """Return how many rows of a project each file matches, by its id; None: it is not finished.

        A file that can no longer be read, so that it removes no rows, has no count.

        Raises:
            TaskUnknown, Gone: As ``Tasks.get``.
        """
        stored = self.views.tasks.get_stored(account, task_id)
        is_finished = stored.task.state is TaskState.COMPLETED
        return self.views.see(stored).counts if is_finished else None

    @use_case(Role.MEMBER, Event.LISTS_CHANGED, subject="file_id")
    def remove(self, account: str, file_id: str) -> bool:
        """Delete a file, whose rows are in the list again; False if there is no such file."""
        return self.store.remove(account, file_id)

    def carry_over(self, account: str, from_upload_id: str, to_upload_id: str) -> None:
        """Add a list's files to a copy of it as well.

        Raises:
            QuotaExceeded, StorageFull: There is no space; files already added go with the copy.
        """
        for file in self.list(account, OwnFileKind.DO_NOT_MAIL, from_upload_id):
            copy = partial(self._copy, file)
            self.store.keep(account, file.kind, file.file_name, copy, to_upload_id)

    def _copy(self, file: OwnFile, key: BlobKey) -> FileCounts:
        try:
            with self.store.blobs.stage(key) as path, create_durably(path) as out:
                out.writelines(self.store.blobs.read_blob(file.key))
        except FileNotFoundError as error:
            raise Gone("A do-not-mail file of this list is no longer there.") from error
        return file.counts


def _compare(*asked: Any) -> "tuple[OwnKeys, FileCounts]":
    """Compare in a looking process; arguments are those of ``compare_file``."""
    from winnow.lists.side_files.earlier_list import compare_file  # brings polars along

    return compare_file(*asked)


def _hash_file(
    name: str,
    kind: OwnFileKind,
    secret: bytes,
    out_path: Path,
    path: Path,
    scratch: Path,
    judge_offline: JudgeOffline,
) -> FileCounts:
    """Read all of a file without the network, and write its hashes, synced."""
    from winnow.lists.marks.keyed_hash import AddressHash  # brings polars along
    from winnow.lists.side_files.bounce_file import read_bounces
    from winnow.lists.side_files.named_file import read_named

    hashes = AddressHash.of(secret)
    if kind is OwnFileKind.BOUNCES:
        keys, counts = read_bounces(path, name, hashes, scratch, judge_offline(KeyType.LIVE))
    else:
        keys, counts = read_named(path, name, hashes, is_public_suffix, scratch)
    keys.write(out_path, hashes)
    return counts
