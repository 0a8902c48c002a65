"""Rows of a list as text records, whatever its format, for merging lists."""

from dataclasses import dataclass

import pyarrow as pa

from winnow.lists.text.arrow_cells import unquote_cells
from winnow.lists.text.records import Bytes, Positions, Records
from winnow.lists.text.splitter import split_records


@dataclass(frozen=True, slots=True)
class RowBlock:
    """Some rows in their order.

    Attributes:
        data: Text in UTF-8.
        records: Where records are in it.
        rows: Which of these are rows: neither the header nor a line that is none.
        width: The cells of the header; a record may have fewer or more.
        delimiter: A byte.
    """

    data: Bytes
    records: Records
    rows: Positions
    width: int
    delimiter: int

    def take_column(self, rows: Positions, place: int) -> pa.Array:
        """Return a cell of each of some rows, without quotes."""
        starts, ends = (bounds[rows] for bounds in self.records.cells.find(place))
        return unquote_cells(self.data, starts, ends)

    def read_cells(self, record: int) -> tuple[str, ...]:
        """Return the texts of a record's cells."""
        raw = self.data[self.records.starts[record] : self.records.body_ends[record]]
        text = raw.tobytes().decode("utf-8", "replace")
        records = split_records(text, chr(self.delimiter), is_whole=True)
        return next((one.cells for one in records), ())
