"""Marker file of a data folder: shows that the folder is Winnow's.

Winnow removes files in folders named ``inputs``, ``results`` and ``variants``; other people have
folders of these names too. So a folder is marked when it is made, and one that holds anything
else without the mark is never used.
"""

import os
import re
import sqlite3
import stat
from contextlib import closing
from enum import StrEnum
from pathlib import Path

from winnow.atomic_files import write_atomically
from winnow.core.blobs import BlobKind
from winnow.core.errors import StartRefused

MARK_NAME = "winnow-folder.txt"
DATABASE_NAME = "winnow.db"
PEPPER_NAME = "pepper"
UNFINISHED_NAME = "winnow-restore-unfinished.txt"
PEPPER_BYTES = 32  # the key of HMAC-SHA256: one digest long (RFC 2104, 3)
DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}

_SIGNATURE = b"Winnow data folder"
_MARK = _SIGNATURE + (
    b"\n\nWinnow keeps its database, lists and results in this folder, and removes them when "
    b"their time is over.\nKeep nothing of your own in here, and leave this file where it is.\n"
)
_UNFINISHED_MARK = re.compile(
    r"\.winnow-folder\.txt\.[a-z0-9_]{8}|\.winnow-folder-[0-9a-f]{16}\.tmp"
)
_INCIDENTAL = {"lost+found", ".DS_Store", "desktop.ini", "Thumbs.db"}  # of a disk or system
_KNOWLEDGE_FILE = re.compile(
    r"\.?domains-[0-9a-f]{16}\.knowledge(\.\w+)?|\.moves\.\w+|.+--.+\.moves"
)
_KNOWLEDGE_MAGIC = b"WINNOWK"


class Standing(StrEnum):
    """Ownership of a folder."""

    MISSING = "missing"
    EMPTY = "empty"
    MARKED = "marked"
    FORMER = "former"  # of 0.1, which set no mark


def find_standing(root: Path) -> Standing:
    """Return the ownership of a folder; nothing is changed.

    Raises:
        StartRefused: It holds something that is not Winnow's, or cannot be read; or it is one of
            0.1 that has lost its database.
    """
    try:
        names = set(os.listdir(root))  # before the mark: another start writes the mark first
    except FileNotFoundError:
        if root.is_symlink():
            raise refuse_unusable(root, "it is a link that leads nowhere") from None
        return Standing.MISSING
    except OSError as error:
        raise refuse_unusable(root, error.strerror or str(error)) from error
    if is_marked(root):
        return Standing.MARKED
    names = {name for name in names - _INCIDENTAL if not _UNFINISHED_MARK.fullmatch(name)}
    if not names:
        return Standing.EMPTY
    if UNFINISHED_NAME in names and not has_bytes(root / DATABASE_NAME):
        raise StartRefused(
            f'A backup is being restored into "{root}", or that was cut off.',
            hint="If it was cut off, run it again: winnow restore FILE. Nothing was changed.",
        )
    if _holds_former_database(root) or _is_former_without_database(root, names):
        return Standing.FORMER
    raise StartRefused(
        f'The folder "{root}" holds files that are not Winnow\'s.',
        hint="Point WINNOW_DATA_DIR to an empty folder, or to one that is not there yet. "
        "Nothing was changed.",
    )


def claim(root: Path) -> None:
    """Mark a folder as Winnow's, durably, unless it is already; several starts may do so at once.

    Raises:
        StartRefused: As ``find_standing``, or it cannot be made or written to.
    """
    standing = find_standing(root)
    if standing is Standing.MARKED:
        return
    try:
        write_atomically(root / MARK_NAME, _MARK)
    except OSError as error:
        raise refuse_unusable(root, error.strerror or str(error)) from error


def is_marked(root: Path) -> bool:
    """Return whether a folder has the mark: a file in it, not a link to one elsewhere."""
    path = root / MARK_NAME
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return False
        with path.open("rb") as file:
            return file.readline(len(_SIGNATURE) + 2).strip() == _SIGNATURE
    except OSError:
        return False


def refuse_unusable(root: Path, problem: str) -> StartRefused:
    """Return the refusal of a folder that cannot be made, read or written."""
    return StartRefused(
        f'The data folder "{root}" cannot be used: {problem}.',
        hint="Point WINNOW_DATA_DIR to a folder of your own.",
    )


def refuse_lost_database(root: Path) -> StartRefused:
    """Return the refusal of a folder whose files no longer have a database."""
    return StartRefused(
        f'The database {DATABASE_NAME} in "{root}" is missing or empty, though other files of '
        "Winnow are there.",
        hint="Put a copy of it back, for instance the newest of the folder backups, under the name "
        f"{DATABASE_NAME}; or name an empty folder in WINNOW_DATA_DIR to begin anew. "
        "Nothing was changed.",
    )


def refuse_damaged_database() -> StartRefused:
    """Return the refusal of a database that SQLite cannot read through."""
    return StartRefused(
        "The database in the data folder is damaged.",
        hint="Move winnow.db away, with winnow.db-wal and winnow.db-shm if they are there, "
        "and put a copy from the folder backups in its place.",
    )


def has_bytes(path: Path) -> bool:
    """Return whether there is a file that is not empty."""
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


def _holds_former_database(root: Path) -> bool:
    """Return whether there is a database of Winnow's.

    Raises:
        StartRefused: It is damaged; or a pepper of Winnow's lies there without a database.
    """
    path = root / DATABASE_NAME
    if not has_bytes(path):
        pepper = root / PEPPER_NAME
        if pepper.is_file() and pepper.stat().st_size == PEPPER_BYTES:
            raise refuse_lost_database(root)
        return False
    is_in_motion = any(has_bytes(root / f"{DATABASE_NAME}{end}") for end in ("-wal", "-journal"))
    mode = "mode=rw" if is_in_motion else "mode=ro&immutable=1"  # no file is made next to it
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True)) as database:
            database.execute("SELECT version FROM schema_version, accounts LIMIT 1").close()
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in DAMAGED:
            raise refuse_damaged_database() from error
        return False
    return True


def _is_former_without_database(root: Path, names: set[str]) -> bool:
    """Return whether 0.1 made a folder for its domain data alone, as ``winnow clean`` did."""
    kept = {*BlobKind, "backups", "refreshed"}
    if not names <= kept | {"knowledge", "server.lock"} or "knowledge" not in names:
        return False
    try:
        if any(os.listdir(root / name) for name in names & kept):
            return False
        compiled = [root / "knowledge" / name for name in os.listdir(root / "knowledge")]
        return all(_KNOWLEDGE_FILE.fullmatch(path.name) for path in compiled) and any(
            _begins_as_knowledge(path) for path in compiled
        )
    except OSError:
        return False


def _begins_as_knowledge(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_KNOWLEDGE_MAGIC)) == _KNOWLEDGE_MAGIC
