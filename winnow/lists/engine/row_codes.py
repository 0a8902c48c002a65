"""Codes of rows, by the content of their email cells, and the other columns of numbers of rows.

0                 no row: a blank line
1                 no row: the header
2 …               malformed, one code per Reason (FAULTS)
FIRST_DOMAIN …    the domain's text, by its place in the table
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from winnow.core.verdicts.reasons import Origin, Reason
from winnow.lists.engine.repairer import NO_REPAIRS, RepairedCells

BLANK_LINE, HEADER, FIRST_FAULT = 0, 1, 2
FAULTS = tuple(reason for reason in Reason if reason.origin is Origin.FORMAT)
FAULT_CODES = {reason: FIRST_FAULT + place for place, reason in enumerate(FAULTS)}
FIRST_DOMAIN = FIRST_FAULT + len(FAULTS)


@dataclass(frozen=True, slots=True)
class RowColumns:
    """A block's rows (blank lines and the header among them), one entry each.

    ``sizes`` are bytes with the line end. ``widths`` count cells. ``ranks``, not settled yet, say
    which of several duplicates stays; None where the order of rows does. ``boxes`` are as in
    ``AddressBlock``. ``said`` are numbers of ``SaidCells``. ``cells`` are where the address begins
    in its record, and how long it is; None where no repaired addresses are written. ``repaired``
    are the rows whose address was.
    """

    sizes: NDArray[np.uint32]
    codes: NDArray[np.uint32]
    flags: NDArray[np.uint8]
    keys: NDArray[np.uint64]
    widths: NDArray[np.uint16]
    ranks: NDArray[np.uint64] | None = None
    boxes: NDArray[np.uint64] | None = None
    said: NDArray[np.uint32] | None = None
    cells: NDArray[np.uint32] | None = None
    repaired: RepairedCells = NO_REPAIRS
