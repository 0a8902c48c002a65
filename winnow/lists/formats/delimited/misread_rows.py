"""Rows of odd width that would have the right one if backslashes escaped."""

from winnow.lists.text.block_reader import Marks, escaped_quote
from winnow.lists.text.escapes import BACKSLASH, ESCAPE, fits
from winnow.lists.text.records import Bytes, Positions, Records

_ROWS_LOOKED_AT = 1_000  # of a block: a list that is read wrongly throughout shows it sooner
_REACH_BYTES = 1 << 16


def refuse_misread(data: Bytes, records: Records, odd: Positions, marks: Marks, width: int) -> None:
    """Refuse a list whose body has backslash escapes and its head none, unless that is settled.

    Args:
        data: A block of the file.
        records: Of the block.
        odd: Those of odd width.
        marks: How they were read.
        width: The number of cells that rows should have.

    Raises:
        RecordFault: At the first row that reads well only with escapes.
    """
    if marks.is_settled:
        return
    looked_at = 0
    for start, end in zip(records.starts[odd].tolist(), records.ends[odd].tolist(), strict=True):
        if BACKSLASH not in data[start:end].tobytes():
            continue
        text = data[start : max(end, start + _REACH_BYTES)].tobytes()
        if fits(text, chr(marks.delimiter), ESCAPE, width):
            raise escaped_quote(start)
        looked_at += 1
        if looked_at == _ROWS_LOOKED_AT:
            return
