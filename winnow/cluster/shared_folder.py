"""A folder that all machines see under one path, as a place for objects."""

import errno
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from winnow.cluster.locations import Location
from winnow.cluster.object_store import PartPlace, StoredFile
from winnow.core.errors import BadField

_STEM = ".winnow-"  # of files that are not yet what they will be


class SharedFolder:
    """An ``ObjectStore``; names are absolute paths. An upload is a hidden file beside its target.

    Parts go to their places in it, and completing is a rename.
    """

    def find(self, name: str) -> StoredFile | None:
        """See ``ObjectStore``."""
        try:
            with _word_errors(name, "read"):
                found = os.stat(name)
        except FileNotFoundError:
            return None
        if not os.path.isfile(name):
            return None
        version = f"{found.st_ino}-{found.st_mtime_ns}-{found.st_size}"
        return StoredFile(Location(None, name), found.st_size, version)

    def read(self, name: str, start: int, size_bytes: int, version: str | None = None) -> bytes:
        """See ``ObjectStore``."""
        if version is not None and ((found := self.find(name)) is None or found.version != version):
            raise BadField("file", "changed while it was read", hint="Start again.")
        with _word_errors(name, "read"), open(name, "rb") as file:
            file.seek(start)
            return file.read(size_bytes)

    def get(self, name: str) -> bytes | None:
        """See ``ObjectStore``."""
        try:
            with _word_errors(name, "read"):
                return Path(name).read_bytes()
        except FileNotFoundError:
            return None

    def put(self, name: str, data: bytes) -> None:
        """See ``ObjectStore``."""
        path = Path(name)
        with _word_errors(name, "written"):
            path.parent.mkdir(parents=True, exist_ok=True)
            passing = path.with_name(f"{_STEM}{os.urandom(8).hex()}")
            passing.write_bytes(data)
            os.replace(passing, path)

    def list(self, prefix: str) -> Iterator[str]:
        """See ``ObjectStore``."""
        top = prefix if prefix.endswith("/") else os.path.dirname(prefix)
        for folder, _, files in os.walk(top):
            for file in files:
                name = os.path.join(folder, file)
                if name.startswith(prefix) and not file.startswith(_STEM):
                    yield name

    def remove(self, names: Iterable[str], folder: str) -> None:
        """See ``ObjectStore``."""
        top, emptied = Path(folder), {Path(folder)}
        for name in names:
            with suppress(FileNotFoundError), _word_errors(name, "removed"):
                os.unlink(name)
            emptied.update(one for one in Path(name).parents if one.is_relative_to(top))
        for one in sorted(emptied, reverse=True):  # those within others first
            with suppress(OSError):
                one.rmdir()

    def begin_upload(self, name: str) -> str:
        """See ``ObjectStore``."""
        if os.path.isdir(name):
            raise BadField("out", f"{name} is a folder", hint="Name a file with --out.")
        if os.path.exists(name) and not os.path.isfile(name):
            raise BadField("out", f"{name} is no file", hint="Name a file with --out.")
        path = Path(name).with_name(f"{_STEM}{os.urandom(8).hex()}")
        with _word_errors(name, "written"):
            path.touch()
        return str(path)

    def put_part(self, name: str, upload: str, place: PartPlace, data: bytes) -> str:
        """See ``ObjectStore``."""
        with _word_errors(name, "written"), open(upload, "r+b") as file:
            file.seek(place.offset)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        return str(place.number)

    def list_parts(self, name: str, upload: str) -> dict[int, tuple[int, str]] | None:
        """Return none: which of them are whole a file does not say."""
        return None

    def complete(self, name: str, upload: str, receipts: Sequence[str]) -> None:
        """See ``ObjectStore``."""
        with _word_errors(name, "written"):
            os.replace(upload, name)

    def abort(self, name: str, upload: str) -> None:
        """See ``ObjectStore``."""
        if os.path.basename(upload).startswith(_STEM):
            with suppress(FileNotFoundError), _word_errors(name, "removed"):
                os.unlink(upload)


@contextmanager
def _word_errors(name: str, doing: str) -> Iterator[None]:
    """Turn what the system says into sentences; what is absent goes through."""
    try:
        yield
    except FileNotFoundError:
        if doing != "written":
            raise
        raise BadField("out", f"there is no such folder: {os.path.dirname(name)}") from None
    except OSError as error:
        hint = None
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            hint = "Make room, and start again: what is finished is taken up."
        raise BadField("file", f"{name} cannot be {doing}: {error.strerror}", hint=hint) from error
