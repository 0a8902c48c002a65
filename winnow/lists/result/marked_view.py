"""View of a finished project with its matches in the account's do-not-mail and bounce files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Verdict
from winnow.lists.result.row_columns import RowIndex

MARKS = (Reason.DO_NOT_MAIL, Reason.UNSUBSCRIBED, Reason.BOUNCED_HARD, Reason.BOUNCED_SOFT)
"""In the order of their bits."""


class RowView(Protocol):
    """Every row's verdict as it is to be seen now; ``verdicts`` takes the place of the index's."""

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The distinct verdicts."""

    @property
    def alters_result(self) -> bool:
        """Whether any row's added cells are others than in the stored file."""

    def places(self, index: RowIndex, start: int, count: int) -> NDArray[np.uint16]:
        """Return each row's place in ``verdicts``."""


@dataclass(frozen=True, slots=True)
class RowMarks:
    """Rows that own files say something of: numbers from 0, rising, and their bits of ``MARKS``."""

    rows: NDArray[np.int64]
    bits: NDArray[np.uint8]

    @classmethod
    def of(cls, found: Mapping[Reason, Sequence[NDArray[np.int64]]]) -> "RowMarks":
        """Put together the rows that each reason holds for, however many files say so."""
        rows = [np.empty(0, np.int64)]
        bits = [np.empty(0, np.uint8)]
        for reason, parts in found.items():
            for part in parts:
                rows.append(part)
                bits.append(np.full(len(part), 1 << MARKS.index(reason), np.uint8))
        distinct, places = np.unique(np.concatenate(rows), return_inverse=True)
        joined = np.zeros(len(distinct), np.uint8)
        np.bitwise_or.at(joined, places, np.concatenate(bits))
        return cls(distinct, joined)


class MarkedView:
    """A view with the matches after each verdict's own reasons.

    Category, type and what decided stay as they are: a file of addresses judges none of them.
    """

    def __init__(self, index: RowIndex, beneath: RowView | None, marks: RowMarks) -> None:
        """Look through the marked rows once.

        Args:
            index: The project.
            beneath: The view without the matches; None: as it was judged.
            marks: What own files say.
        """
        self._beneath = beneath
        self._marks = marks
        verdicts = index.verdicts if beneath is None else beneath.verdicts
        known = list(verdicts)
        numbers = {verdict: place for place, verdict in enumerate(verdicts)}
        table = np.zeros((1 << len(MARKS), len(verdicts)), np.uint16)
        table[0] = np.arange(len(verdicts))
        for bits in np.unique(marks.bits).tolist():
            said = tuple(mark for place, mark in enumerate(MARKS) if bits >> place & 1)
            for place, verdict in enumerate(verdicts):
                marked = replace(verdict, reasons=verdict.reasons + said)
                if marked not in numbers:
                    numbers[marked] = len(known)
                    known.append(marked)
                table[bits, place] = numbers[marked]
        self._table = table
        self.verdicts = tuple(known)

    @property
    def alters_result(self) -> bool:
        """Whether the view below alters it: matches change no cell."""
        return self._beneath is not None and self._beneath.alters_result

    @property
    def marked_count(self) -> int:
        """How many rows have marks."""
        return len(self._marks.rows)

    def places(self, index: RowIndex, start: int, count: int) -> NDArray[np.uint16]:
        """Return each row's place in ``verdicts``."""
        below = (
            index.verdict_places(start, count)
            if self._beneath is None
            else self._beneath.places(index, start, count)
        )
        first, last = np.searchsorted(self._marks.rows, (start, start + count))
        if first == last:
            return below
        found = below.copy()
        rows = self._marks.rows[first:last] - start
        found[rows] = self._table[self._marks.bits[first:last], below[rows]]
        return found
