"""A place for bytes in memory: the double of the data folder, with the manners of a far store.

Nothing of it is on a disk but what is fetched, which is a copy.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from winnow.core.blobs import BlobKey, BlobKind, StoredBlob
from winnow.storage.blobs.checksums import write_sums


class MemoryBlobs:
    """Keeps the bytes of each file and part by its key."""

    def __init__(self, fetched: Path) -> None:
        self._kept: dict[BlobKey, tuple[bytes, datetime]] = {}
        self._fetched = fetched  # copies, each written once: somebody may be reading them

    def create(self, key: BlobKey) -> "_MemoryWriter":
        if key in self._kept:
            raise FileExistsError(key)
        return _MemoryWriter(self._kept, key)

    @contextmanager
    def stage(self, key: BlobKey) -> Iterator[Path]:
        with self.scratch() as folder:
            if key.kind is not BlobKind.RESULT:
                yield folder / "made"
                self._kept[key] = (folder / "made").read_bytes(), datetime.now(UTC)
                return
            yield folder
            write_sums(folder)
            for path in folder.iterdir():
                self._kept[key.with_part(path.name)] = path.read_bytes(), datetime.now(UTC)

    def fetch(self, key: BlobKey) -> Path:
        root = self._fetched / key.kind / key.name
        for kept in self._find(key):
            path = root if kept.part is None else root / kept.part
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                path.write_bytes(self._kept[kept][0])
        return root if key.part is None else root / key.part

    def read(self, key: BlobKey, start: int = 0, size_bytes: int | None = None) -> Iterator[bytes]:
        (kept,) = self._find(key)
        end = None if size_bytes is None else start + size_bytes
        yield from filter(None, [self._kept[kept][0][start:end]])

    def size(self, key: BlobKey) -> int:
        return sum(len(self._kept[kept][0]) for kept in self._find(key))

    def list(self, kind: BlobKind) -> tuple[StoredBlob, ...]:
        found = {key.name: at for key, (_, at) in self._kept.items() if key.kind is kind}
        return tuple(StoredBlob(BlobKey(kind, name), at) for name, at in found.items())

    def delete(self, key: BlobKey) -> bool:
        for kept in [one for one in self._kept if _belongs(one, key)]:
            del self._kept[kept]
        return True

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        with TemporaryDirectory() as folder:
            yield Path(folder)

    def remove_scratch(self, changed_before: datetime) -> int:
        return 0

    def _find(self, key: BlobKey) -> tuple[BlobKey, ...]:
        found = tuple(kept for kept in self._kept if _belongs(kept, key))
        if not found:
            raise FileNotFoundError(key)
        return found


class _MemoryWriter:
    def __init__(self, kept: dict[BlobKey, tuple[bytes, datetime]], key: BlobKey) -> None:
        self._kept = kept
        self._key = key
        self._data = bytearray()

    def write(self, data: bytes) -> None:
        self._data += data

    def commit(self) -> None:
        self._kept[self._key] = bytes(self._data), datetime.now(UTC)

    def abort(self) -> None:
        self._data.clear()


def _belongs(kept: BlobKey, asked: BlobKey) -> bool:
    is_part = asked.part in {None, kept.part}
    return is_part and (kept.kind, kept.name) == (asked.kind, asked.name)
