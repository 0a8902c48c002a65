"""What a sheet of Excel holds, and texts as its XML has them (Office Open XML)."""

import html
import re

MAX_ROWS, MAX_COLUMNS = 1_048_576, 16_384  # ISO/IEC 29500-1, 18.3.1.73 and 18.3.1.13
MAX_CELL_CHARACTERS = 32_767  # ISO/IEC 29500-1, 18.3.1.40 as spreadsheet programs keep it

# What XML cannot say; CR, which it would change; what looks like the escape of a character
# (ST_Xstring, ISO/IEC 29500-1, 22.9.2.19).
_ODD = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff\ud800-\udfff]|_(?=x[0-9A-Fa-f]{4}_)")


def column_letters(index: int) -> bytes:
    """Return the letters of a column counted from 0."""
    letters = b""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = bytes((65 + rest,)) + letters
    return letters


def escape_text(text: str) -> str:
    """Return any text as XML of a cell, or of an attribute in double quotes."""
    return html.escape(escape_odd(text))


def escape_odd(text: str) -> str:
    """Return a text in which what XML cannot say is spelt as Excel does (``_x0001_``)."""
    return _ODD.sub(lambda match: f"_x{ord(match[0]):04X}_", text)
