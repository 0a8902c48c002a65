"""Uploads: streamed to disk within the quota, inspected, then taken by a task."""

import hashlib
import hmac
import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Self
from uuid import uuid4

from winnow.core.blobs import BlobKey
from winnow.core.disk_errors import mapping_disk_errors
from winnow.core.errors import Gone, KeyRejected, QuotaExceeded, TooLarge
from winnow.core.identities import Role
from winnow.core.lists.file_format import FORMATS, FileFormat
from winnow.core.lists.input_head import Choices, Head, know_merged
from winnow.core.lists.merging import Merge
from winnow.core.lists.upload import Upload
from winnow.core.meaning.columns import MailDecisions
from winnow.core.ports import Blobs
from winnow.core.settings import Settings
from winnow.limited.messages import Answer, Question
from winnow.lists.inspect import measure_content, read_head
from winnow.lists.inspection.signature import split_file_name
from winnow.services.accounts.accounts import derive_key
from winnow.services.names import NAME_MAX_CHARACTERS, read_file_name
from winnow.services.uploads.inspection_pool import Inspector
from winnow.services.use_cases import use_case
from winnow.storage.database.database import Database
from winnow.storage.repositories import uploads as upload_rows
from winnow.storage.repositories.quota import ROOM
from winnow.words import translatable

STEP_BYTES = 64 << 20  # space reserved at once for an upload of unknown length
TOKEN_LIFE = timedelta(minutes=10)
SAMPLE_NAME = "sample.csv"

_log = logging.getLogger(__name__)


class UploadWriter:
    """One upload on its way. Not thread-safe; as a context manager it aborts unless finished."""

    def __init__(self, uploads: "Uploads", upload: Upload, room_bytes: int) -> None:
        self.upload_id = upload.upload_id
        self._uploads = uploads
        self._upload = upload
        self._room_bytes = room_bytes  # bytes that may be written before more must be reserved
        self._size_bytes = 0
        self._digest = hashlib.sha256()
        self._is_open = True
        with mapping_disk_errors():
            self._writer = uploads.blobs.create(upload.key)

    def write(self, chunk: bytes) -> None:
        """Append bytes.

        Raises:
            TooLarge: Over the limit of one file.
            QuotaExceeded: No space for this upload and its result.
            StorageFull: The disk is full. After each of these the upload is already removed.
        """
        try:
            size_bytes = self._size_bytes + len(chunk)
            check_size(size_bytes, self._uploads.settings)
            if size_bytes > self._room_bytes:
                self._extend(size_bytes - self._room_bytes)
            with mapping_disk_errors():
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
        return self._finish(lambda upload: None)

    def finish(self) -> Upload:
        """Sync the file and commit it: it counts as used, twice as much stays reserved.

        Of a packed list, twice its size unpacked. Errors are ``write``'s, and those
        of ``inspection.inspect.measure_content``.
        """
        return self._finish(self._uploads.complete)

    def finish_merge(self, merge: Merge, parts: Collection[str]) -> Upload:
        """Do the same with a merged list, which replaces its files, given by their ids.

        Raises:
            Gone: One of the files was taken or discarded meanwhile.
        """
        self._upload = replace(self._upload, merge=merge)
        database = self._uploads.database
        return self._finish(lambda upload: upload_rows.complete_merge(database, upload, parts))

    def _finish(self, complete: Callable[[Upload], None]) -> Upload:
        upload = replace(self._upload, size_bytes=self._size_bytes, sha256=self._digest.hexdigest())
        try:
            with mapping_disk_errors():
                self._writer.commit()
            complete(upload)
        except BaseException:
            self.abort()
            raise
        self._is_open = False
        _log.info("upload %s arrived, %d bytes", self.upload_id, self._size_bytes)
        return upload

    def abort(self) -> None:
        """Remove the file and free its space. Does nothing after ``finish`` or a second time."""
        if not self._is_open:
            return
        self._is_open = False
        self._writer.abort()
        self._uploads.discard(self._upload.account, self.upload_id)

    def _extend(self, missing_bytes: int) -> None:
        """Reserve a step more, or at least what is missing, and space for the result."""
        for step in (max(missing_bytes, STEP_BYTES), missing_bytes):
            try:
                upload_rows.extend_upload(self._uploads.database, self._upload, ROOM * step)
            except QuotaExceeded:
                if step == missing_bytes:
                    raise
            else:
                self._room_bytes += step
                return

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.abort()


@dataclass(eq=False, repr=False)
class Uploads:
    """Staged files of every account. Synchronous and thread-safe."""

    database: Database
    blobs: Blobs
    settings: Settings
    pepper: bytes
    inspector: Inspector
    clock: Callable[[], datetime]

    def __post_init__(self) -> None:
        self._token_key = derive_key(self.pepper, "upload-token")

    @use_case(Role.MEMBER)
    def begin(
        self,
        account: str,
        file_name: str,
        declared_bytes: int | None,
        formats: Collection[FileFormat] | None = FORMATS,
    ) -> UploadWriter:
        """Reserve space and open the file.

        Args:
            account: Whose quota it counts against.
            file_name: As the client sent it; only its last part is kept.
            declared_bytes: Content-Length (may be a little more than the file), or None: then
            space is reserved step by step.
            formats: The accepted formats; None: any name, as for own files.

        Raises:
            UnsupportedFormat: The extension is that of none of the formats.
            TooLarge: Over the limit of one file.
            QuotaExceeded: Three times the size does not fit: the upload and its result.
            StorageFull: The disk is full.
        """
        file_name = read_file_name(file_name)
        if formats is not None:
            split_file_name(file_name, formats)
        room_bytes = declared_bytes or 0
        check_size(room_bytes, self.settings)
        upload = Upload(str(uuid4()), account, file_name, 0, self.clock())
        upload_rows.open_upload(self.database, upload, ROOM * room_bytes)
        try:
            return UploadWriter(self, upload, room_bytes)
        except BaseException:
            self.discard(account, upload.upload_id)
            raise

    def complete(self, upload: Upload) -> None:
        """Commit an upload that has arrived; its unpacked size is measured first.

        Raises:
            InputError: It cannot be unpacked.
            TooLarge, QuotaExceeded: Its content exceeds a limit.
            Gone: It was discarded meanwhile.
        """
        content_bytes = upload.size_bytes
        if split_file_name(upload.file_name)[1].traits.unpacked is not None:
            content_bytes = self._ask_content(upload)
            check_size(content_bytes, self.settings, translatable("One file, unpacked,"))
        upload_rows.complete_upload(self.database, upload, content_bytes)

    @use_case(Role.READER)
    def get(self, account: str, upload_id: str) -> Upload:
        """Return a finished upload that no task has taken.

        Raises:
            Gone: Swept, discarded, taken by a task, never finished, or another account's.
        """
        upload = upload_rows.find_upload(self.database, account, upload_id)
        if upload is None:
            raise _name_loss()
        return upload

    @use_case(Role.READER)
    def list_waiting(self, account: str) -> tuple[Upload, ...]:
        """Return the uploads that were neither cleaned nor discarded, the newest first."""
        return upload_rows.list_uploads(self.database, account)

    @use_case(Role.MEMBER)
    def decide(self, account: str, upload_id: str, decisions: MailDecisions) -> None:
        """Add to what was decided of an upload's columns; unknown ids do nothing."""
        upload_rows.add_decisions(self.database, account, upload_id, decisions)

    @use_case(Role.MEMBER)
    def name_project(self, account: str, upload_id: str, name: str) -> None:
        """Keep the name that an upload's project is to have; unknown ids do nothing."""
        kept = name[:NAME_MAX_CHARACTERS]
        upload_rows.write_project_name(self.database, account, upload_id, kept)

    @use_case(Role.MEMBER)
    def discard(self, account: str, upload_id: str) -> None:
        """Remove an upload that no task has taken, and free its space; unknown ids do nothing."""
        upload_rows.remove_upload(self.database, self.blobs, account, upload_id)

    @use_case(Role.MEMBER)
    def read_head(
        self, account: str, upload_id: str, choices: Choices, *, email_column: str | None = None
    ) -> Head:
        """Read the head of an upload; errors are ``inspect.read_head``'s and ``get``'s."""
        return self.read_head_of(self.get(account, upload_id), choices, email_column=email_column)

    def read_head_of(
        self, upload: Upload, choices: Choices, *, email_column: str | None = None
    ) -> Head:
        """Read the head of an upload that may be incomplete; errors are ``read_head``'s.

        How a merged list is written is known.
        """
        _, file_format = split_file_name(upload.file_name)
        if upload.merge is not None:
            choices = know_merged(upload.merge, file_format, choices)
        work = partial(_read_head, upload.file_name, choices, email_column)
        return self.ask(upload.key, file_format, work)

    def measure_result(self, upload: Upload) -> int | None:
        """Return the bytes to reserve for a result: twice a workbook's or Parquet file's content.

        None where that was reserved as the upload arrived. Errors are ``read_head``'s.
        """
        traits = split_file_name(upload.file_name)[1].traits
        if not traits.is_packed or traits.unpacked is not None:
            return None
        return (ROOM - 1) * max(upload.size_bytes, self._ask_content(upload))

    def _ask_content(self, upload: Upload) -> int:
        """Return the unpacked size of a list in bytes; counting ends beyond the quota."""
        quota_bytes = self.settings.quota_bytes
        most_bytes = min(quota_bytes, self.settings.max_upload_bytes or quota_bytes)
        _, file_format = split_file_name(upload.file_name)
        return self.ask(
            upload.key, file_format, partial(_measure_content, upload.file_name, most_bytes)
        )

    def ask(
        self,
        key: BlobKey,
        file_format: FileFormat | None,
        work: Callable[..., Answer],
        *,
        needs_judge: bool = False,
    ) -> Answer:
        """Ask about a stored file; ``work`` also gets its path and a folder for temporary files.

        ``file_format`` is None where the file's name says none.

        Raises:
            Gone: Something else removed the file.
            StorageFull, StorageFailed: The disk is full, or fails. Other errors are the work's.
        """
        try:
            with mapping_disk_errors(), self.blobs.scratch() as scratch:
                path = self.blobs.fetch(key)
                asked = partial(work, path, scratch)
                known = file_format or FileFormat.CSV
                return self.inspector.ask(Question(path, asked, known, needs_judge))
        except FileNotFoundError as error:
            raise _name_loss() from error

    @use_case(Role.MEMBER)
    def issue_token(self, account: str) -> str:
        """Return a token that lets a page upload for this account, for 10 minutes."""
        body = f"{int((self.clock() + TOKEN_LIFE).timestamp())}~{account}"
        return f"{body}~{self._sign(body)}"

    def account_of_token(self, token: str) -> str:
        """Return the account of an upload token.

        Raises:
            KeyRejected: Forged, for another purpose, or older than 10 minutes.
        """
        body, _, signature = token.rpartition("~")
        expires_at, _, account = body.partition("~")
        is_genuine = hmac.compare_digest(signature.encode(), self._sign(body).encode())
        if not is_genuine or int(expires_at) <= self.clock().timestamp():
            raise KeyRejected("The upload token is not valid.", hint="Reload the page.")
        return account

    def _sign(self, body: str) -> str:
        return hmac.digest(self._token_key, body.encode(), hashlib.sha256).hex()

    def receive_copy(self, account: str, file_name: str, key: BlobKey) -> Upload:
        """Receive a copy of a stored list; errors are ``begin``'s, and Gone."""
        try:
            with self.begin(account, file_name, self.blobs.size(key)) as writer:
                for chunk in self.blobs.read_blob(key):
                    writer.write(chunk)
                return writer.receive()
        except FileNotFoundError as error:
            raise Gone("The list is no longer there.") from error

    @use_case(Role.MEMBER)
    def stage_sample(self, account: str) -> Upload:
        """Stage the built-in sample list as if it had been uploaded; errors are ``begin``'s."""
        content = (files("winnow.lists") / "data" / SAMPLE_NAME).read_bytes()
        with self.begin(account, SAMPLE_NAME, len(content)) as writer:
            writer.write(content)
            return writer.finish()


def check_size(size_bytes: int, settings: Settings, what: str = translatable("One file")) -> None:
    """Raise TooLarge if a file exceeds the limit, if one is set."""
    limit = settings.max_upload_bytes
    if limit and size_bytes > limit:
        raise TooLarge(
            "{what} may have at most {limit:d} bytes.", what=what, used=size_bytes, limit=limit
        )


def _read_head(
    file_name: str, choices: Choices, email_column: str | None, path: Path, scratch: Path
) -> Head:
    return read_head(path, file_name, choices, email_column=email_column, scratch=scratch)


def _measure_content(file_name: str, most_bytes: int, path: Path, scratch: Path) -> int:
    return measure_content(path, file_name, most_bytes)


def _name_loss() -> Gone:
    return Gone("This upload is no longer there.", hint="Upload the file again.")
