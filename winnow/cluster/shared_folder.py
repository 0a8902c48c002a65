"""A folder that all machines see under one path, as a place for objects."""

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from winnow.cluster.locations import Location
from winnow.cluster.object_store import (
    FILE_GONE,
    ONCE_AT_A_TIME,
    UPLOAD_GONE,
    PartPlace,
    StoredFile,
)
from winnow.core.errors import BadField

_STEM = ".winnow-"  # of files that are not yet what they will be
_CLASSES = ((0o070, 0o040), (0o007, 0o004))  # group, others: what they may, where they read


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
        try:
            with _word_errors(name, "read"), open(name, "rb") as file:
                file.seek(start)
                return file.read(size_bytes)
        except FileNotFoundError as error:
            raise BadField("file", f"{name} {FILE_GONE}", hint=ONCE_AT_A_TIME) from error

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
            path.parent.mkdir(exist_ok=True)  # one above is made by none but the command
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

    def make_folder(self, name: str, source: Location) -> None:
        """See ``ObjectStore``; one that is there stays as it is."""
        with _word_errors(name, "written"):
            mode = 0o777 if source.bucket is not None else _find_mode(source)
            shared = sum(bits for bits, reads in _CLASSES if mode & reads)
            Path(name).mkdir(0o700 | shared, exist_ok=True)

    def begin_upload(self, name: str, source: Location) -> str:
        """See ``ObjectStore``."""
        path = Path(name).with_name(f"{_STEM}{os.urandom(8).hex()}")
        with _word_errors(name, "written"):
            if source.bucket is not None:
                path.touch()
            else:
                path.touch(0o600)
                path.chmod(0o600 | _find_mode(source))
        return str(path)

    def put_part(self, name: str, upload: str, place: PartPlace, data: bytes) -> str:
        """See ``ObjectStore``."""
        self._require_upload(name, upload)
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
        self._require_upload(name, upload)
        with _word_errors(name, "written"):
            os.replace(upload, name)

    def abort(self, name: str, upload: str) -> None:
        """See ``ObjectStore``."""
        if os.path.basename(upload).startswith(_STEM):
            with suppress(FileNotFoundError), _word_errors(name, "removed"):
                os.unlink(upload)

    def _require_upload(self, name: str, upload: str) -> None:
        if not os.path.exists(upload):
            problem = f"the unfinished upload of {name} {UPLOAD_GONE}"
            raise BadField("out", problem, hint=ONCE_AT_A_TIME)


def _find_mode(source: Location) -> int:
    try:
        return stat.S_IMODE(os.stat(source.name).st_mode)
    except FileNotFoundError as error:
        raise BadField("file", f"{source} {FILE_GONE}", hint=ONCE_AT_A_TIME) from error


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
