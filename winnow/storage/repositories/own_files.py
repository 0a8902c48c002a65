"""Own files: a row exists before the hashes are written and until they are removed.

A file of a list is removed with it, whether that is an upload or a project. Its space is free at
once; its bytes are unlinked afterwards, and again by every sweep until they are removed.
"""

from collections.abc import Iterable
from datetime import datetime

from msgspec import to_builtins
from sqlalchemy import (
    ColumnElement,
    Connection,
    delete,
    exists,
    insert,
    or_,
    select,
    update,
)

from winnow.core.blobs import BlobKey, BlobKind
from winnow.core.errors import Gone
from winnow.core.lists.side_files import FileCounts, OwnFile, OwnFileKind
from winnow.core.ports import Blobs
from winnow.storage.database.database import Database, value_from_row
from winnow.storage.database.tables import own_files, tasks, uploads
from winnow.storage.repositories import quota


def begin_file(
    database: Database,
    account: str,
    file_id: str,
    kind: OwnFileKind,
    file_name: str,
    now: datetime,
    *,
    upload_id: str | None = None,
) -> None:
    """Insert a file before its hashes are written; one transaction.

    Raises:
        Gone: The list that it belongs to has been discarded or deleted.
    """
    with database.write() as connection:
        _require_list(connection, account, upload_id)
        connection.execute(
            insert(own_files).values(
                file_id=file_id,
                account=account,
                kind=kind.value,
                upload_id=upload_id,
                file_name=file_name,
                created_at=now,
            )
        )


def finish_file(
    database: Database,
    file_id: str,
    size_bytes: int,
    sha256: str,
    counts: FileCounts,
    *,
    limit: int,
) -> OwnFile:
    """Complete a file after its hashes are synced: its size counts as used; one transaction.

    Raises:
        QuotaExceeded: There is no space for it.
        Gone: Its list was deleted meanwhile.
    """
    is_begun = (own_files.c.file_id == file_id) & own_files.c.counts.is_(None)  # not let go
    finished = update(own_files).where(is_begun)
    plain = to_builtins(counts)
    finished = finished.values(size_bytes=size_bytes, sha256=sha256, counts=plain)
    with database.write() as connection:
        row = connection.execute(finished.returning(*own_files.c)).first()
        if row is None:
            raise _name_loss()
        _require_list(connection, row.account, row.upload_id)
        quota.use(connection, row.account, size_bytes, limit=limit)
    return value_from_row(row, OwnFile)


def list_files(
    database: Database, account: str, kind: OwnFileKind, upload_id: str | None = None
) -> tuple[OwnFile, ...]:
    """Return the files of a kind, the oldest first; of one list, or of none."""
    statement = (
        select(own_files)
        .where(
            own_files.c.account == account,
            own_files.c.kind == kind.value,
            own_files.c.upload_id.is_(None)
            if upload_id is None
            else own_files.c.upload_id == upload_id,
            own_files.c.sha256.is_not(None),
        )
        .order_by(own_files.c.created_at, own_files.c.file_id)
    )
    return tuple(value_from_row(row, OwnFile) for row in database.fetch(statement))


def remove_file(database: Database, blobs: Blobs, account: str, file_id: str) -> bool:
    """Remove one file with its hashes, and free its space; False if it was not there."""
    with database.write() as connection:
        where = (own_files.c.file_id == file_id) & (own_files.c.account == account)
        found = connection.execute(select(own_files.c.account).where(where)).first() is not None
        if found:
            _let_go(connection, [file_id])
    if found:
        delete_missing_files(database, blobs, [file_id])
    return found


def let_files_go(connection: Connection, upload_id: str) -> None:
    """Free the space of all files of a list, as a step of the transaction that deletes it."""
    ids = connection.execute(
        select(own_files.c.file_id).where(own_files.c.upload_id == upload_id)
    ).scalars()
    _let_go(connection, list(ids))


def delete_missing_files(
    database: Database,
    blobs: Blobs,
    only: Iterable[str] | None = None,
    *,
    begun_before: datetime | None = None,
) -> int:
    """Remove the hashes and rows of deleted and interrupted files; return how many.

    Args:
        database: Has the rows.
        blobs: Has the hashes.
        only: Only these files.
        begun_before: An incomplete file that is older counts as interrupted.
    """
    going: ColumnElement[bool] = own_files.c.sha256.is_(None)
    if only is not None:
        going &= own_files.c.file_id.in_(list(only))
    elif begun_before is not None:
        going &= or_(own_files.c.created_at < begun_before, own_files.c.counts.is_not(None))
    with database.read() as connection:
        ids = list(connection.execute(select(own_files.c.file_id).where(going)).scalars())
    gone = [one for one in ids if all(map(blobs.delete, _list_keys(one)))]
    if gone:
        database.run(delete(own_files).where(own_files.c.file_id.in_(gone)))
    return len(gone)


def _list_keys(file_id: str) -> tuple[BlobKey, ...]:
    """Return the keys of the hashes, and of those that an interrupted write may have left."""
    return tuple(BlobKey(BlobKind.OWN_FILE, name) for name in (file_id, f"{file_id}.tmp"))


def _let_go(connection: Connection, ids: list[str]) -> None:
    rows = connection.execute(
        select(own_files.c.account, own_files.c.size_bytes).where(own_files.c.file_id.in_(ids))
    ).all()
    for account, size_bytes in rows:
        quota.give_back(connection, account, size_bytes)
    connection.execute(
        update(own_files)
        .where(own_files.c.file_id.in_(ids))
        .values(sha256=None, size_bytes=0, file_name="", upload_id=None, counts={})
    )


def _require_list(connection: Connection, account: str, upload_id: str | None) -> None:
    if upload_id is None:
        return
    of_upload = exists().where(uploads.c.upload_id == upload_id, uploads.c.account == account)
    of_task = exists().where(
        tasks.c.upload_id == upload_id, tasks.c.account == account, tasks.c.deleted_at.is_(None)
    )
    if not connection.execute(select(or_(of_upload, of_task))).scalar():
        raise _name_loss()


def _name_loss() -> Gone:
    return Gone("The list that this file was for is no longer there.")
