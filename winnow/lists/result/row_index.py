"""The row index of a finished result: what the pages ask of a project, answered from flat files.

Beside the result stand, in output order and little-endian:

    rows.json      the text file the index points into, its dialect, the distinct verdicts
    rows.sizes     u32 a row: bytes of the blank lines before it, the row and its line end
    rows.starts    u64 for every 4096th row: where it starts in the text file
    rows.verdicts  u16 a row: place in the list of verdicts
    rows.domains   u32 a row: line in rows.names; 0 is "no usable domain"
    original.*     sizes and starts of the same rows in the result, where the text file is decoded
    rows.names     the domains, one a line, lower-case A-labels; the first line is empty

An engine whose result is no delimited UTF-8 text writes its rows once more as ``rows.csv``; a
workbook's have marks for long runs of empty cells.
"""

from dataclasses import asdict, dataclass
from typing import Any

from winnow.lists.result.added_columns import VerdictColumns

RESULT_NAME = "result"
ROWS_TEXT_NAME = "rows.csv"
ROWS_PER_START = 4096

META, SIZES, STARTS, VERDICTS, DOMAINS, NAMES = (
    "rows.json",
    "rows.sizes",
    "rows.starts",
    "rows.verdicts",
    "rows.domains",
    "rows.names",
)
_FIRST_ADDED_COUNT = 2  # of results that do not say how many
ORIGINAL_SIZES, ORIGINAL_STARTS = "original.sizes", "original.starts"


@dataclass(frozen=True, slots=True)
class RowText:
    """How the text file is to be read.

    ``head_bytes`` is what stands before the first row (BOM, header, blank lines). ``width`` is
    the number of the list's own cells in each row, 0 for the plan's; ``has_verdicts`` says that
    the added ones stand behind them, ``added_count`` of which the result has. ``escape`` is a
    backslash where it escapes.
    ``has_runs``: long runs of empty cells are marks (``empty_runs.py``).
    """

    file_name: str = ROWS_TEXT_NAME
    encoding: str = "utf-8"
    delimiter: str = ","
    head_bytes: int = 0
    width: int = 0
    has_verdicts: bool = False
    escape: str = ""
    has_runs: bool = False
    added_count: int = _FIRST_ADDED_COUNT

    @property
    def added(self) -> VerdictColumns:
        """The added columns of the result."""
        return VerdictColumns(self.added_count)

    def to_json(self) -> dict[str, Any]:
        """Return the fields as plain values; what every result once had is left out."""
        fields = asdict(self)
        if self.added_count == _FIRST_ADDED_COUNT:
            del fields["added_count"]
        return fields
