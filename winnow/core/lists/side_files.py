"""What is known of a file that was laid beside a list, or imported, once it was read."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class NoteKind(StrEnum):
    """What there is to say of how a file was read."""

    SUBSCRIBED = "subscribed"  # this part lists who may be mailed: left out
    EMPTY_PART = "empty part"  # this part holds nothing
    COLUMN = "column"  # this column was read
    NOTHING_IN = "nothing in"  # this part names no address and no domain
    NO_BOUNCE = "no bounce"  # this part tells of no bounces: left out


@dataclass(frozen=True, slots=True)
class FileNote:
    """One thing to say; ``name`` is that of a part or a column, never a cell's text."""

    kind: NoteKind
    name: str

    def to_json(self) -> list[str]:
        """Return the note as plain values."""
        return [self.kind.value, self.name]


@dataclass(frozen=True, slots=True)
class NamedCounts:
    """What a file of addresses and domains names: distinct ones, and the lines that name none.

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
    """What a file names, as patterns of own lists with their lines; the lines that name nothing."""

    patterns: tuple[tuple[int, str], ...]
    left_out: int
    left_out_lines: tuple[int, ...]
