"""The account's own files: do-not-mail files and imported bounces."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from winnow.core.blobs import BlobKey, BlobKind


class OwnFileKind(StrEnum):
    """Kind of file; the values are stored."""

    DO_NOT_MAIL = "do-not-mail"
    BOUNCES = "bounces"


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file that was read; only its hashes are stored.

    ``upload_id`` is that of the list that it came with; None: it counts for all of the account's
    lists. ``counts`` are plain values, as its kind has them. ``size_bytes`` and ``sha256`` are
    those of the hashes.
    """

    file_id: str
    account: str
    kind: OwnFileKind
    upload_id: str | None
    file_name: str
    size_bytes: int
    sha256: str
    counts: dict[str, Any]
    created_at: datetime

    @property
    def key(self) -> BlobKey:
        """The key of its hashes."""
        return BlobKey(BlobKind.OWN_FILE, self.file_id)

    def name_matches(self, task_id: str) -> BlobKey:
        """Return the key of the rows that it names in a project."""
        return BlobKey(BlobKind.OWN_FILE, f"{self.file_id}.{task_id}")
