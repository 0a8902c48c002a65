"""What is known of a file that was laid beside a list, or imported, once it was read."""

from dataclasses import dataclass
from enum import StrEnum


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
