"""The repairs of a workbook's list: cells of its sheet replaced, or a column of addresses added."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from winnow.core.tasks.repair_choice import RepairChoice, RepairPlace
from winnow.lists.engine.repairer import NO_REPAIRS, RepairedCells
from winnow.lists.formats.xlsx.emails import EmailValues
from winnow.lists.formats.xlsx.scan import SheetScan
from winnow.lists.result.added_columns import name_repaired

Places = NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class SheetRepairs:
    """What is repaired in a sheet.

    ``repaired`` has positions in the sheet's scan. ``column`` is the name of the column for the
    addresses; ``""``: cells are replaced, those of ``replaced`` by their rows' numbers.
    """

    values: EmailValues | None = None
    repaired: RepairedCells = NO_REPAIRS
    column: str = ""
    replaced: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def find(
        cls,
        choice: RepairChoice | None,
        scan: SheetScan,
        values: EmailValues,
        own_columns: Sequence[str],
        usual: str,
    ) -> "SheetRepairs":
        """Find the repairs of a scanned sheet. Cells with a formula are never replaced.

        ``usual`` is the name that a column of addresses has.
        """
        if choice is None:
            return cls()
        repaired = values.find_repaired(np.where(scan.is_row, scan.places, 0))
        if choice.place is RepairPlace.COLUMN or scan.has_email_formulas:
            return cls(values, repaired, name_repaired(own_columns, usual))
        numbers = scan.numbers[repaired.rows].tolist()
        return cls(values, repaired, "", dict(zip(numbers, repaired.new, strict=True)))

    def word_cells(
        self, scan: SheetScan, places: Places, texts: Sequence[tuple[str, ...]]
    ) -> tuple[list[tuple[str, ...]], NDArray[np.uint32]]:
        """Return the distinct added cells and, for each row of the list, which of them it gets."""
        if not self.column or self.values is None:
            return list(texts), places[scan.is_row].astype(np.uint32)
        values = scan.places[scan.is_row].astype(np.int64)
        pairs = values * max(1, len(texts)) + places[scan.is_row]
        distinct, chosen = np.unique(pairs, return_inverse=True)
        emails = self.values.read_addresses(distinct // max(1, len(texts)))
        verdicts = (distinct % max(1, len(texts))).tolist()
        words = [(email, *texts[place]) for email, place in zip(emails, verdicts, strict=True)]
        return words, chosen.astype(np.uint32)

    def list_addresses(self, scan: SheetScan, is_out: NDArray[np.bool_]) -> pa.Array | None:
        """Return the column's cells for output rows as a list's text; None without a column."""
        if not self.column or self.values is None:
            return None
        places, chosen = np.unique(scan.places[is_out], return_inverse=True)
        words = [_quote(text) for text in self.values.read_addresses(places)]
        return pa.array(words, pa.large_binary()).take(pa.array(chosen))


def _quote(text: str) -> bytes:
    if any(mark in text for mark in ',"\n\r'):
        text = '"' + text.replace('"', '""') + '"'
    return text.encode("utf-8", "replace")
