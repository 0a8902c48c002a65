"""The row index of a finished result: what the pages ask of a project, answered from flat files.

Beside the result stand, in output order and little-endian:

    rows.json      the text file the index points into, its dialect, the distinct verdicts
    rows.sizes     u32 a row: bytes of the blank lines before it, the row and its line end
    rows.starts    u64 for every 4096th row: where it starts in the text file
    rows.verdicts  u16 a row: place in the list of verdicts
    rows.domains   u32 a row: line in rows.names; 0 is "no usable domain"
    original.*     sizes and starts of the same rows in the result, where the text file is decoded
    rows.gaps      the rows' numbers in the list's file (``row_numbers.py``); none in old results
    rows.names     the domains, one a line, lower-case A-labels; the first line is empty
    rows.repairs   what was repaired, where it was asked for (``repairs.py``)

An engine whose result is no delimited UTF-8 text writes its rows once more as ``rows.csv``; a
workbook's have marks for long runs of empty cells.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from winnow.core.tasks.task import InputPlan
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
    ``has_runs``: long runs of empty cells are marks (``empty_runs.py``). ``repaired`` is the name
    of the column of repaired addresses, the last of a row's own cells; ``""`` where there is none.
    ``judged`` are the added columns of both addresses, as in ``VerdictColumns``.
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
    repaired: str = ""
    judged: tuple[str, ...] = ()

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> "RowText":
        """Read what ``to_json`` wrote."""
        return cls(**{**fields, "judged": tuple(fields.get("judged", ()))})

    @property
    def added(self) -> VerdictColumns:
        """The added columns of the result."""
        return VerdictColumns(self.added_count, self.judged)

    def see(self, plan: InputPlan) -> InputPlan:
        """Return a list's plan with the columns that its rows have here, and where addresses are.

        The repaired addresses are what rows were judged by.
        """
        if not self.repaired:
            return plan
        missing = ("",) * (self.width - 1 - len(plan.columns))
        columns = (*plan.columns, *missing, self.repaired)
        return replace(plan, columns=columns, email_column=self.width - 1)

    def to_json(self) -> dict[str, Any]:
        """Return the fields as plain values; what every result once had is left out."""
        fields = asdict(self)
        if self.added_count == _FIRST_ADDED_COUNT:
            del fields["added_count"]
        if not self.repaired:
            del fields["repaired"]
        if not self.judged:
            del fields["judged"]
        return fields
