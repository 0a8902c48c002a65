"""Counts and notes of a do-not-mail file or an import after it was read."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class NoteKind(StrEnum):
    """Kind of note on how a file was read."""

    SUBSCRIBED = "subscribed"  # this part lists who may be mailed: left out
    EMPTY_PART = "empty part"  # this part holds nothing
    COLUMN = "column"  # this column was read
    NOTHING_IN = "nothing in"  # this part names no address and no domain
    NO_BOUNCE = "no bounce"  # this part has no bounces: left out


@dataclass(frozen=True, slots=True)
class FileNote:
    """One note; ``name`` is that of a part or a column, never a cell's text."""

    kind: NoteKind
    name: str

    def to_json(self) -> list[str]:
        """Return the note as plain values."""
        return [self.kind.value, self.name]


@dataclass(frozen=True, slots=True)
class NamedCounts:
    """Counts of a file of addresses and domains: distinct ones, and lines that name none.

    ``left_out_lines`` are the numbers of the first few of these, counting lines that hold
    anything.
    """

    addresses: int
    domains: int
    wildcards: int
    left_out: int
    left_out_lines: tuple[int, ...]
    notes: tuple[FileNote, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the counts as plain values."""
        return {
            "addresses": self.addresses,
            "domains": self.domains,
            "wildcards": self.wildcards,
            "left_out": self.left_out,
            "left_out_lines": list(self.left_out_lines),
            "notes": [note.to_json() for note in self.notes],
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "NamedCounts":
        """Read what ``to_json`` wrote."""
        return cls(
            values.get("addresses", 0),
            values.get("domains", 0),
            values.get("wildcards", 0),
            values.get("left_out", 0),
            tuple(values.get("left_out_lines", ())),
            tuple(FileNote(NoteKind(kind), name) for kind, name in values.get("notes", ())),
        )


@dataclass(frozen=True, slots=True)
class NamedPatterns:
    """Entries of a file as patterns of own lists with their lines; the lines that name nothing."""

    patterns: tuple[tuple[int, str], ...]
    left_out: int
    left_out_lines: tuple[int, ...]
