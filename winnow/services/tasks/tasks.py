"""Batch tasks: submitted, read, cancelled, deleted."""

import hashlib
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from msgspec import to_builtins

from winnow.core.errors import BadField, Gone, TaskUnknown
from winnow.core.identities import Event, Role
from winnow.core.lists.input_head import Choices, doubt_column
from winnow.core.lists.upload import Upload
from winnow.core.ports import Blobs
from winnow.core.settings import Settings
from winnow.core.tasks.keep_rule import KEEP_LAST
from winnow.core.tasks.run_request import RunRequest, list_chosen
from winnow.core.tasks.task import UNDO_LIFE, KeyType, Task, TaskState
from winnow.lists.inspect import plan_run
from winnow.services.names import (
    IDEMPOTENCY_KEY_MAX_CHARACTERS,
    read_name,
    read_project_name,
)
from winnow.services.uploads.uploads import Uploads
from winnow.services.use_cases import use_case
from winnow.storage.database.database import Database
from winnow.storage.database.query_cache import QueryCache
from winnow.storage.repositories import tasks as task_rows
from winnow.storage.repositories.tasks import NewTask, StoredTask, request_to_row
from winnow.storage.repositories.uploads import remove_parts
from winnow.words import translatable

SUBMITTED = "submitted"  # the watched key of tasks that wait for a worker
REMEMBERED_AFTER_DELETION = timedelta(days=30)  # by 410; 404 afterwards

CANCELLED = {
    "code": "cancelled",
    "title": "The project was cancelled",
    "detail": "The project was cancelled before it was done. Nothing was charged.",
}

_log = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class Tasks:
    """The projects of every account. Synchronous and thread-safe.

    Args:
        database: Stores the tasks.
        blobs: Stores their bytes.
        settings: Retention and limits.
        uploads: The uploads that tasks are made from.
        wake_workers: Called when a task waits.
        clock: Returns the time in UTC.
        carry_files: Copies a list's own files to its copy, by their upload ids.
        name_state: Returns a name of the data that a list is judged by, by its upload id.
    """

    database: Database
    blobs: Blobs
    settings: Settings
    uploads: Uploads
    wake_workers: Callable[[], None]
    clock: Callable[[], datetime]
    carry_files: Callable[[str, str, str], None]
    name_state: Callable[[str, str], Sequence[str]]

    def __post_init__(self) -> None:
        self._found = QueryCache[str, StoredTask | None](self.database.changes.read_number)
        self._listed = QueryCache[str, tuple[Task, ...]](self.database.changes.read_number)
        self._last_listed: dict[str, tuple[Task, ...]] = {}

    @use_case(Role.MEMBER, Event.SUBMITTED, subject="result.task_id")
    def submit(
        self,
        account: str,
        upload: str | Upload,
        request: RunRequest = RunRequest(),
        *,
        key_type: KeyType = KeyType.LIVE,
        key_prefix: str | None = None,
        project_name: str | None = None,
        idempotency_key: str | None = None,
    ) -> Task:
        """Plan an upload and queue it.

        Args:
            account: The upload's account.
            upload: The id of a finished upload, or one that was received and not yet completed:
                its task completes it, in one transaction. After an error it still exists and may
                be submitted again, changed, or discarded.
            request: What is asked of the run.
            key_type: Live, or sandbox: sandbox verdicts, uncharged.
            key_prefix: The API key that it is charged to; None: a page's.
            project_name: 1 to 50 characters; None or blank: the file's stem, cut to 50.
            idempotency_key: The same key, file, name and request return the task that was made
            with them; the upload is then discarded.

        Raises:
            BadField: The project name, or a key that was used with another file or other fields.
            InputError: The list cannot be processed.
            QuotaExceeded: There is no space for its result.
            Gone: There is no such upload.
        """
        is_received = isinstance(upload, Upload)
        if isinstance(upload, str):
            upload = self.uploads.get(account, upload)
        name = read_project_name(project_name, upload.file_name)
        key = _read_idempotency_key(idempotency_key)
        digest = None
        if key is not None:
            digest = _digest_fields(upload.file_name, name, key_type, request)
            made = task_rows.find_by_idempotency_key(self.database, account, key)
            if made is not None:
                old = _digest_old_fields(upload.file_name, name, key_type, request)
                return self._repeat(made, upload, digest, old)
        head = self.uploads.read_head_of(upload, request.choices, email_column=request.column_name)
        plan, asked = plan_run(head, request)
        new = NewTask(
            upload=upload,
            is_received=is_received,
            project_name=name,
            key_type=key_type,
            key_prefix=key_prefix,
            request=replace(asked, merge=upload.merge),
            plan=plan,
            notices=(*head.notices, *doubt_column(head, plan.email_column)),
            idempotency_key=key,
            fields_digest=digest,
        )
        return self._queue(new)

    @use_case(Role.MEMBER, Event.SUBMITTED, subject="result.task_id")
    def submit_again(
        self,
        account: str,
        task_id: str,
        *,
        project_name: str | None = None,
        request: RunRequest | None = None,
    ) -> Task:
        """Queue a task's list again, as a new task that is read in the same way.

        It takes space, is kept and is charged like any other. A second call returns the task of
        the first, unless the data that it is judged by has changed.

        Args:
            account: The task's.
            task_id: Any task that is not deleted.
            project_name: None: the same.
            request: What is asked of the run; None: the same.

        Raises:
            TaskUnknown, Gone: As ``get``.
            TooLarge, QuotaExceeded, StorageFull: There is no space for another copy.
        """
        stored = self.get_stored(account, task_id)
        task, plan = stored.task, replace(stored.task.plan, judges_both=False)
        name, request = project_name or task.project_name, request or task.request
        key, same = self._find_same(stored, name, request)
        if same is not None:
            return same
        upload = self.uploads.receive_copy(account, task.file_name, stored.input_key)
        try:
            self.carry_files(account, stored.upload_id, upload.upload_id)
            choices = Choices(
                plan.encoding,
                plan.delimiter,
                plan.has_header,
                plan.sheet,
                plan.email_column,
                plan.first_row or (None if plan.sheet else plan.preamble_lines + 1),
                escape=plan.escape,
            )
            notices = self.uploads.read_head_of(upload, choices).notices
            new = NewTask(
                upload=upload,
                is_received=True,
                project_name=name,
                key_type=task.key_type,
                request=request,
                plan=plan,
                notices=notices,
                idempotency_key=key,
            )
            return self._queue(new)
        except BaseException:
            self.uploads.discard(account, upload.upload_id)
            raise

    def _find_same(
        self, stored: StoredTask, name: str, request: RunRequest
    ) -> tuple[str, Task | None]:
        """Return the key of a repeated task, and the task made with it, if it is still there.

        After one that has failed or expired the next has a key of its own.
        """
        task = stored.task
        state = self.name_state(task.account, stored.upload_id)
        now, key = self.clock(), _digest_again(task.task_id, name, request_to_row(request), *state)
        while made := task_rows.find_by_idempotency_key(self.database, task.account, key):
            if made.task.state is not TaskState.FAILED and now < made.task.expires_at:
                return key, made.task
            key = _digest_again(key, made.task.task_id)
        return key, None

    @use_case(Role.READER)
    def get(self, account: str, task_id: str) -> Task:
        """Return a task.

        Raises:
            TaskUnknown: Never there, another account's, or deleted more than 30 days ago.
            Gone: Deleted, also if that can be undone, or past its retention.
        """
        return self.get_stored(account, task_id).task

    def get_stored(self, account: str, task_id: str) -> StoredTask:
        """Return a task with the names of its files; errors are those of ``get``."""
        stored = self._find_kept(account, task_id)
        if stored.task.undo_until is not None:
            raise Gone("The project has been deleted.")
        return stored

    @use_case(Role.READER)
    def find_by_upload(self, account: str, upload_id: str) -> Task | None:
        """Return the live task that an upload has become; None: there is none."""
        return task_rows.find_by_upload(self.database, account, self.clock(), upload_id)

    @use_case(Role.READER)
    def get_kept(self, account: str, task_id: str) -> Task:
        """Return a task, also one of which the deletion can be undone; otherwise as ``get``."""
        return self._find_kept(account, task_id).task

    def _find_kept(self, account: str, task_id: str) -> StoredTask:
        stored = self._found.get(task_id, lambda one: task_rows.find_task(self.database, one))
        if stored is None or stored.task.account != account:
            raise TaskUnknown("There is no such project.")
        require_kept(stored.task, self.clock())
        return stored

    @use_case(Role.READER)
    def list(self, account: str) -> tuple[Task, ...]:
        """Return the account's live tasks, the newest first."""
        now = self.clock()
        listed = self._listed.get(account, lambda _: self._read_all(account, now))
        return tuple(task for task in listed if task.expires_at > now)

    def _read_all(self, account: str, now: datetime) -> tuple[Task, ...]:
        """Read the tasks that may have changed: of one that has ended only the name does."""
        names = task_rows.list_names(self.database, account, now)
        known = {
            task.task_id: task
            for task in self._last_listed.get(account, ())
            if task.state is not TaskState.PROCESSING
            and names.get(task.task_id) == task.project_name
        }
        unknown = [one for one in names if one not in known]
        known |= task_rows.read_tasks(self.database, account, now, unknown)
        # One deleted meanwhile was not read.
        listed = tuple(known[one] for one in names if one in known)
        self._last_listed[account] = listed
        return listed

    @use_case(Role.READER)
    def list_page(
        self,
        account: str,
        *,
        limit: int,
        after: str | None = None,
        state: TaskState | None = None,
        only_sandbox: bool = False,
    ) -> tuple[tuple[Task, ...], str | None]:
        """Return some live tasks, the newest first, and ``after`` of the next; None: no more.

        Raises:
            BadField: The cursor ``after`` names no task of this account.
        """
        found = task_rows.list_task_page(
            self.database,
            account,
            self.clock(),
            limit=limit + 1,
            after=after,
            state=state,
            key_type=KeyType.SANDBOX if only_sandbox else None,
        )
        if found is None:
            raise BadField("cursor", "is unknown or too old")
        return found[:limit], found[limit - 1].task_id if len(found) > limit else None

    @use_case(Role.MEMBER)
    def rename(self, account: str, task_id: str, name: str) -> None:
        """Give a project another name of 1 to 50 characters, in any state.

        Raises:
            BadField: The name is not valid.
            TaskUnknown, Gone: As ``get``.
        """
        name = read_name("project_name", name)
        if not task_rows.rename_task(self.database, account, task_id, name, self.clock()):
            self.get(account, task_id)

    @use_case(Role.MEMBER)
    def cancel(self, account: str, task_id: str) -> Task:
        """Stop a processing task: it is failed with code ``cancelled``, uncharged.

        A task that has ended stays as it is. Errors are those of ``get``.
        """
        self.get(account, task_id)
        if task_rows.cancel_task(self.database, task_id, CANCELLED, self.clock()):
            _log.info("task %s cancelled", task_id)
        return self.get(account, task_id)

    def _queue(self, new: NewTask) -> Task:
        """Queue a submission; return its task, or the one that another just made with its key."""
        upload, task_id, now = new.upload, str(uuid4()), self.clock()
        expires_at = now + timedelta(days=self.settings.retention_days)
        room = self.uploads.measure_result(upload)
        made = task_rows.insert_task(self.database, new, task_id, now, expires_at, room)
        remove_parts(self.database, self.blobs, upload.upload_id)
        if made.task.task_id != task_id:
            return self._repeat(made, upload, new.fields_digest)
        _log.info("task %s submitted, %d bytes", task_id, upload.size_bytes)
        self.wake_workers()
        return made.task

    def _repeat(self, made: StoredTask, upload: Upload, *digests: str | None) -> Task:
        if made.input_sha256 != upload.sha256:
            other = translatable("another file")
        elif made.fields_digest not in {None, *digests}:  # None: from before it was kept
            other = translatable(
                "another file name, project name, column, key type, deduplicate or option"
            )
        else:
            self.uploads.discard(made.task.account, upload.upload_id)
            return made.task
        hint = translatable("Use a new key for each list.")
        raise BadField("Idempotency-Key", "was used with {other}", other=other, hint=hint)


def require_kept(task: Task, now: datetime) -> None:
    """Enforce deletion and expiry at the moment of reading.

    Raises:
        TaskUnknown: Deleted more than 30 days ago.
        Gone: Deleted for good, or past its retention.
    """
    gone_at = task.deleted_at or task.undo_until or task.expires_at
    if now >= gone_at + REMEMBERED_AFTER_DELETION:
        raise TaskUnknown("There is no such project.")
    # More than a whole minute left: the clock was set back since.
    is_over = task.undo_until is not None and not timedelta() < task.undo_until - now <= UNDO_LIFE
    if task.deleted_at is not None or is_over or now >= task.expires_at:
        raise Gone("The project has been deleted.")


def _read_idempotency_key(text: str | None) -> str | None:
    if text is None or not text.strip():
        return None
    if len(text) > IDEMPOTENCY_KEY_MAX_CHARACTERS or not text.isprintable():
        raise BadField(
            "Idempotency-Key",
            "must have 1 to {most} characters",
            most=IDEMPOTENCY_KEY_MAX_CHARACTERS,
        )
    return text.strip()


def _digest_again(*parts: object) -> str:
    """Return the key of a repeated run; no client's key has the same prefix by chance."""
    packed = json.dumps(parts, sort_keys=True).encode()
    return f"again {hashlib.sha256(packed).hexdigest()}"


def _digest_fields(file_name: str, name: str, key_type: KeyType, request: RunRequest) -> str:
    """Return a versioned digest of a submission: of every field of the request."""
    parts = to_builtins((file_name, name, key_type, list_chosen(request)), order="deterministic")
    return f"2 {hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()}"


def _digest_old_fields(file_name: str, name: str, key_type: KeyType, request: RunRequest) -> str:
    """Return the digest of 0.2, which ignores how the list is read; keys of then compare by it."""
    usual = (file_name, name, request.deduplicate, request.email_column, key_type)
    chosen: dict[str, Any] = {}
    if request.repair is not None:
        chosen["repair"] = to_builtins(request.repair, order="deterministic")
    if request.keep != KEEP_LAST:
        chosen["keep"] = (request.keep.keep, request.keep.keep_by)
    for name in ("joins_aliases", "adds_mailbox"):
        if getattr(request.keep, name):
            chosen[name] = True
    if request.second_email_column is not None:
        chosen["second_email_column"] = request.second_email_column
    packed = (*usual, chosen) if chosen else usual
    return hashlib.sha256(json.dumps(packed, sort_keys=True).encode()).hexdigest()
