"""Uploads: a row exists before the file and until it is removed, so no file lacks a row."""

from collections.abc import Collection
from datetime import datetime

from msgspec import convert, to_builtins
from sqlalchemy import ColumnElement, Connection, and_, delete, insert, or_, select, update

from winnow.core.blobs import BlobKey, BlobKind
from winnow.core.errors import Gone
from winnow.core.lists.upload import Upload
from winnow.core.meaning.columns import NO_DECISIONS, MailDecisions
from winnow.core.ports import Blobs
from winnow.storage.database.database import Database, value_from_row
from winnow.storage.database.tables import uploads
from winnow.storage.repositories import quota
from winnow.storage.repositories.own_files import let_files_go


def open_upload(database: Database, upload: Upload, reserve_bytes: int) -> None:
    """Insert a new upload and reserve its space; one transaction.

    Raises:
        QuotaExceeded: No space; nothing was inserted.
    """
    with database.writing() as connection:
        names = "upload_id", "account", "file_name", "created_at"
        connection.execute(insert(uploads).values({name: getattr(upload, name) for name in names}))
        quota.reserve(connection, upload.account, upload.upload_id, reserve_bytes)


def extend_upload(database: Database, upload: Upload, reserve_bytes: int) -> None:
    """Reserve more space for an upload that is being received.

    Raises:
        QuotaExceeded: No space for more; what was reserved stays.
        Gone: The upload was discarded meanwhile.
    """
    with database.writing() as connection:
        _require(connection, upload.upload_id)
        quota.reserve(connection, upload.account, upload.upload_id, reserve_bytes)


def complete_upload(database: Database, upload: Upload, content_bytes: int) -> None:
    """Commit an upload whose file is synced; one transaction.

    Its size is used, and twice its unpacked content stays reserved.

    Raises:
        QuotaExceeded: No space where that is more than was reserved.
        Gone: The upload was discarded meanwhile.
    """
    with database.writing() as connection:
        complete(connection, upload, content_bytes)


def complete_merge(database: Database, upload: Upload, parts: Collection[str]) -> None:
    """Commit a merged list, which replaces its files; one transaction.

    The files are hidden until the list is cleaned, then removed, or until it is discarded, then
    shown again. Meanwhile nothing is reserved for their results.

    Raises:
        QuotaExceeded: Only when more was written than reserved.
        Gone: The upload, or one of the files, was discarded or taken meanwhile.
    """
    with database.writing() as connection:
        waiting = connection.execute(
            update(uploads)
            .where(
                uploads.c.upload_id.in_(parts),
                uploads.c.account == upload.account,
                uploads.c.sha256.is_not(None),
                uploads.c.merged_into.is_(None),
            )
            .values(merged_into=upload.upload_id)
        )
        if waiting.rowcount != len(set(parts)):
            raise Gone("One of the files is no longer there.", hint="Look at the list of files.")
        for part in parts:
            quota.hold(connection, upload.account, part, 0)
        complete(connection, upload, upload.size_bytes)


def complete(connection: Connection, upload: Upload, content_bytes: int) -> None:
    """Do as ``complete_upload``, as a step of a transaction."""
    _require(connection, upload.upload_id)
    held, used = (quota.ROOM - 1) * content_bytes, upload.size_bytes
    quota.hold(connection, upload.account, upload.upload_id, held, used=used)
    connection.execute(
        update(uploads)
        .where(uploads.c.upload_id == upload.upload_id)
        .values(
            size_bytes=upload.size_bytes,
            sha256=upload.sha256,
            merge=None if upload.merge is None else to_builtins(upload.merge),
        )
    )


def find_upload(database: Database, account: str, upload_id: str) -> Upload | None:
    """Return a complete upload of this account that no task has taken."""
    statement = select(uploads).where(
        uploads.c.upload_id == upload_id,
        uploads.c.account == account,
        uploads.c.sha256.is_not(None),
    )
    row = database.first(statement)
    return None if row is None else value_from_row(row, Upload)


def add_decisions(
    database: Database, account: str, upload_id: str, decisions: MailDecisions
) -> None:
    """Add to what was decided of an upload; one transaction. Unknown ids do nothing."""
    where = uploads.c.upload_id == upload_id, uploads.c.account == account
    with database.writing() as connection:
        stored = connection.scalar(select(uploads.c.mail).where(*where))
        former = NO_DECISIONS if stored is None else convert(stored, MailDecisions)
        added = to_builtins(former.add(decisions))
        connection.execute(update(uploads).where(*where).values(mail=added))


def write_project_name(database: Database, account: str, upload_id: str, name: str) -> None:
    """Store the name that an upload's project is to have. Unknown ids do nothing."""
    where = uploads.c.upload_id == upload_id, uploads.c.account == account
    database.run(update(uploads).where(*where).values(project_name=name))


def list_uploads(database: Database, account: str) -> tuple[Upload, ...]:
    """Return the account's complete uploads that no task has taken, the newest first.

    Files that a merged list was made of are not among them.
    """
    statement = (
        select(uploads)
        .where(
            uploads.c.account == account,
            uploads.c.sha256.is_not(None),
            uploads.c.merged_into.is_(None),
        )
        .order_by(uploads.c.created_at.desc(), uploads.c.upload_id)
    )
    return tuple(value_from_row(row, Upload) for row in database.fetch(statement))


def remove_upload(database: Database, blobs: Blobs, account: str, upload_id: str) -> None:
    """Remove an upload that no task has taken, with its file, and free its space.

    The row is deleted after the file: the next start or sweep completes an interrupted removal.
    Unknown ids, and those of a task or another account, do nothing.
    """
    _remove_all(database, blobs, uploads.c.upload_id == upload_id, uploads.c.account == account)


def let_parts_go(connection: Connection, upload_id: str) -> None:
    """Mark the files of a merged list that has become a task, as a step of a transaction.

    One of them may be a merged list itself.
    """
    merged = [upload_id]
    while merged:
        gone = connection.execute(
            update(uploads)
            .where(uploads.c.merged_into.in_(merged))
            .values(sha256=None)
            .returning(uploads.c.upload_id)
        )
        merged = list(gone.scalars())


def remove_parts(database: Database, blobs: Blobs, upload_id: str) -> None:
    """Remove the files that ``let_parts_go`` marked; after a crash the next start or sweep does."""
    _remove_all(database, blobs, uploads.c.merged_into == upload_id, uploads.c.sha256.is_(None))


def remove_stale_uploads(database: Database, blobs: Blobs, *, created_before: datetime) -> int:
    """Remove stale uploads, and what is left of removed ones; return how many.

    Errors and promises are those of ``remove_upload``.
    """
    is_half_removed = and_(uploads.c.sha256.is_(None), uploads.c.size_bytes > 0)
    return _remove_all(database, blobs, or_(uploads.c.created_at < created_before, is_half_removed))


def remove_unfinished_uploads(database: Database, blobs: Blobs) -> int:
    """Remove the incomplete uploads of a former server, of any age; return how many.

    Call it at a server's start, when the folder's lock proves that no other runs.
    """
    return _remove_all(database, blobs, uploads.c.sha256.is_(None))


def _remove_all(database: Database, blobs: Blobs, *where: ColumnElement[bool]) -> int:
    wanted = select(uploads.c.upload_id, uploads.c.account).where(*where)
    if database.first(wanted) is None:
        return 0
    with database.writing() as connection:  # from here on no task can take them
        going = connection.execute(wanted).all()
        ids = [row.upload_id for row in going]
        connection.execute(update(uploads).where(uploads.c.upload_id.in_(ids)).values(sha256=None))
    gone = [row for row in going if blobs.delete(BlobKey(BlobKind.INPUT, row.upload_id))]
    if gone:
        with database.writing() as connection:
            for upload_id, account in gone:
                _forget(connection, upload_id, account)
    return len(gone)


def _forget(connection: Connection, upload_id: str, account: str) -> None:
    gone = connection.execute(
        delete(uploads)
        .where(uploads.c.upload_id == upload_id, uploads.c.account == account)
        .returning(uploads.c.size_bytes)
    ).first()
    if gone is not None:
        connection.execute(
            update(uploads).where(uploads.c.merged_into == upload_id).values(merged_into=None)
        )
        let_files_go(connection, upload_id)
        quota.hold(connection, account, upload_id, 0, used=-gone.size_bytes)


def _require(connection: Connection, upload_id: str) -> None:
    known = select(uploads.c.upload_id).where(uploads.c.upload_id == upload_id)
    if connection.execute(known).first() is None:
        raise Gone("The upload was deleted.")
