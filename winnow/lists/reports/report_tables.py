"""Sections of a report page, which the template draws."""

from collections.abc import Sequence
from dataclasses import dataclass

from winnow.core.addresses.repair_kinds import RepairKind
from winnow.core.figures import capitalise
from winnow.core.tasks.task import Summary
from winnow.words import say


@dataclass(frozen=True, slots=True)
class Table:
    """A table; ``Rows`` and ``Share`` are columns of figures."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str | int]]
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Bars:
    """A table with a bar a row: name, its explanation, the class of the bar, the count.

    ``whole`` is what shares are of. Without rows nothing is drawn.
    """

    title: str
    head: tuple[str, str]
    rows: Sequence[tuple[str, str, str, int]]
    whole: int
    remark: str = ""

    @property
    def longest(self) -> int:
        """The count of the longest bar."""
        return max(count for *_, count in self.rows)


@dataclass(frozen=True, slots=True)
class Items:
    """A list of sentences."""

    title: str
    texts: Sequence[str]


Section = Table | Bars | Items


def list_repairs(summary: Summary) -> list[tuple[str, int]]:
    """Return how many rows were repaired, by what was wrong."""
    return [
        (capitalise(say(kind.words)), summary.repaired[kind.value])
        for kind in RepairKind
        if kind.value in summary.repaired
    ]
