"""Does the data folder hold what its rows say? For the command, and for tests under fire."""

import hashlib
from pathlib import Path

from sqlalchemy import func, select

from winnow.core.figures import count_doing
from winnow.core.tasks.task import TaskState
from winnow.storage.blobs.folder import DataFolder
from winnow.storage.blobs.garbage_collection import find_unknown
from winnow.storage.blobs.publication import find_damaged, measure_folder
from winnow.storage.database.database import Database
from winnow.storage.database.tables import accounts, reservations, tasks, uploads


def find_faults(database: Database, folder: DataFolder) -> tuple[str, ...]:
    """Return everything that does not add up, in words without names; nothing: all is well.

    Every byte that is kept is read, and compared with what was written once.
    Run it while nothing is uploaded or processed, or it may name what is just on its way.
    """
    faults = database.find_faults()
    if faults:
        return tuple(faults)
    with database.read() as connection:
        staged = connection.execute(select(uploads).where(uploads.c.sha256.is_not(None))).all()
        live = connection.execute(select(tasks).where(tasks.c.deleted_at.is_(None))).all()
        held = dict(
            connection.execute(
                select(reservations.c.account, func.sum(reservations.c.size_bytes)).group_by(
                    reservations.c.account
                )
            ).all()
        )
        counters = connection.execute(select(accounts)).all()
    stored: dict[str, int] = {}
    for row in (*staged, *live):
        size = row.input_bytes if "input_bytes" in row._fields else row.size_bytes
        path = folder.inputs / row.upload_id
        if not path.is_file():
            faults.append(f"the file of upload {row.upload_id} is missing")
        elif path.stat().st_size != size:
            faults.append(f"the file of upload {row.upload_id} has another size")
        elif _digest(path) != (row.input_sha256 if "input_sha256" in row._fields else row.sha256):
            faults.append(f"the file of upload {row.upload_id} is damaged")
        stored[row.account] = stored.get(row.account, 0) + size
    for row in live:
        if row.state != TaskState.COMPLETED.value:
            continue
        result = folder.results / (row.result or "?")
        if not result.is_dir() or measure_folder(result) != row.result_bytes:
            faults.append(f"the result of task {row.task_id} is missing or has another size")
        elif find_damaged(result):
            faults.append(f"the result of task {row.task_id} is damaged")
        stored[row.account] = stored.get(row.account, 0) + row.result_bytes
    for row in counters:
        if row.used_bytes != stored.get(row.name, 0):
            faults.append("an account's used bytes are not those of its files")
        if row.reserved_bytes != held.get(row.name, 0):
            faults.append("an account's reserved bytes are not those of its reservations")
    unknown = len(find_unknown(database, folder))
    if unknown:
        files = count_doing(unknown, "file", "is", "are")
        faults.append(f"{files} unknown to the database, and kept for now")
    return tuple(faults)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
