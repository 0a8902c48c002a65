"""Sort order of the rows of a finished project."""

from dataclasses import dataclass
from enum import StrEnum

_DOWN = "-"


class SortBy(StrEnum):
    """Sort keys of rows besides the list's own columns."""

    FILE = "row"
    ADDRESS = "address"
    DOMAIN = "domain"
    VERDICT = "verdict"
    DOMAIN_TYPE = "type"
    REASON = "reason"


@dataclass(frozen=True, slots=True)
class RowOrder:
    """Sort key and direction; equal rows keep the file's order, empty cells come last.

    ``by`` may be the index of one of the list's own columns, from 0. Texts are compared without
    case and accents, amounts and dates by their value.
    """

    by: SortBy | int = SortBy.FILE
    descending: bool = False

    @classmethod
    def parse(cls, text: str) -> "RowOrder":
        """Read what ``word`` wrote; any other text is the file's order."""
        name = text.removeprefix(_DOWN)
        descending = name != text
        if name in set(SortBy):
            return cls(SortBy(name), descending)
        if name.isascii() and name.isdigit() and 0 < len(name) < 6 and int(name):
            return cls(int(name) - 1, descending)
        return IN_FILE

    def word(self) -> str:
        """Return the order as a page's address has it; the file's is ``""``."""
        if self == IN_FILE:
            return ""
        name = self.by.value if isinstance(self.by, SortBy) else str(self.by + 1)
        return f"{_DOWN if self.descending else ''}{name}"


IN_FILE = RowOrder()
