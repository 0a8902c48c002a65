"""Rows of a list as text records, whatever its format: what is handed on where lists become one."""

from dataclasses import dataclass

import numpy as np

from winnow.lists.text.records import Bytes, Positions, Records, scan_records

_COMMA = ord(",")


@dataclass(frozen=True, slots=True)
class RowBlock:
    """Some rows in their order.

    Attributes:
        data: Text in UTF-8.
        records: Where records stand in it.
        rows: Which of these are rows: neither the header nor a line that is none.
        width: The cells of the header; a record may have fewer or more.
        delimiter: A byte.
        escape: A backslash where it escapes quotes and delimiters in cells, else ``""``.
        is_plain: Nothing escapes, and every quote opens or closes a cell, or is doubled in one.
    """

    data: Bytes
    records: Records
    rows: Positions
    width: int
    delimiter: int = _COMMA
    escape: str = ""
    is_plain: bool = True

    @classmethod
    def of_lines(cls, lines: Bytes, width: int) -> "RowBlock":
        """Return lines of CSV that were written here, each of them a row."""
        records = scan_records(lines, _COMMA, 0, None, width)
        if records is None:
            msg = "lines that we wrote have no stray quotes"
            raise RuntimeError(msg)
        return cls(lines, records, np.arange(len(records.starts)), width)
