"""Sections of a decision page, which the template draws."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pairs:
    """Names and values, one below the other; empty values are left out. Codes are set in type."""

    title: str
    pairs: Sequence[tuple[str, str]]
    remark: str = ""
    codes: frozenset[str] = frozenset()  # names whose values are codes

    @property
    def shown(self) -> Sequence[tuple[str, str]]:
        """The pairs that have a value."""
        return [pair for pair in self.pairs if pair[1]]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of texts; without rows nothing is drawn.

    ``numbers`` are columns of figures, ``dates`` those that stay on one line.
    """

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    remark: str = ""
    numbers: frozenset[int] = frozenset()
    dates: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Sentences:
    """Paragraphs, or a list of them; none draws nothing."""

    title: str
    texts: Sequence[str]
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class Blanks:
    """Lines that a person fills in before the page is handed on."""

    title: str
    labels: Sequence[str]


Part = Pairs | Grid | Sentences | Blanks
