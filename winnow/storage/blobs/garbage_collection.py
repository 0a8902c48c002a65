"""Garbage collection: removes files that are no longer needed and are surely Winnow's.

The storage lists only what is Winnow's by mark and name; and the database must know that it gave
the name and what state it has. A row is written before its file and deleted after it. So a file
that the database does not know was not released by it: the database may be an older copy. Such
files stay as long as a project would.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from sqlalchemy import select

from winnow.core.blobs import BlobKey, BlobKind, StoredBlob
from winnow.core.ports import Blobs
from winnow.core.tasks.task import TaskState
from winnow.storage.database.database import Database
from winnow.storage.database.tables import own_files, tasks, uploads
from winnow.storage.repositories.links import list_live_hashes

SCRATCH_LIFE = timedelta(hours=1)  # one takes seconds; an older one was interrupted


def remove_rubbish(database: Database, blobs: Blobs, now: datetime, *, retention: timedelta) -> int:
    """Remove uploads, results and variants that are no longer needed; return how many.

    A file that cannot be removed now (open on Windows) is found again by the next sweep.

    Args:
        database: The names that are needed, and those that were.
        blobs: Where the files are.
        now: In UTC.
        retention: How long a file stays that the database does not know.
    """
    unknown_before = now - retention
    rubbish = [
        blob.key
        for blob, is_known in _list_unneeded(database, blobs)
        if is_known or blob.changed_at < unknown_before
    ]
    made = [blob.key for blob in blobs.list(BlobKind.VARIANT)]
    live = list_live_hashes(database, now) if made else frozenset()
    rubbish += [key for key in made if key.name.partition(".")[0] not in live]
    return sum(map(blobs.delete, rubbish)) + blobs.remove_scratch(now - SCRATCH_LIFE)


def find_unknown(database: Database, blobs: Blobs) -> list[BlobKey]:
    """Return uploads and results that the database does not know."""
    return [blob.key for blob, is_known in _list_unneeded(database, blobs) if not is_known]


def _list_unneeded(database: Database, blobs: Blobs) -> Iterator[tuple[StoredBlob, bool]]:
    """Yield files that no row keeps, and whether a row ever gave their name.

    Stored matches are named by their own file and project; they can be made again.
    """
    kinds = BlobKind.INPUT, BlobKind.RESULT, BlobKind.OWN_FILE
    found = [blob for kind in kinds for blob in blobs.list(kind)]  # before the rows: all have some
    columns = tasks.c.task_id, tasks.c.upload_id, tasks.c.state, tasks.c.attempt, tasks.c.result
    with database.reading() as connection:
        staged = set(connection.scalars(select(uploads.c.upload_id)))
        own = set(connection.scalars(select(own_files.c.file_id)))
        rows = connection.execute(select(*columns, tasks.c.deleted_at)).all()
    live = [row for row in rows if row.deleted_at is None]
    projects = {row.task_id for row in live}
    kept = staged | own | {f"{one}.tmp" for one in own} | {row.upload_id for row in live}
    for row in live:
        if row.state == TaskState.PROCESSING.value:
            kept |= {f"{row.task_id}.{row.attempt}", f"{row.task_id}.{row.attempt}.tmp"}
        elif row.result is not None:
            kept.add(row.result)
    given = own.union(*((row.task_id, row.upload_id) for row in rows))
    for blob in found:
        first, _, project = blob.key.name.removesuffix(".tmp").partition(".")
        if project and blob.key.kind is BlobKind.OWN_FILE:
            if first not in own or project not in projects:
                yield blob, True
        elif blob.key.name not in kept:
            yield blob, first in given
