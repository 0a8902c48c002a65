"""Row index of a finished result: flat files that answer the queries of pages.

These files are next to the result, in output order and little-endian:

    rows.json      the text file the index points into, its dialect, the distinct verdicts
    rows.sizes     u32 a row: bytes of the blank lines before it, the row and its line end
    rows.starts    u64 for every 4096th row: where it starts in the text file
    rows.verdicts  u16 a row: place in the list of verdicts
    rows.domains   u32 a row: line in rows.names; 0 is "no usable domain"
    rows.gaps      the rows' numbers in the list's file (``RowNumbers``); none in old results
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

META, SIZES, STARTS, VERDICTS, DOMAINS, NAMES, GAPS = (
    "rows.json",
    "rows.sizes",
    "rows.starts",
    "rows.verdicts",
    "rows.domains",
    "rows.names",
    "rows.gaps",
)
_FIRST_ADDED_COUNT = 2  # of results that do not say how many


@dataclass(frozen=True, slots=True)
class RowText:
    """How the text file is to be read.

    ``head_bytes`` is what is before the first row (BOM, header, blank lines). ``width`` is
    the number of the list's own cells in each row, 0 for the plan's; ``has_verdicts`` says that
    the added ones come after them, ``added_count`` of which the result has. ``escape`` is a
    backslash where it escapes, in results of earlier releases. ``escapes`` is the ``EscapeStyle``
    of a list of which the text file is plain CSV.
    ``has_runs``: long runs of empty cells are marks (``empty_runs.py``). ``repaired`` is the name
    of the column of repaired addresses, the last of a row's own cells; ``""`` where there is none.
    ``original`` is the name of the column of the former addresses, where cells were replaced.
    ``judged`` names the two columns that 0.2 wrote after that of the address, where it judged two
    addresses a row: the last of a row's own cells.
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
    original: str = ""
    judged: tuple[str, ...] = ()
    escapes: str = ""

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> "RowText":
        """Read the JSON of ``to_json``."""
        form = cls(**{**fields, "judged": tuple(fields.get("judged", ()))})
        if not form.has_verdicts:  # nor has it cells of such columns
            return replace(form, judged=())
        return replace(form, width=form.width + len(form.judged))

    @property
    def added(self) -> VerdictColumns:
        """The added columns of the result."""
        return VerdictColumns(self.added_count)

    def see(self, plan: InputPlan) -> InputPlan:
        """Return a list's plan with the columns that its rows have here, and where addresses are.

        The repaired addresses are what rows were judged by.
        """
        name = self.repaired or self.original
        if not name:
            return plan
        place = self.width - len(self.judged) - 1
        columns = (*plan.columns, *[""] * (place - len(plan.columns)), name, *self.judged)
        return replace(
            plan, columns=columns, email_column=place if self.repaired else plan.email_column
        )

    def to_json(self) -> dict[str, Any]:
        """Return the fields as plain values; what every result once had is left out."""
        fields = asdict(self)
        del fields["judged"]
        if self.added_count == _FIRST_ADDED_COUNT:
            del fields["added_count"]
        for name in ("repaired", "original", "escapes"):
            if not fields[name]:
                del fields[name]
        return fields
