"""Keys of stored bytes: which list, result or workbook, wherever a class of ``Blobs`` keeps it."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Self


class BlobKind(StrEnum):
    """What bytes are of; the values name the folders, and never change."""

    INPUT = "inputs"  # an uploaded list, staged or taken by a task
    RESULT = "results"  # what an attempt made: several parts, there together or not at all
    VARIANT = "variants"  # a workbook made for a link; it can be made again
    OWN_FILE = "ownfiles"  # hashes of what an own file names, and rows that it names


@dataclass(frozen=True, slots=True)
class BlobKey:
    """The name of a blob, or of one part of a result.

    Raises:
        ValueError: A name that could lead elsewhere.
    """

    kind: BlobKind
    name: str
    part: str | None = None

    def __post_init__(self) -> None:
        for name in (self.name, self.part):
            if name is not None and (name in {"", ".", ".."} or "/" in name or "\\" in name):
                raise ValueError("not the name of a blob")

    def with_part(self, part: str) -> Self:
        """Return the key of one part."""
        return replace(self, part=part)


@dataclass(frozen=True, slots=True)
class StoredBlob:
    """A blob, or what an attempt to make one left (its name ends in ``.tmp``), and since when."""

    key: BlobKey
    changed_at: datetime  # UTC
