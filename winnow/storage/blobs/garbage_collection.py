"""Files that are no longer needed: removed where it is sure that they are Winnow's own.

A file is removed only where the folder carries Winnow's mark, no link leads to it, it has the
name that Winnow gives, and the database knows that it gave it and what has become of it. A row
is written before its file and forgotten after it, so whatever the database does not know was
not given up by it: the database may be an older copy. Such files stay as long as a project would.
"""

import logging
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import select

from winnow.core.lists.file_format import FORMATS
from winnow.core.lists.rows import Variant
from winnow.core.tasks.task import TaskState
from winnow.storage.blobs.folder import DataFolder
from winnow.storage.blobs.marking import is_marked
from winnow.storage.database.database import Database
from winnow.storage.database.tables import tasks, uploads
from winnow.storage.repositories.links import list_live_hashes

PREVIEW_PREFIX = "preview-"
PREVIEW_LIFE = timedelta(hours=1)  # one takes seconds; an older one was broken off

_ID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_INPUT_NAME = re.compile(_ID)
_RESULT_NAME = re.compile(rf"({_ID})\.[0-9]{{1,9}}(?:\.tmp)?")
_VARIANT_NAME = re.compile(
    rf"([0-9a-f]{{64}})\.[0-9]{{1,18}}\.(?:{'|'.join(Variant)})"
    rf"\.(?:{'|'.join(map(re.escape, FORMATS))}|tmp|tmp\.strings)"
)
_PREVIEW_NAME = re.compile(rf"{PREVIEW_PREFIX}[a-z0-9_]{{8}}")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Known:
    """What the database says of names: those to keep, and all that it ever gave."""

    kept: frozenset[str]
    given: frozenset[str]


def remove_rubbish(
    database: Database, folder: DataFolder, now: datetime, *, retention: timedelta
) -> int:
    """Remove uploads, results and variants that are no longer needed; return how many.

    What cannot be removed now (open on Windows) is found again by the next sweep.

    Args:
        database: Says what is needed, and what once was.
        folder: Left alone altogether where its mark is not there.
        now: In UTC.
        retention: How long a file stays that the database does not know.
    """
    if not is_marked(folder.root):
        _log.error("the data folder has lost its mark; nothing in it is removed")
        return 0
    unknown_before = now - retention
    rubbish = [
        *_find_inputs(database, folder.inputs, unknown_before),
        *_find_results(database, folder.results, unknown_before),
        *_find_variants(database, folder.variants, now),
    ]
    return sum(remove(path) for path in rubbish)


def find_unknown(database: Database, folder: DataFolder) -> list[Path]:
    """Return uploads and results that the database does not know."""
    inputs, results = _know_inputs(database), _know_results(database)
    found = [
        path
        for path in _list_own(folder.inputs, _INPUT_NAME)
        if path.name not in inputs.kept | inputs.given
    ]
    return found + [
        path
        for path in _list_own(folder.results, _RESULT_NAME)
        if path.name not in results.kept and path.name.partition(".")[0] not in results.given
    ]


def remove(path: Path) -> bool:
    """Remove a file, or a folder with the files in it; False where that was not done.

    Links, and folders within a folder, are not Winnow's: they stay, with what they lie in.
    """
    try:
        if path.parent.is_symlink():
            return False
        mode = path.lstat().st_mode
        if stat.S_ISREG(mode):
            path.unlink()
            return True
        if not stat.S_ISDIR(mode):
            return False
        for entry in list(path.iterdir()):
            if stat.S_ISREG(entry.lstat().st_mode):
                entry.unlink()
        path.rmdir()
    except OSError:
        return False
    return True


def _find_inputs(database: Database, inputs: Path, unknown_before: datetime) -> Iterator[Path]:
    paths = _list_own(inputs, _INPUT_NAME)  # before the rows: a new file has its row already
    known = _know_inputs(database)
    for path in paths:
        if path.name not in known.kept and (
            path.name in known.given or _is_older(path, unknown_before)
        ):
            yield path


def _find_results(database: Database, results: Path, unknown_before: datetime) -> Iterator[Path]:
    paths = _list_own(results, _RESULT_NAME)
    known = _know_results(database)
    for path in paths:
        if path.name not in known.kept and (
            path.name.partition(".")[0] in known.given or _is_older(path, unknown_before)
        ):
            yield path


def _find_variants(database: Database, variants: Path, now: datetime) -> Iterator[Path]:
    """Find workbooks without a living link, which can always be made again, and old previews."""
    made = _list_own(variants, _VARIANT_NAME)
    live = list_live_hashes(database, now) if made else frozenset()
    yield from (path for path in made if path.name.partition(".")[0] not in live)
    previews = _list_own(variants, _PREVIEW_NAME)
    yield from (path for path in previews if _is_older(path, now - PREVIEW_LIFE))


def _know_inputs(database: Database) -> _Known:
    with database.read() as connection:
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
    with database.read() as connection:
        for task_id, state, attempt, result, deleted_at in connection.execute(statement):
            given.add(task_id)
            if deleted_at is not None:
                continue
            if state == TaskState.PROCESSING.value:
                kept |= {f"{task_id}.{attempt}", f"{task_id}.{attempt}.tmp"}
            elif result is not None:
                kept.add(result)
    return _Known(frozenset(kept), frozenset(given))


def _list_own(folder: Path, name: re.Pattern[str]) -> list[Path]:
    """Return what lies in a folder of Winnow's under a name that Winnow gives; no links."""
    if folder.is_symlink():
        return []
    return [
        path for path in folder.iterdir() if name.fullmatch(path.name) and not path.is_symlink()
    ]


def _is_older(path: Path, moment: datetime) -> bool:
    try:
        return datetime.fromtimestamp(path.lstat().st_mtime, UTC) < moment
    except (OSError, OverflowError, ValueError):
        return False
