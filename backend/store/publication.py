"""Results: written aside, synced, moved into place under a name of their attempt's own.

A result is visible only once a row names it; a folder that no row names is rubbish.
"""

import os
import shutil
from pathlib import Path

from backend.store.folder import FOLDER_MODE, sync_folder


def open_work_folder(results: Path, name: str) -> Path:
    """Make the empty folder in which an attempt writes its result."""
    folder = results / f"{name}.tmp"
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(mode=FOLDER_MODE)
    return folder


def publish(work_folder: Path, results: Path, name: str) -> int:
    """Move a finished folder to its final name, durably; return the bytes of its files.

    The engines have synced each file. After a crash either name may stand; only the row that is
    committed afterwards makes the result count.
    """
    size_bytes = measure_folder(work_folder)
    sync_folder(work_folder)
    os.replace(work_folder, results / name)
    sync_folder(results)
    return size_bytes


def measure_folder(folder: Path) -> int:
    """Return the bytes of all files in a folder, itself without subfolders."""
    return sum(entry.stat().st_size for entry in os.scandir(folder) if entry.is_file())
