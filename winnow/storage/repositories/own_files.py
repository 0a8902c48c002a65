"""Own files: a row exists before the hashes are written and until they are removed.

A file of a list is removed with it, whether that is an upload or a project, unless it is on the
never-mail list. Its space is free at once; its bytes are unlinked afterwards, and again by every
sweep until they are removed.
"""

from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime

from msgspec import to_builtins
from sqlalchemy import (
    ColumnElement,
    Connection,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)

from winnow.core.blobs import BlobKey, BlobKind
from winnow.core.errors import Gone
from winnow.core.lists.side_files import OwnFile, OwnFileKind
from winnow.core.ports import Blobs
from winnow.core.tasks.task import KeyType, TaskState
from winnow.storage.database.database import Database, value_from_row
from winnow.storage.database.tables import accounts, own_files, tasks, uploads
from winnow.storage.repositories import quota

_OF_HASHES = {"size_bytes", "sha256", "counts"}  # stored once they are written
_IS_WHOLE = own_files.c.sha256.is_not(None)
_IS_TAKEN_BACK = (own_files.c.kind == OwnFileKind.SAID_NO.value) & own_files.c.said_by.is_(None)


def begin_file(database: Database, file: OwnFile) -> None:
    """Insert a file before its hashes are written; one transaction.

    Raises:
        Gone: The list that it belongs to has been discarded or deleted.
    """
    with database.writing() as connection:
        _require_list(connection, file.account, file.upload_id)
        known = {name: one for name, one in asdict(file).items() if name not in _OF_HASHES}
        connection.execute(insert(own_files).values(known))


def finish_file(database: Database, written: OwnFile) -> OwnFile:
    """Complete a file whose hashes are synced: its size counts as used; one transaction.

    One of a finished list comes on the never-mail list, if that is on. One of who is mailed again
    replaces the former one.

    Raises:
        QuotaExceeded: There is no space for it.
        Gone: Its list was deleted meanwhile.
    """
    with database.writing() as connection:
        return _finish(connection, written)


def _finish(connection: Connection, written: OwnFile) -> OwnFile:
    is_begun = own_files.c.file_id == written.file_id
    finished = update(own_files).where(is_begun, own_files.c.counts.is_(None))  # not let go
    remembered_by = (
        select(tasks.c.input_sha256)
        .join(accounts, accounts.c.name == tasks.c.account)
        .where(
            own_files.c.kind != OwnFileKind.EARLIER.value,
            tasks.c.upload_id == own_files.c.upload_id,
            tasks.c.state == TaskState.COMPLETED.value,
            tasks.c.key_type == KeyType.LIVE.value,
            accounts.c.remembers_noes,
        )
    )
    finished = finished.values(
        size_bytes=written.size_bytes,
        sha256=written.sha256,
        counts=to_builtins(written.counts),
        said_by=func.coalesce(own_files.c.said_by, remembered_by.scalar_subquery()),
    )
    row = connection.execute(finished.returning(*own_files.c)).first()
    if row is None:
        raise _name_loss()
    _require_list(connection, row.account, row.upload_id)
    if row.kind == OwnFileKind.MAIL_AGAIN.value:
        is_former = own_files.c.file_id != written.file_id
        _let_go(connection, *_of_kind(row.account, OwnFileKind.MAIL_AGAIN), is_former)
    quota.use(connection, row.account, written.size_bytes)
    return value_from_row(row, OwnFile)


def list_files(database: Database, account: str) -> tuple[OwnFile, ...]:
    """Return all files of an account, the oldest first, but what lists said and was taken back."""
    statement = (
        select(own_files)
        .where(own_files.c.account == account, _IS_WHOLE, ~_IS_TAKEN_BACK)
        .order_by(own_files.c.created_at, own_files.c.file_id)
    )
    return tuple(value_from_row(row, OwnFile) for row in database.fetch(statement))


def is_taken_back(database: Database, upload_id: str) -> bool:
    """Return whether what a list said was taken back."""
    found = select(own_files.c.file_id).where(own_files.c.upload_id == upload_id, _IS_TAKEN_BACK)
    return database.first(found) is not None


def count_noes(database: Database) -> int:
    """Return how many noes the files of all accounts hold; hashes of a lost pepper match no one."""
    found = database.fetch(select(own_files).where(_IS_WHOLE, ~_IS_TAKEN_BACK))
    return sum(value_from_row(row, OwnFile).counts.noes for row in found)


def remove_file(database: Database, blobs: Blobs, account: str, file_id: str) -> bool:
    """Remove one file with its hashes, and free its space; False if it was not there."""
    with database.writing() as connection:
        gone = _let_go(connection, own_files.c.file_id == file_id, own_files.c.account == account)
    delete_missing_files(database, blobs, gone)
    return bool(gone)


def take_back(database: Database, blobs: Blobs, account: str, file_id: str) -> bool:
    """Take a file off the never-mail list; it stays with its list, so that this is known."""
    where = (own_files.c.file_id == file_id) & (own_files.c.account == account)
    is_kept = where & own_files.c.upload_id.is_not(None)
    kept = database.run(update(own_files).where(is_kept).values(said_by=None))
    return bool(kept) or remove_file(database, blobs, account, file_id)


def remember_list(
    connection: Connection,
    account: str,
    upload_id: str,
    said_by: str,
    noes: OwnFile | None,
    *,
    with_files: bool,
) -> None:
    """Put what a list says on the never-mail list: its rows (``noes``), its do-not-mail files.

    A step of a transaction. ``said_by`` is the hash of the list's content; what its rows said
    before is let go. Files stay as they are unless ``with_files``.

    Raises:
        QuotaExceeded: There is no space for it.
    """
    of_list = own_files.c.upload_id == upload_id
    is_former = of_list & (own_files.c.kind == OwnFileKind.SAID_NO.value)
    since = connection.scalar(select(func.min(own_files.c.created_at)).where(is_former, _IS_WHOLE))
    _let_go(connection, *_of_kind(account, OwnFileKind.SAID_NO), of_list)
    if noes is not None:
        _finish(connection, noes)
        if since is not None:  # the list said it then, not at the last decision
            is_new = own_files.c.file_id == noes.file_id
            connection.execute(update(own_files).where(is_new).values(created_at=since))
    if with_files:
        own = update(own_files).where(
            of_list,
            own_files.c.kind.not_in([OwnFileKind.EARLIER.value, OwnFileKind.SAID_NO.value]),
        )
        connection.execute(own.values(said_by=said_by))


def _of_kind(account: str, kind: OwnFileKind) -> tuple[ColumnElement[bool], ...]:
    return own_files.c.account == account, own_files.c.kind == kind.value, _IS_WHOLE


def let_files_go(connection: Connection, upload_id: str) -> None:
    """Free the space of all files of a list, as a step of the transaction that deletes it.

    Those on the never-mail list stay there, each content once.
    """
    files, twins = own_files.c, own_files.alias().c
    has_twin = exists().where(
        twins.account == files.account,
        twins.upload_id.is_(None),
        twins.said_by == files.said_by,
        twins.sha256 == files.sha256,
    )
    stays = (files.upload_id == upload_id) & files.said_by.is_not(None) & ~has_twin
    connection.execute(update(own_files).where(stays).values(upload_id=None))
    _let_go(connection, files.upload_id == upload_id)


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
    with database.reading() as connection:
        ids = list(connection.execute(select(own_files.c.file_id).where(going)).scalars())
    gone = []
    for one in ids:  # an interrupted write may have left the second
        keys = [BlobKey(BlobKind.OWN_FILE, name) for name in (one, f"{one}.tmp")]
        gone += [one] if all(map(blobs.delete, keys)) else []
    if gone:
        database.run(delete(own_files).where(own_files.c.file_id.in_(gone)))
    return len(gone)


def _let_go(connection: Connection, *where: ColumnElement[bool]) -> list[str]:
    """Free the space of files, whose hashes are removed afterwards; return their ids."""
    columns = own_files.c.file_id, own_files.c.account, own_files.c.size_bytes
    gone = connection.execute(select(*columns).where(*where)).all()
    for _, account, size_bytes in gone:
        quota.use(connection, account, -size_bytes)
    ids = [row.file_id for row in gone]
    connection.execute(
        update(own_files)
        .where(own_files.c.file_id.in_(ids))
        .values(sha256=None, size_bytes=0, file_name="", upload_id=None, said_by=None, counts={})
    )
    return ids


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
