"""Loader of the knowledge: the compiled file in the cache folder, built when necessary."""

from contextlib import suppress
from pathlib import Path

from winnow.domain_data.build.build import compile_knowledge, fingerprint_sources, gather_names
from winnow.domain_data.build.refreshed import read_copies, read_sources
from winnow.domain_data.compiled_file import CompiledFileBroken, read_compiled
from winnow.domain_data.look_up.look_up import Knowledge

FILE_NAME = "domains-{fingerprint}.knowledge"
FINGERPRINT_DIGITS = 16


def open_knowledge(
    cache_dir: Path, refreshed_dir: Path | None = None, *, keeps_older: bool = False
) -> Knowledge:
    """Open the compiled file in ``cache_dir``, building it first when missing, stale or corrupt.

    A file is named after what it was built from, so a new release of a package, a changed
    reviewed file, or a refreshed copy in ``refreshed_dir`` asks for a new one. Two processes may
    do this at once: each builds the same bytes in a temporary file and moves it there. Files of
    older builds are removed unless ``keeps_older``: for a folder that several installations share.

    Raises:
        importlib.metadata.PackageNotFoundError: A package is not installed.
        OSError: The folder cannot be written.
    """
    copies = read_copies(refreshed_dir, read_sources()) if refreshed_dir else ()
    fingerprint = fingerprint_sources(copies)
    path = cache_dir / FILE_NAME.format(fingerprint=fingerprint[:FINGERPRINT_DIGITS])
    with suppress(CompiledFileBroken):
        return _read(path, fingerprint)
    try:
        knowledge = compile_knowledge(gather_names(copies), path, fingerprint)
    except PermissionError:  # Windows, when another process is reading its own build
        with suppress(CompiledFileBroken):
            return _read(path, fingerprint)
        raise
    if not keeps_older:
        _remove_older(cache_dir, path)
    return knowledge


def compile_in_memory() -> Knowledge:
    """Compile the knowledge of this installation without a file."""
    return compile_knowledge(gather_names(), None, fingerprint_sources())


def _read(path: Path, fingerprint: str) -> Knowledge:
    header, names = read_compiled(path)
    if header.get("fingerprint") != fingerprint:
        msg = f"{path.name} was built from other sources"
        raise CompiledFileBroken(msg)
    return Knowledge(header, names)


def _remove_older(cache_dir: Path, current: Path) -> None:
    """Remove every other compiled file by its name in the folder; no links to other files."""
    if cache_dir.is_symlink():  # others may share the folder that a link leads to
        return
    for path in cache_dir.glob(FILE_NAME.format(fingerprint="[0-9a-f]" * FINGERPRINT_DIGITS)):
        if path != current and path.is_file() and not path.is_symlink():
            with suppress(OSError):  # in use by another process; the next build removes it
                path.unlink()
