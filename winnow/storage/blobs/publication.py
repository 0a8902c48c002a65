"""Results: written aside, synced, moved into place under a name of their attempt's own.

A result is visible only once a row names it; a folder that no row names is rubbish.
"""

import json
import os
import zlib
from pathlib import Path

from winnow.atomic_files import FOLDER_MODE, create_durably, move_durably, sync_folder
from winnow.storage.blobs.garbage_collection import remove

SUMS_NAME = "sums.json"
_CHUNK_BYTES = 1 << 20


def open_work_folder(results: Path, name: str) -> Path:
    """Make the empty folder in which an attempt writes its result."""
    folder = results / f"{name}.tmp"
    remove(folder)
    folder.mkdir(mode=FOLDER_MODE)
    return folder


def publish(work_folder: Path, results: Path, name: str) -> int:
    """Move a finished folder to its final name, durably; return the bytes of its files.

    The engines have synced each file; a checksum of each is laid beside them. After a crash
    either name may stand; only the row that is committed afterwards makes the result count.
    """
    _write_sums(work_folder)
    size_bytes = measure_folder(work_folder)
    sync_folder(work_folder)
    move_durably(work_folder, results / name)
    return size_bytes


def measure_folder(folder: Path) -> int:
    """Return the bytes of all files in a folder, itself without subfolders."""
    return sum(entry.stat().st_size for entry in os.scandir(folder) if entry.is_file())


def is_whole(folder: Path) -> bool:
    """Tell whether every file that was published is still there; none of them is read."""
    try:
        names = json.loads((folder / SUMS_NAME).read_bytes())
        return all((folder / str(name)).is_file() for name in names)
    except FileNotFoundError:  # from before checksums were kept, or gone
        return any(folder.iterdir()) if folder.is_dir() else False
    except (OSError, ValueError, TypeError):
        return False


def find_damaged(folder: Path) -> list[str]:
    """Return the files of a published folder whose bytes are not those that were published.

    Folders from before checksums were kept have none, and nothing is found in them.
    """
    try:
        sums = json.loads((folder / SUMS_NAME).read_bytes())
        expected = {str(name): int(checksum) for name, checksum in sums.items()}
    except FileNotFoundError:
        return []
    except (ValueError, TypeError, AttributeError):
        return [SUMS_NAME]
    return sorted(
        name
        for name, checksum in expected.items()
        if not (folder / name).is_file() or _checksum(folder / name) != checksum
    )


def _write_sums(folder: Path) -> None:
    sums = {entry.name: _checksum(Path(entry)) for entry in os.scandir(folder) if entry.is_file()}
    with create_durably(folder / SUMS_NAME) as file:
        file.write(json.dumps(sums).encode())


def _checksum(path: Path) -> int:
    """Return a CRC-32: against damage, not against forgery."""
    checksum = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            checksum = zlib.crc32(chunk, checksum)
    return checksum
