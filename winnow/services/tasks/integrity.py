"""Integrity check of the data folder: files and rows must agree."""

from sqlalchemy import func, select

from winnow.core.blobs import BlobKey, BlobKind
from winnow.core.figures import count_doing
from winnow.core.ports import Blobs
from winnow.core.tasks.task import TaskState
from winnow.storage.blobs.checksums import digest, find_damaged
from winnow.storage.blobs.garbage_collection import find_unknown
from winnow.storage.database.database import Database
from winnow.storage.database.tables import accounts, own_files, reservations, tasks, uploads
from winnow.storage.repositories.quota import measure_own_lists


def find_faults(database: Database, blobs: Blobs, unfinished_backups: int = 0) -> tuple[str, ...]:
    """Return a text for each fault, without names of users' files; empty: no fault.

    Every stored byte is read and compared with the checksum of what was written.
    Run it while nothing is uploaded, processed or backed up, or unfinished files may be reported.
    """
    faults = database.find_faults()
    if faults:
        return tuple(faults)
    with database.reading() as connection:
        columns = uploads.c.upload_id, uploads.c.account, uploads.c.size_bytes, uploads.c.sha256
        is_live = tasks.c.deleted_at.is_(None)
        taken = tasks.c.upload_id, tasks.c.account, tasks.c.input_bytes, tasks.c.input_sha256
        made = tasks.c.task_id, tasks.c.result, tasks.c.account, tasks.c.result_bytes
        of_files = own_files.c.file_id, own_files.c.account, own_files.c.size_bytes
        staged = [
            *connection.execute(select(*columns).where(uploads.c.sha256.is_not(None))),
            *connection.execute(select(*taken).where(is_live)),
        ]
        is_done = tasks.c.state == TaskState.COMPLETED.value
        done = connection.execute(select(*made).where(is_live, is_done)).all()
        laid = connection.execute(
            select(*of_files, own_files.c.sha256).where(own_files.c.sha256.is_not(None))
        ).all()
        held = dict(
            connection.execute(
                select(reservations.c.account, func.sum(reservations.c.size_bytes)).group_by(
                    reservations.c.account
                )
            ).all()
        )
        counters = connection.execute(select(accounts)).all()
        stored = measure_own_lists(connection)
    kept = [
        *(
            (f"file of upload {row[0]}", BlobKey(BlobKind.INPUT, row[0]), *row[1:])
            for row in staged
        ),
        *(
            (f"result of task {row[0]}", BlobKey(BlobKind.RESULT, row[1] or "none"), *row[2:], None)
            for row in done
        ),
        *((f"own file {row[0]}", BlobKey(BlobKind.OWN_FILE, row[0]), *row[1:]) for row in laid),
    ]
    for what, key, account, size, checksum in kept:
        if _measure(blobs, key) != size:
            faults.append(f"the {what} is missing or has another size")
        elif digest(blobs, key) != checksum if checksum else find_damaged(blobs, key):
            faults.append(f"the {what} is damaged")
        stored[account] = stored.get(account, 0) + size
    for row in counters:
        if row.used_bytes != stored.get(row.name, 0):
            faults.append("an account's used bytes are not those of its files and lists")
        if row.reserved_bytes != held.get(row.name, 0):
            faults.append("an account's reserved bytes are not those of its reservations")
    unknown = len(find_unknown(database, blobs))
    if unknown:
        files = count_doing(unknown, "file", "is", "are")
        faults.append(f"{files} unknown to the database, and kept for now")
    if unfinished_backups:
        said = count_doing(unfinished_backups, "unfinished backup", "holds", "hold")
        faults.append(f"{said} lists, deleted ones as well; a running server removes what is left")
    return tuple(faults)


def _measure(blobs: Blobs, key: BlobKey) -> int | None:
    try:
        return blobs.size(key)
    except FileNotFoundError:
        return None
