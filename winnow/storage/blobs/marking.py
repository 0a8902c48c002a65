"""Marker file of a data folder: shows that the folder is Winnow's.

Winnow removes files in folders named ``inputs``, ``results`` and ``variants``; other people have
folders of these names too. So a folder is marked when it is made, and one that holds anything
else without the mark is never used.
"""

import os
import re
import stat
from pathlib import Path

from winnow.atomic_files import write_atomically
from winnow.core.errors import StartRefused

MARK_NAME = "winnow-folder.txt"
DATABASE_NAME = "winnow.db"
PEPPER_NAME = "pepper"
UNFINISHED_NAME = "winnow-restore-unfinished.txt"
PEPPER_BYTES = 32  # the key of HMAC-SHA256: one digest long (RFC 2104, 3)

_SIGNATURE = b"Winnow data folder"
_MARK = _SIGNATURE + (
    b"\n\nWinnow keeps its database, lists and results in this folder, and removes them when "
    b"their time is over.\nKeep nothing of your own in here, and leave this file where it is.\n"
)
_UNFINISHED_MARK = re.compile(
    r"\.winnow-folder\.txt\.[a-z0-9_]{8}|\.winnow-folder-[0-9a-f]{16}\.tmp"
)
_INCIDENTAL = {"lost+found", ".DS_Store", "desktop.ini", "Thumbs.db"}  # of a disk or system


def is_ours(root: Path) -> bool:
    """Return whether a folder is Winnow's; False: it is missing or empty. Nothing is changed.

    Raises:
        StartRefused: It holds something that is not Winnow's, or cannot be read.
    """
    try:
        names = set(os.listdir(root))  # before the mark: another start writes the mark first
    except FileNotFoundError:
        if root.is_symlink():
            raise refuse_unusable(root, "it is a link that leads nowhere") from None
        return False
    except OSError as error:
        raise refuse_unusable(root, error.strerror or str(error)) from error
    if is_marked(root):
        return True
    names = {name for name in names - _INCIDENTAL if not _UNFINISHED_MARK.fullmatch(name)}
    if not names:
        return False
    if UNFINISHED_NAME in names:
        raise StartRefused(
            f'A backup is being restored into "{root}", or that was cut off.',
            hint="If it was cut off, run it again: winnow restore FILE. Nothing was changed.",
        )
    raise StartRefused(
        f'The folder "{root}" holds files that are not Winnow\'s, or of a version before 0.2.',
        hint="Point WINNOW_DATA_DIR to an empty folder, or to one that is not there yet. "
        "Nothing was changed.",
    )


def claim(root: Path) -> None:
    """Mark a folder as Winnow's, durably, unless it is already; several starts may do so at once.

    Raises:
        StartRefused: As ``is_ours``, or it cannot be made or written to.
    """
    if is_ours(root):
        return
    try:
        set_mark(root)
    except OSError as error:
        raise refuse_unusable(root, error.strerror or str(error)) from error


def set_mark(root: Path) -> None:
    """Mark a folder as Winnow's, durably; it may hold anything."""
    write_atomically(root / MARK_NAME, _MARK)


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


def has_bytes(path: Path) -> bool:
    """Return whether there is a file that is not empty."""
    try:
        return path.stat().st_size > 0
    except OSError:
        return False
