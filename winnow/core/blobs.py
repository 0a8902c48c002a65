"""Keys of stored bytes: which list, result or workbook, in any class of ``Blobs``."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Self

TABLE_NAME = "cells.parquet"
"""The part of a result that is made when it is needed, and again when it is lost: a cache."""
_CACHED = (TABLE_NAME, "duckdb_temp")


class BlobKind(StrEnum):
    """Kind of stored bytes; the values name the folders, and never change."""

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
    """A blob, or the rest of a failed attempt (its name ends in ``.tmp``), with its time."""

    key: BlobKey
    changed_at: datetime  # UTC


def is_cached(part: str) -> bool:
    """Return whether a part of a result is a cache, or left from making one."""
    return part.startswith(_CACHED)
