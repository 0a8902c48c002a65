"""The task table for its owner: submit, find, cancel, delete, expire."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from msgspec import convert, to_builtins
from sqlalchemy import ColumnElement, Connection, Row, Select, delete, insert, null, select, update

from winnow.core.blobs import BlobKey, BlobKind
from winnow.core.errors import Gone
from winnow.core.lists.notices import Notice
from winnow.core.lists.upload import Upload
from winnow.core.tasks.input_plan import InputPlan
from winnow.core.tasks.run_request import USUAL, RunRequest
from winnow.core.tasks.task import KeyType, Phase, Task, TaskState
from winnow.storage.database.database import Database
from winnow.storage.database.tables import hook_deliveries, links, tasks, uploads
from winnow.storage.repositories import quota
from winnow.storage.repositories.hooks import queue_delivery
from winnow.storage.repositories.own_files import let_files_go
from winnow.storage.repositories.uploads import complete, let_parts_go

_ELSEWHERE = ("choices", "email_column", "second_email_column", "deduplicate")
IDS_AT_ONCE = 500  # in one query
UNCLAIMED = {"owner": None, "lease_until": None, "phase": Phase.QUEUED.value}
"""What a processing task has while no worker holds it."""
_NEWEST_FIRST = (tasks.c.created_at.desc(), tasks.c.task_id)


@dataclass(frozen=True, slots=True)
class StoredTask:
    """A task with the names of its bytes.

    ``fields_digest`` is that of its submission; None if none was stored.
    """

    task: Task
    upload_id: str
    result: str | None
    input_sha256: str
    fields_digest: str | None = None

    @property
    def input_key(self) -> BlobKey:
        """Where its list is."""
        return BlobKey(BlobKind.INPUT, self.upload_id)

    @property
    def list_id(self) -> str:
        """What tells its list from others: the content, and where in it the people are."""
        plan = self.task.plan
        begins = plan.sheet, plan.first_row, plan.preamble_lines, plan.has_header
        columns = plan.email_column, plan.second_email_column
        return f"{self.input_sha256}:{begins + columns}"

    @property
    def result_key(self) -> BlobKey:
        """Where its result is; without one, an unused key."""
        return BlobKey(BlobKind.RESULT, self.result or "none")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTask:
    """The fields of a submission.

    ``is_received``: the upload is not yet complete; the task's transaction completes it.
    """

    upload: Upload
    is_received: bool
    project_name: str
    key_type: KeyType
    request: RunRequest
    plan: InputPlan
    notices: tuple[Notice, ...]
    idempotency_key: str | None
    fields_digest: str | None = None  # of what else came with the key
    key_prefix: str | None = None  # of the API key that submitted it


def insert_task(
    database: Database,
    new: NewTask,
    task_id: str,
    submitted_at: datetime,
    expires_at: datetime,
    result_bytes: int | None,
) -> StoredTask:
    """Turn an upload into a queued task, in one transaction; its file stays where it is.

    With a known idempotency key the task made with it is returned instead and the upload stays:
    only one of several racing submissions makes a task.

    Args:
        database: Written to.
        new: What the submission says.
        task_id: Its id.
        submitted_at: When; in UTC.
        expires_at: The end of its retention.
        result_bytes: What to reserve for the result; None: what the upload reserved.

    Raises:
        Gone: The upload was taken or discarded meanwhile.
        QuotaExceeded: There is no space for it.
    """
    account, received = new.upload.account, new.upload
    with database.writing() as connection:
        if new.idempotency_key is not None:
            made = connection.execute(_by_idempotency_key(account, new.idempotency_key)).first()
            if made is not None and made.undo_until is None:
                return to_stored(made)
            if made is not None:  # deleted, can be undone: it is restored without its key
                keyless = update(tasks).where(tasks.c.task_id == made.task_id)
                connection.execute(keyless.values(idempotency_key=None, fields_digest=None))
        if new.is_received and received.sha256 is not None:
            complete(connection, received, received.size_bytes)
        upload = connection.execute(
            delete(uploads)
            .where(
                uploads.c.upload_id == received.upload_id,
                uploads.c.account == account,
                uploads.c.sha256.is_not(None),
            )
            .returning(uploads.c.file_name, uploads.c.size_bytes, uploads.c.sha256)
        ).first()
        if upload is None:
            raise Gone("The upload was deleted or has become a project.")
        let_parts_go(connection, received.upload_id)
        if result_bytes is not None:
            quota.hold(connection, account, received.upload_id, result_bytes)
        connection.execute(
            insert(tasks).values(
                task_id=task_id,
                account=account,
                upload_id=received.upload_id,
                project_name=new.project_name,
                file_name=upload.file_name,
                key_type=new.key_type.value,
                key_prefix=new.key_prefix,
                deduplicate=new.request.deduplicate,
                options=request_to_row(new.request),
                plan=asdict(new.plan),
                input_bytes=upload.size_bytes,
                input_sha256=upload.sha256,
                idempotency_key=new.idempotency_key,
                fields_digest=new.fields_digest,
                state=TaskState.PROCESSING.value,
                phase=Phase.QUEUED.value,
                bytes_total=upload.size_bytes,
                notices=[asdict(one) for one in new.notices],
                created_at=submitted_at,
                expires_at=expires_at,
            )
        )
        return to_stored(connection.execute(_by_id(task_id)).one())


def find_task(database: Database, task_id: str) -> StoredTask | None:
    """Return a task in any state, deleted ones too."""
    row = database.first(_by_id(task_id))
    return None if row is None else to_stored(row)


def find_by_upload(database: Database, account: str, now: datetime, upload_id: str) -> Task | None:
    """Return the task that an upload has become, if it is neither deleted nor expired."""
    is_made = tasks.c.upload_id == upload_id
    return next(iter(_list_tasks(database, *_is_present(account, now), is_made)), None)


def find_by_idempotency_key(database: Database, account: str, key: str) -> StoredTask | None:
    """Return the task that was made with this key and is not deleted."""
    present = _by_idempotency_key(account, key).where(tasks.c.undo_until.is_(None))
    row = database.first(present)
    return None if row is None else to_stored(row)


def list_names(database: Database, account: str, now: datetime) -> dict[str, str]:
    """Return the names of tasks that are neither deleted nor expired by id, the newest first."""
    names = select(tasks.c.task_id, tasks.c.project_name).where(*_is_present(account, now))
    return dict(map(tuple, database.fetch(names.order_by(*_NEWEST_FIRST))))


def read_tasks(
    database: Database, account: str, now: datetime, task_ids: Sequence[str]
) -> dict[str, Task]:
    """Return tasks by their ids, those that are neither deleted nor expired."""
    found: dict[str, Task] = {}
    for first in range(0, len(task_ids), IDS_AT_ONCE):
        wanted = tasks.c.task_id.in_(task_ids[first : first + IDS_AT_ONCE])
        present = _list_tasks(database, *_is_present(account, now), wanted)
        found.update((task.task_id, task) for task in present)
    return found


def list_task_page(
    database: Database,
    account: str,
    now: datetime,
    *,
    limit: int,
    after: str | None,
    state: TaskState | None,
    key_type: KeyType | None = None,
) -> tuple[Task, ...] | None:
    """Return some tasks that are neither deleted nor expired, the newest first.

    ``after`` is the id of the task that they come after, which may have been deleted since; None:
    the account has no such task.
    """
    where = [*_is_present(account, now)]
    if state is not None:
        where.append(tasks.c.state == state.value)
    if key_type is not None:
        where.append(tasks.c.key_type == key_type.value)
    if after is not None:
        last = database.first(_by_id(after).where(tasks.c.account == account))
        if last is None:
            return None
        is_older = tasks.c.created_at < last.created_at
        is_next = (tasks.c.created_at == last.created_at) & (tasks.c.task_id > after)
        where.append(is_older | is_next)
    return _list_tasks(database, *where, limit=limit)


def rename_task(database: Database, account: str, task_id: str, name: str, now: datetime) -> bool:
    """Give a project another name; False where the account has no such project."""
    renamed = update(tasks).where(*_is_present(account, now), tasks.c.task_id == task_id)
    return database.run(renamed.values(project_name=name)) == 1


def change_request(database: Database, account: str, task_id: str, request: RunRequest) -> None:
    """Replace what was asked of a project that is there, as it is to be shown now."""
    of_account = tasks.c.account == account, tasks.c.task_id == task_id
    present = update(tasks).where(*of_account, tasks.c.deleted_at.is_(None))
    database.run(present.values(options=request_to_row(request)))


def cancel_task(database: Database, task_id: str, error: Mapping[str, Any], now: datetime) -> bool:
    """End a processing task as failed, uncharged, and free the space reserved for its result.

    One transaction; it voids the fence, so that the task's worker cannot write any more. False
    if the task is not processing.
    """
    with database.writing() as connection:
        return fail_task(connection, tasks.c.task_id == task_id, error, now)


def fail_task(connection: Connection, where: Any, error: Mapping[str, Any], now: datetime) -> bool:
    """Mark one processing task failed, as a step of a transaction. Its input is kept."""
    failed = connection.execute(
        update(tasks)
        .where(
            where,
            tasks.c.state == TaskState.PROCESSING.value,
            tasks.c.deleted_at.is_(None),
            tasks.c.undo_until.is_(None),
        )
        .values(
            state=TaskState.FAILED.value,
            error=dict(error),
            completed_at=now,
            owner=None,
            lease_until=None,
        )
        .returning(tasks.c.account, tasks.c.upload_id, tasks.c.task_id)
    ).first()
    if failed is None:
        return False
    quota.hold(connection, failed.account, failed.upload_id, 0)
    queue_delivery(connection, failed.task_id, now)
    return True


def delete_expired_tasks(database: Database, now: datetime) -> int:
    """Delete every task past its retention, each dated to its expiry; return how many."""
    due = select(tasks.c.task_id, tasks.c.expires_at).where(
        tasks.c.expires_at <= now, tasks.c.deleted_at.is_(None)
    )
    expired = database.fetch(due)
    for row in expired:
        with database.writing() as connection:
            delete_row(connection, row.task_id, row.expires_at)
    return len(expired)


def forget_deleted_tasks(database: Database, *, deleted_before: datetime) -> int:
    """Remove the rows of tasks deleted long ago, not those of the ledger; return how many."""
    due = (tasks.c.deleted_at.is_not(None), tasks.c.deleted_at <= deleted_before)
    with database.writing() as connection:
        old = select(tasks.c.task_id).where(*due)
        connection.execute(delete(links).where(links.c.task_id.in_(old)))
        return connection.execute(delete(tasks).where(*due)).rowcount


def delete_row(connection: Connection, task_id: str, now: datetime) -> None:
    """Delete a task for good: its fence is void, its space is free, its facts are removed.

    A step of a transaction; the row stays with its times, so that it and its links can answer 410.
    The files are unlinked afterwards, and again by every sweep until they are removed. One that is
    deleted already stays as it is.
    """
    row = connection.execute(
        select(tasks).where(tasks.c.task_id == task_id, tasks.c.deleted_at.is_(None))
    ).first()
    if row is None:
        return
    used = row.input_bytes + row.result_bytes
    quota.hold(connection, row.account, row.upload_id, 0, used=-used)
    connection.execute(delete(hook_deliveries).where(hook_deliveries.c.task_id == task_id))
    let_files_go(connection, row.upload_id)
    connection.execute(
        update(tasks)
        .where(tasks.c.task_id == task_id)
        .values(
            deleted_at=now,
            undo_until=None,
            owner=None,
            lease_until=None,
            idempotency_key=None,
            fields_digest=None,
            project_name="",
            file_name="",
            plan={**row.plan, "columns": [], "sheet": None},
            input_sha256="",
            summary=null(),
            notices=null(),
            error=null(),
            result=None,
            options=null(),
        )
    )


def _list_tasks(
    database: Database, *where: ColumnElement[bool], limit: int | None = None
) -> tuple[Task, ...]:
    statement = select(tasks).where(*where).order_by(*_NEWEST_FIRST).limit(limit)
    return tuple(task_from_row(row) for row in database.fetch(statement))


def _is_present(account: str, now: datetime) -> tuple[ColumnElement[bool], ...]:
    return tasks.c.account == account, *is_present(now)


def is_present(now: datetime) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions of tasks that are neither deleted nor expired."""
    return (
        tasks.c.deleted_at.is_(None),
        tasks.c.undo_until.is_(None),
        tasks.c.expires_at > now,
    )


def _by_id(task_id: str) -> Select[Any]:
    return select(tasks).where(tasks.c.task_id == task_id)


def _by_idempotency_key(account: str, key: str) -> Select[Any]:
    return select(tasks).where(tasks.c.account == account, tasks.c.idempotency_key == key)


def to_stored(row: Row[Any]) -> StoredTask:
    """Return a row of ``tasks`` with the names of its bytes."""
    return StoredTask(
        task_from_row(row), row.upload_id, row.result, row.input_sha256, row.fields_digest
    )


def task_from_row(row: Row[Any]) -> Task:
    """Return a row of ``tasks`` as the core's value."""
    present = {str(name): value for name, value in row._mapping.items() if value is not None}
    asked = {**present.get("options", {}), "deduplicate": row.deduplicate}
    if keep := asked.get("keep"):
        asked["keep"] = {**keep, "keep_by": keep["date_column"]}
    facts = {"submitted_at": row.created_at, "progress": present, "request": asked}
    return convert({**present, **facts}, Task)


def request_to_row(request: RunRequest) -> dict[str, Any] | None:
    """Return a settled request as ``options`` of a row of ``tasks``; None for the usual one.

    Whether duplicates are removed is in another column, how the list is read in its plan.
    """
    if replace(request, deduplicate=True) == USUAL:
        return None
    row: dict[str, Any] = to_builtins(request, order="deterministic")
    row["keep"]["date_column"] = row["keep"].pop("keep_by")
    if request.who_decides is None:  # as stored before it could be asked
        del row["who_decides"]
    return {name: value for name, value in row.items() if name not in _ELSEWHERE}
