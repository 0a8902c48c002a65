"""Garbage collection: removes files that are no longer needed and are surely Winnow's.

The storage lists only what is Winnow's by mark and name; and the database must know that it gave
the name and what state it has. A row is written before its file and deleted after it. So a file
that the database does not know was not released by it: the database may be an older copy. Such
files stay as long as a project would.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import select

from winnow.core.blobs import BlobKey, BlobKind, StoredBlob
from winnow.core.ports import Blobs
from winnow.core.tasks.task import TaskState
from winnow.storage.database.database import Database
from winnow.storage.database.tables import own_files, tasks, uploads
from winnow.storage.repositories.links import list_live_hashes

SCRATCH_LIFE = timedelta(hours=1)  # one takes seconds; an older one was interrupted


@dataclass(frozen=True, slots=True)
class _Known:
    """Names in the database: those to keep, and all that it ever gave."""

    kept: frozenset[str]
    given: frozenset[str]  # of results: their tasks


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
    rubbish += _find_dead_variants(database, blobs, now)
    rubbish += _find_dead_matches(database, blobs)
    return sum(map(blobs.delete, rubbish)) + blobs.remove_scratch(now - SCRATCH_LIFE)


def find_unknown(database: Database, blobs: Blobs) -> list[BlobKey]:
    """Return uploads and results that the database does not know."""
    return [blob.key for blob, is_known in _list_unneeded(database, blobs) if not is_known]


def _list_unneeded(database: Database, blobs: Blobs) -> Iterator[tuple[StoredBlob, bool]]:
    """Yield uploads and results that no row keeps, and whether a row ever gave their name."""
    kinds = (
        (BlobKind.INPUT, _know_inputs),
        (BlobKind.RESULT, _know_results),
        (BlobKind.OWN_FILE, _know_own_files),
    )
    for kind, know in kinds:
        found = blobs.list(kind)  # before the rows: a new file has its row already
        known = know(database)
        for blob in found:
            if blob.key.name not in known.kept and not _is_match(blob.key):
                yield blob, blob.key.name.partition(".")[0] in known.given


def _find_dead_variants(database: Database, blobs: Blobs, now: datetime) -> list[BlobKey]:
    """Find workbooks without a living link, which can always be made again."""
    made = [blob.key for blob in blobs.list(BlobKind.VARIANT)]
    live = list_live_hashes(database, now) if made else frozenset()
    return [key for key in made if key.name.partition(".")[0] not in live]


def _find_dead_matches(database: Database, blobs: Blobs) -> list[BlobKey]:
    """Find stored matches whose own file or project is deleted; they can be made again."""
    made = [blob.key for blob in blobs.list(BlobKind.OWN_FILE) if _is_match(blob.key)]
    if not made:
        return []
    with database.reading() as connection:
        files = set(connection.execute(select(own_files.c.file_id)).scalars())
        live = set(
            connection.execute(
                select(tasks.c.task_id).where(tasks.c.deleted_at.is_(None))
            ).scalars()
        )
    return [
        key
        for key in made
        if not (files.issuperset(key.name.split(".")[:1]) and key.name.split(".")[1] in live)
    ]


def _is_match(key: BlobKey) -> bool:
    return key.kind is BlobKind.OWN_FILE and "." in key.name.removesuffix(".tmp")


def _know_own_files(database: Database) -> _Known:
    with database.reading() as connection:
        ids = frozenset(connection.execute(select(own_files.c.file_id)).scalars())
    return _Known(ids | {f"{one}.tmp" for one in ids}, ids)


def _know_inputs(database: Database) -> _Known:
    with database.reading() as connection:
        staged = set(connection.execute(select(uploads.c.upload_id)).scalars())
        rows = connection.execute(select(tasks.c.upload_id, tasks.c.deleted_at)).all()
    kept = staged | {row.upload_id for row in rows if row.deleted_at is None}
    return _Known(frozenset(kept), frozenset(row.upload_id for row in rows))


def _know_results(database: Database) -> _Known:
    """Return the names that rows refer to or running attempts write, and the tasks of all."""
    statement = select(
        tasks.c.task_id, tasks.c.state, tasks.c.attempt, tasks.c.result, tasks.c.deleted_at
    )
    kept: set[str] = set()
    given: set[str] = set()
    with database.reading() as connection:
        for task_id, state, attempt, result, deleted_at in connection.execute(statement):
            given.add(task_id)
            if deleted_at is not None:
                continue
            if state == TaskState.PROCESSING.value:
                kept |= {f"{task_id}.{attempt}", f"{task_id}.{attempt}.tmp"}
            elif result is not None:
                kept.add(result)
    return _Known(frozenset(kept), frozenset(given))
