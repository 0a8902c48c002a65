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
        staged = connection.execute(select(*columns).where(uploads.c.sha256.is_not(None))).all()
        live = connection.execute(select(tasks).where(tasks.c.deleted_at.is_(None))).all()
        laid = connection.execute(select(own_files).where(own_files.c.sha256.is_not(None))).all()
        held = dict(
            connection.execute(
                select(reservations.c.account, func.sum(reservations.c.size_bytes)).group_by(
                    reservations.c.account
                )
            ).all()
        )
        counters = connection.execute(select(accounts)).all()
        stored = measure_own_lists(connection)
    taken = ((row.upload_id, row.account, row.input_bytes, row.input_sha256) for row in live)
    for upload_id, account, size, checksum in (*staged, *taken):
        key = BlobKey(BlobKind.INPUT, upload_id)
        found = _measure(blobs, key)
        if found is None:
            faults.append(f"the file of upload {upload_id} is missing")
        elif found != size:
            faults.append(f"the file of upload {upload_id} has another size")
        elif digest(blobs, key) != checksum:
            faults.append(f"the file of upload {upload_id} is damaged")
        stored[account] = stored.get(account, 0) + size
    for row in live:
        if row.state != TaskState.COMPLETED.value:
            continue
        key = BlobKey(BlobKind.RESULT, row.result or "none")
        if _measure(blobs, key) != row.result_bytes:
            faults.append(f"the result of task {row.task_id} is missing or has another size")
        elif find_damaged(blobs, key):
            faults.append(f"the result of task {row.task_id} is damaged")
        stored[row.account] = stored.get(row.account, 0) + row.result_bytes
    for row in laid:
        key = BlobKey(BlobKind.OWN_FILE, row.file_id)
        if _measure(blobs, key) != row.size_bytes:
            faults.append(f"the hashes of own file {row.file_id} are missing or of another size")
        elif digest(blobs, key) != row.sha256:
            faults.append(f"the hashes of own file {row.file_id} are damaged")
        stored[row.account] = stored.get(row.account, 0) + row.size_bytes
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
