"""Cells that a spreadsheet would take for formulas, made text on their way out."""

import codecs

import numpy as np

from winnow.lists.text.records import CR, LF, QUOTE, find_quotes

_FORMULA_STARTS = b"=+-@"  # OWASP, "CSV Injection"
_APOSTROPHE = ord("'")


def guard_text(cell: str) -> str:
    """Return a cell with an apostrophe before it where it begins like a formula."""
    return f"'{cell}" if cell.startswith(tuple(_FORMULA_STARTS.decode())) else cell


def guard_formulas(rows: bytes, delimiter: str) -> bytes:
    """Put an apostrophe before every cell that begins like a formula, within its quotes.

    Args:
        rows: Whole records in an encoding that holds ASCII; a UTF-8 BOM may stand before them.
        delimiter: One ASCII character.
    """
    bom = codecs.BOM_UTF8 if rows.startswith(codecs.BOM_UTF8) else b""
    data = np.frombuffer(rows, np.uint8)[len(bom) :]
    if not len(data):
        return rows
    quotes, _ = find_quotes(data, ord(delimiter))
    separators = np.flatnonzero((data == ord(delimiter)) | (data == LF) | (data == CR))
    separators = separators[np.searchsorted(quotes, separators) % 2 == 0]
    starts = np.concatenate((np.zeros(1, np.int64), separators + 1))
    starts = starts[starts < len(data)]
    starts += data[starts] == QUOTE
    starts = starts[starts < len(data)]
    is_risky = np.isin(data[starts], np.frombuffer(_FORMULA_STARTS, np.uint8))
    return bom + np.insert(data, starts[is_risky], _APOSTROPHE).tobytes()
