"""Files that no row names: found by comparing names with rows, so that nothing need be queued.

Names are read before rows, and rows are written before files, so a file that is just being made
is never taken for rubbish.
"""

import shutil
from datetime import datetime
from pathlib import Path

from sqlalchemy import select

from backend.core.tasks import TaskState
from backend.store.database import Database
from backend.store.folder import DataFolder
from backend.store.links import list_live_hashes
from backend.store.tables import tasks, uploads


def remove_rubbish(database: Database, folder: DataFolder, now: datetime) -> int:
    """Remove uploads, results and variants that nothing refers to; return how many.

    What cannot be removed now (open on Windows) is found again by the next sweep.
    """
    inputs = _names(folder.inputs)
    results = _names(folder.results)
    variants = _names(folder.variants)
    rubbish = [folder.inputs / name for name in inputs - _list_named_inputs(database)]
    rubbish += [folder.results / name for name in results - _keep_results(database, results)]
    live = list_live_hashes(database, now) if variants else frozenset()
    rubbish += [folder.variants / name for name in variants if name.partition(".")[0] not in live]
    return sum(remove(path) for path in rubbish)


def remove(path: Path) -> bool:
    """Remove a file or a folder; False where it is not there or cannot be removed now."""
    try:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    except OSError:
        return False
    return True


def _names(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


def _list_named_inputs(database: Database) -> set[str]:
    with database.read() as connection:
        staged = set(connection.execute(select(uploads.c.upload_id)).scalars())
        taken = select(tasks.c.upload_id).where(tasks.c.deleted_at.is_(None))
        return staged | set(connection.execute(taken).scalars())


def _keep_results(database: Database, names: set[str]) -> set[str]:
    """Of these names, return the ones a row refers to or a running attempt writes."""
    if not names:
        return set()
    statement = select(tasks.c.task_id, tasks.c.state, tasks.c.attempt, tasks.c.result).where(
        tasks.c.deleted_at.is_(None)
    )
    kept: set[str] = set()
    with database.read() as connection:
        for task_id, state, attempt, result in connection.execute(statement):
            if state == TaskState.PROCESSING.value:
                kept |= {f"{task_id}.{attempt}", f"{task_id}.{attempt}.tmp"}
            elif result is not None:
                kept.add(result)
    return kept & names
