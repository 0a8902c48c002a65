"""A place for whole objects that several machines read and write: a bucket, or a shared folder."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from winnow.cluster.locations import Location

HOW_TO_INSTALL = 'Run pip install -e ".[cluster]" in the folder of Winnow.'
LEAST_PART_BYTES = 5 << 20  # of an upload in parts, but for its last: Amazon S3, "Quotas"
MOST_PARTS = 10_000  # the same
FILE_GONE = "was removed while the list was cleaned"
UPLOAD_GONE = "was ended by another run, or by somebody else"
ONCE_AT_A_TIME = "Start again, and only once at a time."


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file as it was found: ``version`` is another one as soon as its content is."""

    location: Location
    size_bytes: int
    version: str


@dataclass(frozen=True, slots=True)
class PartPlace:
    """Where a part of an upload goes: its number from 1, its first byte in the whole."""

    number: int
    offset: int


class ObjectStore(Protocol):
    """What the cluster asks of a place. Every failure is a BadField that says what to do.

    An upload in parts shows nothing under its name before ``complete``; a part that is sent again
    takes the place of the former one.
    """

    def find(self, name: str) -> StoredFile | None:
        """Return what is known of a file, None where there is none."""

    def read(self, name: str, start: int, size_bytes: int, version: str | None = None) -> bytes:
        """Return a stretch of a file.

        A BadField where it is not there, or is no longer the version asked for.
        """

    def get(self, name: str) -> bytes | None:
        """Return a small file, None where there is none."""

    def put(self, name: str, data: bytes) -> None:
        """Write a small file, whole or not at all."""

    def list(self, prefix: str) -> Iterator[str]:
        """Yield the names that begin so."""

    def remove(self, names: Iterable[str], folder: str) -> None:
        """Remove files of a folder, and it where nothing else is in it; what is absent is fine."""

    def make_folder(self, name: str, source: Location) -> None:
        """Make a folder where stores have them, for those alone who may read a list."""

    def begin_upload(self, name: str, source: Location) -> str:
        """Begin an upload in parts; return its number.

        Between files of one system the result may be read by those who may read ``source``.
        """

    def put_part(self, name: str, upload: str, place: PartPlace, data: bytes) -> str:
        """Send a part; return its receipt."""

    def list_parts(self, name: str, upload: str) -> dict[int, tuple[int, str]] | None:
        """Return the sizes and receipts of the parts sent so far; None: there is no such upload."""

    def complete(self, name: str, upload: str, receipts: Sequence[str]) -> None:
        """Make the parts, in order, the file of that name."""

    def abort(self, name: str, upload: str) -> None:
        """Forget an upload and its parts; one that is not there is no error."""


@cache
def open_store(bucket: str | None) -> ObjectStore:
    """Return the store of a bucket, or of the file system, once a process.

    Raises:
        BadField: What it needs is not installed.
    """
    if bucket is None:
        from winnow.cluster.shared_folder import SharedFolder

        return SharedFolder()
    from winnow.cluster.s3_bucket import open_bucket

    return open_bucket(bucket)
