"""Rows of odd width that would have the right one if backslashes were read the other way."""

from winnow.core.errors import BrokenFile
from winnow.lists.text.block_reader import Marks
from winnow.lists.text.escapes import BACKSLASH, ESCAPE, escaped_quote, plain_backslash
from winnow.lists.text.records import Bytes, Positions, Records
from winnow.lists.text.splitter import split_records

_ROWS_LOOKED_AT = 1_000  # of a block: a list that is read wrongly throughout shows it sooner
_REACH_BYTES = 1 << 16


def refuse_misread(data: Bytes, records: Records, odd: Positions, marks: Marks, width: int) -> None:
    """Refuse a list whose head and body disagree about backslashes, unless that is settled.

    Args:
        data: A block of the file.
        records: Of the block.
        odd: Those of odd width.
        marks: How they were read.
        width: The number of cells that rows should have.

    Raises:
        RecordFault: At the first row that reads well only in the other way.
    """
    if marks.is_settled:
        return
    looked_at = 0
    for start, end in zip(records.starts[odd].tolist(), records.ends[odd].tolist(), strict=True):
        if BACKSLASH not in data[start:end].tobytes():
            continue
        if fits_otherwise(data[start : max(end, start + _REACH_BYTES)].tobytes(), marks, width):
            raise plain_backslash(start) if marks.escapes else escaped_quote(start)
        looked_at += 1
        if looked_at == _ROWS_LOOKED_AT:
            return


def fits_otherwise(text: bytes, marks: Marks, width: int) -> bool:
    """Return whether a text's first record has the width if backslashes are read the other way."""
    escape = "" if marks.escapes else ESCAPE
    records = split_records(
        text.decode("latin-1"), chr(marks.delimiter), is_whole=True, escape=escape
    )
    try:
        record = next(records, None)
    except BrokenFile:
        return False
    return record is not None and len(record.cells) == width and not record.has_stray_quote
