"""Overlay of the account's current own lists on a finished project; its files stay unchanged."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from winnow.core.own_lists.patterns import OwnLists, judge_entry
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.policy import overrule
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category, Verdict
from winnow.lists.result.cell_questions import CellReader
from winnow.lists.result.own_rows import find_addresses, iterate_runs, number_domains
from winnow.lists.result.row_columns import RowIndex

Class = tuple[Category, Reason]


@dataclass(frozen=True, slots=True)
class OwnEffect:
    """Effect of own lists on a project.

    ``rows_changed`` counts rows whose category is another one than without the lists; ``hits``
    is, by the entries' places, how many rows each decides.
    """

    rows_changed: int
    hits: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Overlay:
    """Every row's verdict with the own lists of one moment.

    ``verdicts`` takes the place of the index's. ``table`` gives places in it by the kind of the
    deciding entry (0: none) and by the place in the index's verdicts; ``kinds`` is, by an entry's
    number, its kind. Entry numbers are places plus 1, 0 for none: ``by_domain`` by domain code,
    ``numbers`` for the rows whose whole address has an entry. ``alters_result`` says whether any
    row's added cells are others than in the stored file.
    """

    verdicts: tuple[Verdict, ...]
    table: NDArray[np.uint16]
    kinds: NDArray[np.uint8]
    by_domain: NDArray[np.uint32]
    rows: NDArray[np.int64]
    numbers: NDArray[np.uint32]
    alters_result: bool

    @classmethod
    def build(cls, index: RowIndex, own: OwnLists, cells: CellReader) -> "Overlay | None":
        """Build the overlay of a project; None where no entry decides or decided anything in it."""
        if not own.entries and all(verdict.overruled is None for verdict in index.verdicts):
            return None
        classes: dict[Class, int] = {}
        kinds = [
            0,
            *(
                classes.setdefault((entry.category, entry.reason), len(classes) + 1)
                for entry in own.entries
            ),
        ]
        verdicts, table = _combine(index.verdicts, list(classes))
        rows, numbers = find_addresses(index, cells, own)
        by_domain = number_domains(index, own)
        overlay = cls(
            verdicts, table, np.array(kinds, np.uint8), by_domain, rows, numbers, alters_result=True
        )
        return overlay if overlay._alters(index) else replace(overlay, alters_result=False)

    def entry_numbers(self, index: RowIndex, start: int, count: int) -> NDArray[np.uint32]:
        """Return the number of the entry that decides for each row, 0 for none."""
        codes = index.domain_codes(start, count)
        found: NDArray[np.uint32] = self.by_domain[codes]
        first, last = np.searchsorted(self.rows, (start, start + count))
        found[self.rows[first:last] - start] = self.numbers[first:last]
        found[codes == 0] = 0  # no usable address: invalid whatever a list says
        return found

    def places(self, index: RowIndex, start: int, count: int) -> NDArray[np.uint16]:
        """Return each row's place in ``verdicts``."""
        kinds = self.kinds[self.entry_numbers(index, start, count)]
        places: NDArray[np.uint16] = self.table[kinds, index.verdict_places(start, count)]
        return places

    def measure(self, index: RowIndex) -> OwnEffect:
        """Count the effect of the lists."""
        is_changed = np.array(
            [
                verdict.overruled is not None and verdict.overruled.category is not verdict.category
                for verdict in self.verdicts
            ],
            np.bool_,
        )
        changed = 0
        hits = np.zeros(len(self.kinds), np.int64)
        for start, count in iterate_runs(index.row_count):
            changed += int(np.count_nonzero(is_changed[self.places(index, start, count)]))
            hits += np.bincount(self.entry_numbers(index, start, count), minlength=len(hits))
        return OwnEffect(changed, hits[1:])

    def _alters(self, index: RowIndex) -> bool:
        list_cells = index.text.added.list_cells
        cells, before = list(map(list_cells, self.verdicts)), list(map(list_cells, index.verdicts))
        differs = np.array(
            [
                [cells[place] != old for place, old in zip(row, before, strict=True)]
                for row in self.table.tolist()
            ],
            np.bool_,
        ).reshape(self.table.shape)
        for start, count in iterate_runs(index.row_count):
            kinds = self.kinds[self.entry_numbers(index, start, count)]
            if differs[kinds, index.verdict_places(start, count)].any():
                return True
        return False


def _combine(
    stored: Sequence[Verdict], classes: Sequence[Class]
) -> tuple[tuple[Verdict, ...], NDArray[np.uint16]]:
    numbers: dict[Verdict, int] = {}
    table = np.zeros((len(classes) + 1, len(stored)), np.uint16)
    for place, verdict in enumerate(stored):
        base = verdict.overruled or verdict
        table[0, place] = numbers.setdefault(base, len(numbers))
        for kind, (category, reason) in enumerate(classes, start=1):
            given = base
            if base.domain_type is not DomainType.INVALID:
                given = overrule(judge_entry(category, reason), base)
            table[kind, place] = numbers.setdefault(given, len(numbers))
    return tuple(numbers), table
