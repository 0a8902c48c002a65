"""What a folder holds, told by the operating system, to see that nothing of it was touched."""

import os
from pathlib import Path

from winnow.storage.blobs.folder import DataFolder


def describe_tree(root: Path) -> dict[str, tuple[int, int, object]]:
    """Return every entry below a folder, itself too: mode, time of change, and content or goal."""
    described: dict[str, tuple[int, int, object]] = {}
    for path in (root, *sorted(root.rglob("*"))):
        status = path.lstat()
        content: object = None
        if path.is_symlink():
            content = os.readlink(path)
        elif path.is_file():
            content = path.read_bytes()
        described[str(path.relative_to(root))] = (status.st_mode, status.st_mtime_ns, content)
    return described


def set_up_data_folder(folder: Path, knowledge: Path) -> Path:
    """Make a data folder as Winnow marks it, with domain data that is compiled already."""
    made = DataFolder(folder)
    made.prepare()
    made.knowledge.rmdir()
    made.knowledge.symlink_to(knowledge)
    return folder
