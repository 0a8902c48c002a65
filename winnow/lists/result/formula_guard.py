"""Formula guard against spreadsheet injection, for whole records in bytes."""

import codecs

import numpy as np

from winnow.core.unicode_forms import FORMULA_SIGNS
from winnow.lists.text.records import CR, LF, QUOTE, find_quotes

_APOSTROPHE = ord("'")
_SIGNS = np.frombuffer(FORMULA_SIGNS.encode(), np.uint8)


def guard_formulas(rows: bytes, delimiter: str) -> bytes:
    """Put an apostrophe before every cell that begins like a formula, within its quotes.

    Args:
        rows: Whole records in an encoding that holds ASCII; a UTF-8 BOM may be before them.
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
    is_quoted = np.isin(starts, quotes)
    starts += data[starts] == QUOTE
    starts, is_quoted = starts[starts < len(data)], is_quoted[starts < len(data)]
    firsts = data[starts]
    ends_cell = (firsts == ord(delimiter)) | (firsts == CR)  # unless it is within quotes
    is_risky = np.isin(firsts, _SIGNS) & (is_quoted | ~ends_cell)
    return bom + np.insert(data, starts[is_risky], _APOSTROPHE).tobytes()
