"""Uploads: streamed to disk against the quota, looked into, then handed to a task."""

import errno
import hashlib
import logging
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Self
from uuid import uuid4

from winnow.core.accounts import Upload
from winnow.core.blobs import BlobKey
from winnow.core.errors import Gone, KeyRejected, QuotaExceeded, StorageFull, TooLarge
from winnow.core.lists.file_format import FORMATS, FileFormat
from winnow.core.lists.input_head import Choices, Head, know_merged
from winnow.core.lists.merging import Merge
from winnow.core.ports import Blobs
from winnow.core.settings import Settings
from winnow.core.tasks.task import InputPlan
from winnow.lists.inspection.signature import split_file_name
from winnow.services.inspection.inspections import (
    ContentQuestion,
    HeadQuestion,
    Inspector,
    RoomQuestion,
)
from winnow.services.names import read_file_name
from winnow.services.tokens import derive_key, read_signed, sign
from winnow.storage.database.database import Database
from winnow.storage.repositories import uploads as rows
from winnow.storage.repositories.quota import read_storage

STEP_BYTES = 64 << 20  # room reserved at once for an upload of unknown length
TOKEN_LIFE = timedelta(minutes=10)
SAMPLE_NAME = "sample.csv"

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_log = logging.getLogger(__name__)


class UploadWriter:
    """One upload on its way. Not thread-safe; as a context manager it aborts unless finished."""

    def __init__(
        self,
        database: Database,
        blobs: Blobs,
        upload: Upload,
        settings: Settings,
        room_bytes: int,
        measure: Callable[[Upload], int],
    ) -> None:
        self.upload_id = upload.upload_id
        self._measure = measure
        self._database = database
        self._blobs = blobs
        self._upload = upload
        self._settings = settings
        self._room_bytes = room_bytes  # what may be written before more must be reserved
        self._size_bytes = 0
        self._digest = hashlib.sha256()
        self._is_open = True
        with mapping_full_disk():
            self._writer = blobs.create(upload.key)

    def write(self, chunk: bytes) -> None:
        """Append bytes.

        Raises:
            TooLarge: Over the limit of one file.
            QuotaExceeded: No room for this upload and its result.
            StorageFull: The disk is full. After each of these the upload is already gone.
        """
        try:
            size_bytes = self._size_bytes + len(chunk)
            check_size(size_bytes, self._settings)
            if size_bytes > self._room_bytes:
                self._extend(size_bytes - self._room_bytes)
            with mapping_full_disk():
                self._writer.write(chunk)
        except BaseException:
            self.abort()
            raise
        self._digest.update(chunk)
        self._size_bytes = size_bytes

    def receive(self) -> Upload:
        """Sync the file; the upload is whole, but completed only by the task that takes it.

        Until then no page shows it, and a crash leaves it to the next start, which removes it.
        """
        try:
            self._commit()
        except BaseException:
            self.abort()
            raise
        self._is_open = False
        return self._describe()

    def finish(self) -> Upload:
        """Sync the file and commit it: it counts as used, as much again stays reserved.

        Of a packed list, twice its size unpacked stays reserved. Errors are ``write``'s, and those
        of ``inspection.inspect.measure_content``.
        """
        return self._finish(self._complete)

    def finish_merge(self, merge: Merge, parts: Collection[str]) -> Upload:
        """Do the same with a merged list, which takes the place of its files, given by their ids.

        Raises:
            Gone: One of the files was taken or discarded meanwhile.
        """
        limit = self._settings.quota_bytes
        return self._finish(
            lambda upload: rows.complete_merge(self._database, upload, merge, parts, limit=limit)
        )

    def _finish(self, complete: Callable[[Upload], None]) -> Upload:
        try:
            self._commit()
            upload = self._describe()
            complete(upload)
        except BaseException:
            self.abort()
            raise
        self._is_open = False
        _log.info("upload %s complete, %d bytes", self.upload_id, self._size_bytes)
        return upload

    def _complete(self, upload: Upload) -> None:
        content_bytes = self._measure(upload)
        rows.complete_upload(
            self._database,
            upload.account,
            upload.upload_id,
            upload.size_bytes,
            self._digest.hexdigest(),
            limit=self._settings.quota_bytes,
        )
        if content_bytes != upload.size_bytes:
            self._reserve(2 * content_bytes - upload.size_bytes)

    def _commit(self) -> None:
        with mapping_full_disk():
            self._writer.commit()

    def _describe(self) -> Upload:
        return replace(self._upload, size_bytes=self._size_bytes, sha256=self._digest.hexdigest())

    def abort(self) -> None:
        """Remove the file and free its room. Does nothing after ``finish`` or a second time."""
        if not self._is_open:
            return
        self._is_open = False
        self._writer.abort()
        rows.remove_upload(self._database, self._blobs, self._upload.account, self.upload_id)

    def _extend(self, missing_bytes: int) -> None:
        """Reserve a step more, or at least what is missing; twice, for the result as well."""
        for step in (max(missing_bytes, STEP_BYTES), missing_bytes):
            try:
                self._reserve(2 * step)
            except QuotaExceeded:
                if step == missing_bytes:
                    raise
            else:
                self._room_bytes += step
                return

    def _reserve(self, more_bytes: int) -> None:
        rows.extend_upload(
            self._database,
            self._upload.account,
            self.upload_id,
            more_bytes,
            limit=self._settings.quota_bytes,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.abort()


class Uploads:
    """Staged files of every account. Synchronous and thread-safe."""

    def __init__(
        self,
        database: Database,
        blobs: Blobs,
        settings: Settings,
        pepper: bytes,
        inspector: Inspector,
        clock: Callable[[], datetime],
    ) -> None:
        self._database = database
        self._blobs = blobs
        self._settings = settings
        self._inspector = inspector
        self._token_key = derive_key(pepper, "upload-token")
        self._clock = clock

    def begin(
        self,
        account: str,
        file_name: str,
        declared_bytes: int | None,
        formats: Collection[FileFormat] | None = FORMATS,
    ) -> UploadWriter:
        """Reserve room and open the file.

        Args:
            account: Whose quota it counts against.
            file_name: As the client sent it; only its last part is kept.
            declared_bytes: Content-Length (may be a little more than the file), or None: then
                room is reserved step by step.
            formats: What is taken; None: whatever its name, which tells nothing of an own file.

        Raises:
            UnsupportedFormat: The extension is that of none of the formats.
            TooLarge: Over the limit of one file.
            QuotaExceeded: Twice the size does not fit: the upload and its result.
            StorageFull: The disk is full.
        """
        file_name = read_file_name(file_name)
        if formats is not None:
            split_file_name(file_name, formats)
        room_bytes = declared_bytes or 0
        check_size(room_bytes, self._settings)
        upload_id = str(uuid4())
        now = self._clock()
        rows.open_upload(
            self._database,
            account,
            upload_id,
            file_name,
            2 * room_bytes,
            now,
            limit=self._settings.quota_bytes,
        )
        upload = Upload(upload_id, account, file_name, 0, now)
        try:
            return UploadWriter(
                self._database,
                self._blobs,
                upload,
                self._settings,
                room_bytes,
                self._measure_content,
            )
        except BaseException:
            rows.remove_upload(self._database, self._blobs, account, upload_id)
            raise

    def get(self, account: str, upload_id: str) -> Upload:
        """Return a finished upload that no task has taken.

        Raises:
            Gone: Swept, discarded, taken by a task, never finished, or another account's.
        """
        upload = rows.find_upload(self._database, account, upload_id)
        if upload is None:
            raise _name_loss()
        return upload

    def list_waiting(self, account: str) -> tuple[Upload, ...]:
        """Return what was uploaded and neither cleaned nor discarded, the newest first."""
        return rows.list_uploads(self._database, account)

    def discard(self, account: str, upload_id: str) -> None:
        """Remove an upload that no task has taken, and free its room; unknown ids do nothing."""
        rows.remove_upload(self._database, self._blobs, account, upload_id)

    def read_head(
        self, account: str, upload_id: str, choices: Choices, *, email_column: str | None = None
    ) -> Head:
        """Look into an upload; errors are those of ``files.inspect.read_head`` and ``get``."""
        return self.read_head_of(self.get(account, upload_id), choices, email_column=email_column)

    def read_head_of(
        self, upload: Upload, choices: Choices, *, email_column: str | None = None
    ) -> Head:
        """Look into an upload that need not be completed yet; errors are ``read_head``'s.

        How a merged list is written is known.
        """
        _, file_format = split_file_name(upload.file_name)
        if upload.merge is not None:
            choices = choices.fill_in(know_merged(upload.merge, file_format))
        with mapping_loss(), self._open_scratch(file_format) as scratch:
            path = self._blobs.fetch(upload.key)
            return self._inspector.ask(
                HeadQuestion(path, upload.file_name, choices, email_column, scratch)
            )

    def bound_result(self, upload: Upload, plan: InputPlan) -> int:
        """Return the most bytes that a list's result can take; errors are ``read_head``'s."""
        with mapping_loss(), self._open_scratch(plan.file_format) as scratch:
            path = self._blobs.fetch(upload.key)
            return self._inspector.ask(RoomQuestion(path, plan, scratch))

    def _measure_content(self, upload: Upload) -> int:
        """Return how many bytes a list has unpacked, within what the account may have."""
        _, file_format = split_file_name(upload.file_name)
        if file_format.traits.unpacked is None:
            return upload.size_bytes
        use = read_storage(self._database, upload.account, limit=self._settings.quota_bytes)
        most_bytes = min(use.quota_bytes, self._settings.max_upload_bytes or use.quota_bytes)
        content_bytes = self._inspector.ask(
            ContentQuestion(self._blobs.fetch(upload.key), upload.file_name, most_bytes)
        )
        check_size(content_bytes, self._settings, "One file, unpacked,")
        return content_bytes

    @contextmanager
    def _open_scratch(self, file_format: FileFormat) -> Iterator[Path | None]:
        """Give a folder that is gone afterwards, whatever becomes of a looking process."""
        if not file_format.traits.needs_scratch:
            yield None
            return
        with mapping_full_disk(), self._blobs.scratch() as folder:
            yield folder

    def issue_token(self, account: str) -> str:
        """Return a token that lets a page upload for this account, for 10 minutes."""
        return sign(self._token_key, account, self._clock() + TOKEN_LIFE)

    def account_of_token(self, token: str) -> str:
        """Return whose upload token this is.

        Raises:
            KeyRejected: Forged, for another purpose, or older than 10 minutes.
        """
        account = read_signed(self._token_key, token, self._clock())
        if account is None:
            raise KeyRejected("The upload token is not valid.", hint="Reload the page.")
        return account

    def remove_parts(self, upload_id: str) -> None:
        """Remove the files of a merged list that has become a task; other ids do nothing."""
        rows.remove_parts(self._database, self._blobs, upload_id)

    def receive_copy(self, account: str, file_name: str, key: BlobKey) -> Upload:
        """Receive a stored list once more; errors are ``begin``'s, and Gone."""
        try:
            with self.begin(account, file_name, self._blobs.size(key)) as writer:
                for chunk in self._blobs.read(key):
                    writer.write(chunk)
                return writer.receive()
        except FileNotFoundError as error:
            raise Gone("The list is no longer there.") from error

    def stage_sample(self, account: str) -> Upload:
        """Stage the built-in sample list as if it had been uploaded; errors are ``begin``'s."""
        content = (files("winnow.lists") / "data" / SAMPLE_NAME).read_bytes()
        with self.begin(account, SAMPLE_NAME, len(content)) as writer:
            writer.write(content)
            return writer.finish()


def check_size(size_bytes: int, settings: Settings, what: str = "One file") -> None:
    """Raise TooLarge for one file over the limit that is set, if any."""
    limit = settings.max_upload_bytes
    if limit and size_bytes > limit:
        raise TooLarge(f"{what} may have at most {limit} bytes.", used=size_bytes, limit=limit)


@contextmanager
def mapping_full_disk() -> Iterator[None]:
    """Turn an OSError that means a full disk or quota of the system into StorageFull."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise StorageFull("The disk is full.", hint="Free some space and retry.") from error
        raise


@contextmanager
def mapping_loss() -> Iterator[None]:
    """Turn the error of an upload's file that something else removed into Gone."""
    try:
        yield
    except FileNotFoundError as error:
        raise _name_loss() from error


def _name_loss() -> Gone:
    return Gone("This upload is no longer there.", hint="Upload the file again.")
