"""Own files: do-not-mail files of lists and imported bounces, stored as keyed hashes."""

import hashlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any
from uuid import uuid4

from msgspec import convert, to_builtins

from winnow.core.accounts import Upload
from winnow.core.blobs import BlobKey, BlobKind
from winnow.core.disk_errors import mapping_disk_errors
from winnow.core.errors import Gone
from winnow.core.lists.side_files import (
    BounceCounts,
    BounceImport,
    NamedCounts,
    OwnFile,
    OwnFileKind,
    Suppression,
)
from winnow.core.ports import Blobs
from winnow.core.settings import Settings
from winnow.core.tasks.task import TaskState
from winnow.lists.execution.run_files import create_durably
from winnow.services.own.project_views import ProjectViews
from winnow.services.tasks.tasks import Tasks
from winnow.services.uploads.inspections import Inspector, OwnFileQuestion
from winnow.services.uploads.uploads import Uploads, mapping_loss
from winnow.storage.database.database import Database
from winnow.storage.repositories import own_files as rows

_log = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class OwnFileStore:
    """Stores the hashes of own files, counted toward the quota. Synchronous and thread-safe."""

    database: Database
    blobs: Blobs
    uploads: Uploads
    settings: Settings
    secret: bytes
    inspector: Inspector
    clock: Callable[[], datetime]

    def read(
        self, account: str, kind: OwnFileKind, received: Upload, *, upload_id: str | None = None
    ) -> OwnFile:
        """Store the hashes of a received file, which is deleted afterwards.

        Raises:
            UnsupportedFormat, BrokenFile, EmptyFile: It cannot be read, or names no one.
            QuotaExceeded, StorageFull, Gone: As ``keep``.
        """

        def write(key: BlobKey) -> dict[str, Any]:
            with mapping_loss(), self.blobs.stage(key) as out_path, self.blobs.scratch() as folder:
                path = self.blobs.fetch(received.key)
                asked = (path, received.file_name, kind, self.secret, out_path, folder)
                found: dict[str, Any] = to_builtins(self.inspector.ask(OwnFileQuestion(*asked)))
                return found

        try:
            return self.keep(account, kind, received.file_name, write, upload_id=upload_id)
        finally:
            self.uploads.discard(account, received.upload_id)

    def keep(
        self,
        account: str,
        kind: OwnFileKind,
        file_name: str,
        write: Callable[[BlobKey], dict[str, Any]],
        *,
        upload_id: str | None = None,
    ) -> OwnFile:
        """Store a file: ``write`` puts its hashes under a key and returns what it counted.

        A file name with an address in it is not stored.

        Raises:
            QuotaExceeded, StorageFull: There is no space for the hashes; nothing is left.
            Gone: The list that it belongs to is not there.
        """
        file_id = str(uuid4())
        key = BlobKey(BlobKind.OWN_FILE, file_id)
        name = "file" if "@" in file_name else file_name
        now = self.clock()
        rows.begin_file(self.database, account, file_id, kind, name, now, upload_id=upload_id)
        try:
            with mapping_disk_errors():
                counts = write(key)
            file = rows.finish_file(
                self.database,
                file_id,
                self.blobs.size(key),
                self._digest(key),
                counts,
                limit=self.settings.quota_bytes,
            )
        except BaseException:
            rows.forget_gone_files(self.database, self.blobs, [file_id])
            raise
        _log.info("%s file %s added, %d bytes", kind.value, file_id, file.size_bytes)
        return file

    def list(
        self, account: str, kind: OwnFileKind, upload_id: str | None = None
    ) -> tuple[OwnFile, ...]:
        """Return the files of a kind, the oldest first; of one list, or of none."""
        return rows.list_files(self.database, account, kind, upload_id)

    def remove(self, account: str, file_id: str) -> bool:
        """Delete a file; False if there is no such file."""
        return rows.remove_file(self.database, self.blobs, account, file_id)

    def _digest(self, key: BlobKey) -> str:
        digest = hashlib.sha256()
        for chunk in self.blobs.read(key):
            digest.update(chunk)
        return digest.hexdigest()


@dataclass(eq=False, repr=False)
class Suppressions:
    """The do-not-mail files of every list. Synchronous and thread-safe.

    A file removes rows as soon as it is added, also from a list that is already cleaned. The
    stored result does not change, only pages and downloads do.
    """

    store: OwnFileStore
    tasks: Tasks
    views: ProjectViews

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
        kind = OwnFileKind.DO_NOT_MAIL
        return _describe(self.store.read(account, kind, received, upload_id=upload_id))

    def add_to_task(self, account: str, task_id: str, received: Upload) -> Suppression:
        """Add a file to a project's list; errors are ``add_to_upload``'s, and TaskUnknown."""
        try:
            stored = self.tasks.get_stored(account, task_id)
        except BaseException:
            self.store.uploads.discard(account, received.upload_id)
            raise
        made = self.add_to_upload(account, stored.upload_id, received)
        if stored.result is not None:
            self.views.prepare(stored)
        return made

    def list_of_upload(self, account: str, upload_id: str) -> tuple[Suppression, ...]:
        """Return the files of a list that is not cleaned yet, the oldest first."""
        return tuple(map(_describe, self.store.list(account, OwnFileKind.DO_NOT_MAIL, upload_id)))

    def list_of_task(self, account: str, task_id: str) -> tuple[Suppression, ...]:
        """Return the files of a project's list, with the number of rows that each matches.

        Raises:
            TaskUnknown, Gone: As ``Tasks.get``.
        """
        stored = self.tasks.get_stored(account, task_id)
        found = self.store.list(account, OwnFileKind.DO_NOT_MAIL, stored.upload_id)
        if not found or stored.task.state is not TaskState.COMPLETED:
            return tuple(map(_describe, found))
        counts = self.views.count_rows(stored)
        return tuple(
            _describe(file, counts.get(file.file_id), is_lost=file.file_id not in counts)
            for file in found
        )

    def remove(self, account: str, file_id: str) -> bool:
        """Remove a file; its rows are in the list again. False if there is no such file."""
        return self.store.remove(account, file_id)

    def carry_over(self, account: str, from_upload_id: str, to_upload_id: str) -> None:
        """Add a list's files to a copy of it as well.

        Raises:
            QuotaExceeded, StorageFull: There is no space; files already added go with the copy.
        """
        for file in self.store.list(account, OwnFileKind.DO_NOT_MAIL, from_upload_id):
            copy = partial(self._copy, file)
            self.store.keep(account, file.kind, file.file_name, copy, upload_id=to_upload_id)

    def _copy(self, file: OwnFile, key: BlobKey) -> dict[str, Any]:
        blobs = self.store.blobs
        try:
            with blobs.stage(key) as path, create_durably(path) as out:
                out.writelines(blobs.read(file.key))
        except FileNotFoundError as error:
            raise Gone("A do-not-mail file of this list is no longer there.") from error
        return file.counts


@dataclass(eq=False, repr=False)
class Bounces:
    """The imports of every account. Synchronous and thread-safe.

    An import shows at once on a page's checks and on the rows of every project. It changes no
    verdict and no answer of the API.
    """

    store: OwnFileStore

    def add(self, account: str, received: Upload) -> BounceImport:
        """Import a file, which is deleted afterwards.

        Raises:
            UnsupportedFormat, BrokenFile, EmptyFile: It cannot be read, or has no bounces.
            QuotaExceeded, StorageFull: There is no space for its hashes.
        """
        return _describe_import(self.store.read(account, OwnFileKind.BOUNCES, received))

    def list(self, account: str) -> tuple[BounceImport, ...]:
        """Return the imports, the oldest first."""
        return tuple(map(_describe_import, self.store.list(account, OwnFileKind.BOUNCES)))

    def remove(self, account: str, file_id: str) -> bool:
        """Delete an import; False if there is no such import."""
        return self.store.remove(account, file_id)


def _describe(file: OwnFile, row_count: int | None = None, *, is_lost: bool = False) -> Suppression:
    return Suppression(
        file.file_id,
        file.file_name,
        convert(file.counts, NamedCounts),
        file.created_at,
        row_count,
        is_lost,
    )


def _describe_import(file: OwnFile) -> BounceImport:
    counts = convert(file.counts, BounceCounts)
    return BounceImport(file.file_id, file.file_name, file.created_at, counts)
