r"""Backslash escapes: what follows a backslash is text, whatever it is.

MySQL, Spark and many others write a quote as ``\"``, a backslash as ``\\``, and, without quotes, a
delimiter or a line break after a backslash. Overwriting what is escaped leaves bytes in which
records are found as in any other dialect, at the same places.
"""

import numpy as np

from winnow.lists.text.records import CR, LF, QUOTE, Bytes, Positions, RecordFault
from winnow.words import mark

BACKSLASH = 92
ESCAPE = "\\"
_BLOT = ord("_")
READ_DIFFERENTLY = mark(
    "Choose under “Read it differently” how quotes are written, or save the list again."
)


def blot_escaped(data: Bytes) -> Bytes:
    """Return the data with each escaped byte overwritten; itself where there is none.

    A CRLF is escaped as one, as MySQL writes it. ``data`` does not begin after a backslash.
    """
    marks = np.flatnonzero(data == BACKSLASH)
    if not len(marks):
        return data
    first = np.where(np.diff(marks, prepend=-2) != 1, np.arange(len(marks)), 0)
    in_run = np.arange(len(marks)) - np.maximum.accumulate(first)
    escaped = marks[in_run % 2 == 0] + 1
    escaped = escaped[escaped < len(data)]
    feeds = escaped[data[escaped] == CR] + 1
    feeds = feeds[feeds < len(data)]
    blotted = data.copy()
    blotted[escaped] = _BLOT
    blotted[feeds[data[feeds] == LF]] = _BLOT
    return blotted


def ends_in_escape(data: Bytes, shape: Bytes) -> bool:
    """Return whether a file's last byte is a backslash that escapes, or a line end that is escaped.

    Args:
        data: The file's end, from a record's start on.
        shape: The same, as ``blot_escaped`` leaves it.
    """
    return bool(shape[-1] == BACKSLASH or (data[-1] in (LF, CR) and shape[-1] == _BLOT))


def refuse_doubled(blotted: Bytes, quotes: Positions | None) -> None:
    """Refuse a quote that is doubled within a cell where others are escaped.

    Args:
        blotted: Whole records, as ``blot_escaped`` leaves them.
        quotes: Those that open and close, by turns; None for all.

    Raises:
        RecordFault: At the first.
    """
    found = np.flatnonzero(blotted == QUOTE)
    doubled = found[:-1][np.diff(found) == 1]
    if not len(doubled):
        return
    paired = found if quotes is None else quotes
    behind = np.searchsorted(paired, doubled, side="right")
    # Opened and closed at once is an empty cell; all else within quotes is doubled.
    is_empty = (behind % 2 == 1) & (paired[behind - 1] == doubled)
    is_empty &= paired[np.minimum(behind, len(paired) - 1)] == doubled + 1
    is_within = (behind % 2 == 1) | (paired[np.maximum(behind - 1, 0)] == doubled)
    wrong = doubled[is_within & ~is_empty]
    if len(wrong):
        raise RecordFault(
            int(wrong[0]),
            'a quote is doubled here, but elsewhere quotes are written with a backslash (\\").',
            READ_DIFFERENTLY,
        )


def refuse_escaped(data: Bytes, quotes: Positions, delimiter: int) -> None:
    """Refuse a quote after a backslash that closes a cell in its middle, where others are doubled.

    Args:
        data: Whole records.
        quotes: Those that open and close, by turns.
        delimiter: The delimiter's byte.

    Raises:
        RecordFault: At the first.
    """
    closing = quotes[1::2]
    closing = closing[data[closing - 1] == BACKSLASH]
    after = data[np.minimum(closing + 1, len(data) - 1)]
    is_midst = (after != delimiter) & (after != LF) & (after != CR) & (closing < len(data) - 1)
    for place in closing[is_midst].tolist():
        before = data[max(0, place - 64) : place].tobytes()
        if (len(before) - len(before.rstrip(b"\\"))) % 2:
            raise escaped_quote(place)


def escaped_quote(position: int) -> RecordFault:
    """Return the error of a row that reads well only with backslash escapes."""
    return RecordFault(
        position,
        "a backslash (\\) seems to escape what is behind it, but not in the rows before.",
        READ_DIFFERENTLY,
    )


def plain_backslash(position: int) -> RecordFault:
    """Return the error of a row that reads well only without backslash escapes."""
    return RecordFault(
        position,
        "a backslash (\\) seems to be plain text here, but escapes what is behind it elsewhere.",
        READ_DIFFERENTLY,
    )
