"""Checks of input and output paths: regular files whose names fit their content."""

import os
from pathlib import Path

from winnow.core.errors import BadField
from winnow.core.lists.file_format import FileFormat
from winnow.lists.inspection.signature import find_extension

_STREAMS = ("/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd", "/proc/self/fd")
_ARCHIVE = ".zip"


def require_list(path: Path) -> None:
    """Refuse a list that cannot be read repeatedly and at any offset.

    Raises:
        BadField: It is a folder, a pipe or a device.
        FileNotFoundError: There is none.
    """
    if not path.is_file():
        path.stat()
        raise BadField(
            "file",
            f"{path.name} is a folder, a pipe or a device",
            hint="Write the list to a file first.",
        )


def resolve_target(out: Path, source: Path | None) -> Path:
    """Return the file that a result may replace: the target of a link, not the link.

    A result is written next to it and replaces it, so that a device would be lost. ``source`` is
    None for a list that is in no folder.

    Raises:
        BadField: It is the list itself or no file, or its folder is none.
    """
    target = Path(os.path.realpath(out))
    stated = Path(os.path.abspath(out))
    is_stream = any(stated.is_relative_to(stream) for stream in _STREAMS)
    if is_stream or (target.exists() and not target.is_file()):
        raise BadField("out", f"{out.name or out} is no file", hint="Name a file with --out.")
    if source is not None and target.exists() and target.samefile(source):
        raise BadField("out", "is the list itself", hint="Name another file.")
    if not target.parent.is_dir():
        raise BadField("out", "there is no such folder")
    return target


def require_fitting_name(target: Path, result: FileFormat, *, may_be_archive: bool = False) -> None:
    """Refuse a name of another kind of file than is written.

    Text is text: a CSV may be called ``.txt`` or have no extension at all.

    Args:
        target: The file to be written.
        result: The format of what is written.
        may_be_archive: Whether a name that ends in ``.zip`` makes it one.

    Raises:
        BadField: Programs that use the name could not open the file.
    """
    named = find_extension(target.name)
    fits = (
        named is None or named is result or (named.traits.is_text and result.traits.is_text)
    ) and (may_be_archive or target.suffix.lower() != _ARCHIVE)
    if not fits:
        raise BadField(
            "out",
            f"{target.name} would be {result.traits.file_name} by its content",
            hint=f"Name a file ending in .{result}.",
        )
