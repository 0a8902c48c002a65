"""Do-not-mail files of a list: stored as keyed hashes, deleted with the list."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from winnow.core.accounts import Upload
from winnow.core.blobs import BlobKey
from winnow.core.errors import Gone
from winnow.core.lists.side_files import NamedCounts, OwnFile, OwnFileKind, Suppression
from winnow.core.ports import Blobs
from winnow.core.tasks.task import TaskState
from winnow.services.own.own_file_store import OwnFileStore
from winnow.services.own.own_marks import OwnMarks
from winnow.services.tasks.tasks import Tasks
from winnow.services.uploads.inspection.inspections import Inspector
from winnow.services.uploads.inspection.own_file_questions import NamedQuestion
from winnow.services.uploads.uploads import Uploads, mapping_loss
from winnow.storage.database.database import Database
from winnow.storage.repositories import own_files as rows


@dataclass(eq=False, repr=False)
class Suppressions:
    """The do-not-mail files of every list. Synchronous and thread-safe.

    A file removes rows as soon as it is added, also from a list that is already cleaned. The
    stored result does not change, only pages and downloads do.
    """

    database: Database
    blobs: Blobs
    store: OwnFileStore
    secret: bytes
    uploads: Uploads
    tasks: Tasks
    inspector: Inspector
    marks: OwnMarks
    is_public_suffix: Callable[[str], bool]

    def add_to_upload(self, account: str, upload_id: str, received: Upload) -> Suppression:
        """Add a file to a list that is not cleaned yet.

        Args:
            account: Whose list.
            upload_id: The list's.
            received: The file, from ``UploadWriter.receive``; it is deleted afterwards.

        Raises:
            UnsupportedFormat, BrokenFile, EmptyFile: It cannot be read, or has no addresses.
            QuotaExceeded, StorageFull: There is no space for its hashes.
            Gone: The list is not there.
        """
        try:
            self.uploads.get(account, upload_id)
            return self._add(account, upload_id, received)
        finally:
            self.uploads.discard(account, received.upload_id)

    def add_to_task(self, account: str, task_id: str, received: Upload) -> Suppression:
        """Add a file to a project's list; errors are ``add_to_upload``'s, and TaskUnknown."""
        try:
            stored = self.tasks.get_stored(account, task_id)
            made = self._add(account, stored.upload_id, received)
            if stored.result is not None:
                self.marks.prepare(stored)
            return made
        finally:
            self.uploads.discard(account, received.upload_id)

    def list_of_upload(self, account: str, upload_id: str) -> tuple[Suppression, ...]:
        """Return the files of a list that is not cleaned yet, the oldest first."""
        found = rows.list_files(self.database, account, OwnFileKind.DO_NOT_MAIL, upload_id)
        return tuple(map(_describe, found))

    def list_of_task(self, account: str, task_id: str) -> tuple[Suppression, ...]:
        """Return the files of a project's list, with the number of rows that each matches.

        Raises:
            TaskUnknown, Gone: As ``Tasks.get``.
        """
        stored = self.tasks.get_stored(account, task_id)
        found = rows.list_files(self.database, account, OwnFileKind.DO_NOT_MAIL, stored.upload_id)
        if not found or stored.task.state is not TaskState.COMPLETED:
            return tuple(map(_describe, found))
        counts = self.marks.count_rows(stored)
        return tuple(
            _describe(file, counts.get(file.file_id), is_lost=file.file_id not in counts)
            for file in found
        )

    def remove(self, account: str, file_id: str) -> bool:
        """Remove a file; its rows are in the list again. False if there is no such file."""
        return rows.remove_file(self.database, self.blobs, account, file_id)

    def carry_over(self, account: str, from_upload_id: str, to_upload_id: str) -> None:
        """Add a list's files to a copy of it as well.

        Raises:
            QuotaExceeded, StorageFull: There is no space; files already added go with the copy.
        """
        for file in rows.list_files(
            self.database, account, OwnFileKind.DO_NOT_MAIL, from_upload_id
        ):
            self.store.keep(
                account,
                OwnFileKind.DO_NOT_MAIL,
                file.file_name,
                partial(self._copy, file),
                upload_id=to_upload_id,
            )

    def _add(self, account: str, upload_id: str, received: Upload) -> Suppression:
        def read(key: BlobKey) -> dict[str, Any]:
            with (
                mapping_loss(),
                self.blobs.stage(key) as out_path,
                self.blobs.scratch() as folder,
            ):
                path = self.blobs.fetch(received.key)
                question = NamedQuestion(
                    *(path, received.file_name, self.secret, out_path, folder),
                    self.is_public_suffix,
                )
                return self.inspector.ask(question).to_json()

        file = self.store.keep(
            account, OwnFileKind.DO_NOT_MAIL, received.file_name, read, upload_id=upload_id
        )
        return _describe(file)

    def _copy(self, file: OwnFile, key: BlobKey) -> dict[str, Any]:
        writer = self.blobs.create(key)
        try:
            for chunk in self.blobs.read(file.key):
                writer.write(chunk)
            writer.commit()
        except FileNotFoundError as error:
            writer.abort()
            raise Gone("A do-not-mail file of this list is no longer there.") from error
        except BaseException:
            writer.abort()
            raise
        return file.counts


def _describe(file: OwnFile, row_count: int | None = None, *, is_lost: bool = False) -> Suppression:
    return Suppression(
        file.file_id,
        file.file_name,
        NamedCounts.from_json(file.counts),
        file.created_at,
        row_count,
        is_lost,
    )
