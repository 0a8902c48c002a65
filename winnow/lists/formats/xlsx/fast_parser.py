"""Blocks of rows as spreadsheet programs write them, taken apart by array operations.

``take_apart`` proves that every tag of a block stands where it may and has the plain form (a
reference on every row and cell, ``s`` and ``t`` the only other attributes of a cell, no rich text);
any other block is declined, and read row by row.
"""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]

_PADDING = b" " * 32  # so that looking ahead never leaves the block


class Kind(IntEnum):
    """What a cell's ``t`` says."""

    NUMBER = 0
    SHARED = 1
    INLINE = 2
    TEXT = 3  # t="str"
    BOOLEAN = 4
    ERROR = 5


@dataclass(frozen=True, slots=True)
class PlainBlock:
    """Rows and cells of a block; positions count bytes in ``data``.

    For rows: where they start and end (with blanks after them), where the closing tag starts (the
    end for one without), their number and where its digits stand. For cells: their row's place in
    the block, column from 0, kind, style, where the digits of the reference and the value stand
    (an empty range for no value).
    """

    data: bytes
    row_starts: Places
    row_ends: Places
    row_closes: Places
    numbers: Places
    row_digit_starts: Places
    row_digit_ends: Places
    cell_rows: Places
    columns: Places
    kinds: NDArray[np.uint8]
    styles: Places
    digit_starts: Places
    digit_ends: Places
    starts: Places
    ends: Places
    has_formulas: bool


# Tags by what follows "<", and what may follow each.
_TAGS = {
    "row": "ro", "row/": "", "/row": "/r", "c": "c ", "c/": "", "/c": "/c", "v": "v>", "v/": "",
    "/v": "/v", "f": "f", "f/": "", "/f": "/f", "is": "is", "/is": "/i", "t": "t", "/t": "/t",
}  # fmt: skip
_FOLLOWERS = {
    "row": "c c/ /row", "row/": "row row/", "/row": "row row/", "c": "v v/ f f/ is /c",
    "c/": "c c/ /row", "/c": "c c/ /row", "v": "/v", "v/": "/c", "/v": "/c", "f": "/f",
    "f/": "v v/ /c", "/f": "v v/ /c", "is": "t", "t": "/t", "/t": "/is", "/is": "/c",
}  # fmt: skip
_CODES = {tag: code for code, tag in enumerate(_TAGS, start=1)}
_HOLDS_TEXT = np.isin(np.arange(len(_CODES) + 1), [_CODES[tag] for tag in ("v", "f", "t")])
_BEFORE_BLANKS = np.isin(np.arange(len(_CODES) + 1), [_CODES[tag] for tag in ("/row", "row/")])


def _build_tables() -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    by_start = np.zeros((256, 256), np.uint8)
    for tag, start in _TAGS.items():
        if len(start) == 1:
            by_start[ord(start), :] = _CODES[tag]
            continue
        if start:
            by_start[ord(start[0]), ord(start[1])] = _CODES[tag]
    by_start[ord("v"), ord("/")] = by_start[ord("v"), ord(" ")] = _CODES["v"]
    follows = np.zeros((len(_CODES) + 1, len(_CODES) + 1), np.bool_)
    for tag, followers in _FOLLOWERS.items():
        for follower in followers.split():
            follows[_CODES[tag], _CODES[follower]] = True
    return by_start, follows


_BY_START, _FOLLOWS = _build_tables()


def take_apart(data: bytes) -> PlainBlock | None:
    """Return a block's rows and cells, or None for one that is not plain.

    Args:
        data: From the first ``<row`` on, ending with a whole row, without namespace prefixes.
    """
    bytes_ = np.frombuffer(data + _PADDING, np.uint8)
    opens = np.flatnonzero(bytes_ == ord("<"))
    closes = np.flatnonzero(bytes_ == ord(">"))
    if not len(opens) or len(opens) != len(closes) or not bool((opens < closes).all()):
        return None
    codes = _BY_START[bytes_[opens + 1], bytes_[opens + 2]]
    is_empty = (bytes_[closes - 1] == ord("/")) & (codes != 0)
    for tag in ("row", "c", "v", "f"):
        codes[is_empty & (codes == _CODES[tag])] = _CODES[f"{tag}/"]
    if not _is_in_order(bytes_, opens, closes, codes):
        return None
    cells = np.flatnonzero((codes == _CODES["c"]) | (codes == _CODES["c/"]))
    rows = np.flatnonzero((codes == _CODES["row"]) | (codes == _CODES["row/"]))
    row_starts = opens[rows]
    row_digit_starts = row_starts + len('<row r="')
    numbers, row_digit_ends = _read_digits(bytes_, row_digit_starts)
    cell_rows = np.searchsorted(rows, cells) - 1
    columns, digit_starts = _read_letters(bytes_, opens[cells] + len('<c r="'))
    cell_numbers, digit_ends = _read_digits(bytes_, digit_starts)
    kinds, styles, are_attributes_plain = _read_attributes(
        bytes_, digit_ends + 1, closes[cells], codes[cells] == _CODES["c/"]
    )
    first_in_row = np.diff(cell_rows, prepend=-1) > 0
    is_plain = (
        _stands(bytes_, row_starts, b'<row r="')
        and _stands(bytes_, opens[cells], b'<c r="')
        and are_attributes_plain
        and bool((bytes_[row_digit_ends] == ord('"')).all())
        and bool((bytes_[digit_ends] == ord('"')).all())
        and bool((cell_numbers == numbers[cell_rows]).all())
        and bool((np.diff(numbers) > 0).all())
        and bool((first_in_row | (np.diff(columns, prepend=-1) > 0)).all())
    )
    if not is_plain:
        return None
    starts, ends = digit_ends.copy(), digit_ends.copy()
    values = np.flatnonzero((codes == _CODES["v"]) | (codes == _CODES["t"]))
    owners = np.searchsorted(cells, values) - 1
    starts[owners], ends[owners] = closes[values] + 1, opens[values + 1]
    is_inline = kinds[owners] == Kind.INLINE
    if bool((is_inline != (codes[values] == _CODES["t"])).any()):
        return None
    ends_of_rows = np.flatnonzero((codes == _CODES["/row"]) | (codes == _CODES["row/"]))
    is_whole = codes[ends_of_rows] == _CODES["/row"]
    row_ends = np.append(row_starts[1:], len(data))
    return PlainBlock(
        data=data,
        row_starts=row_starts,
        row_ends=row_ends,
        row_closes=np.where(is_whole, opens[ends_of_rows], row_ends),
        numbers=numbers,
        row_digit_starts=row_digit_starts,
        row_digit_ends=row_digit_ends,
        cell_rows=cell_rows,
        columns=columns,
        kinds=kinds,
        styles=styles,
        digit_starts=digit_starts,
        digit_ends=digit_ends,
        starts=starts,
        ends=ends,
        has_formulas=bool(((codes == _CODES["f"]) | (codes == _CODES["f/"])).any()),
    )


def find_cells_with(block: PlainBlock, places: Places) -> Places:
    """Return which cells hold these positions in their value; cells may repeat."""
    cells = np.searchsorted(block.starts, places, side="right") - 1
    is_inside = (cells >= 0) & (places < block.ends[cells])
    found: Places = cells[is_inside]
    return found


def find_odd_cells(block: PlainBlock, *, quotes: bool = False) -> NDArray[np.bool_]:
    """Return which values are not their text byte for byte: references, escapes, line ends.

    ``quotes``: values with a quotation mark count as odd too.
    """
    odd = np.zeros(len(block.starts), np.bool_)
    bytes_ = np.frombuffer(block.data, np.uint8)
    marks = b'&\r"' if quotes else b"&\r"
    for mark in marks:
        if bytes((mark,)) in block.data:
            odd[find_cells_with(block, np.flatnonzero(bytes_ == mark))] = True
    if b"_x" in block.data:
        places = np.flatnonzero((bytes_[:-1] == ord("_")) & (bytes_[1:] == ord("x")))
        odd[find_cells_with(block, places)] = True
    return odd


def _is_in_order(
    bytes_: NDArray[np.uint8], opens: Places, closes: Places, codes: NDArray[np.uint8]
) -> bool:
    """Whether each tag may follow the one before it, with text only where text may stand."""
    if codes[0] not in (_CODES["row"], _CODES["row/"]) or not _BEFORE_BLANKS[codes[-1]]:
        return False
    if not bool(_FOLLOWS[codes[:-1], codes[1:]].all()):
        return False
    gaps = np.append(opens[1:], len(bytes_)) - closes - 1
    with_gap = np.flatnonzero((gaps > 0) & ~_HOLDS_TEXT[codes])
    if not bool(_BEFORE_BLANKS[codes[with_gap]].all()):
        return False
    return all(
        bytes_[closes[place] + 1 : closes[place] + 1 + gaps[place]].tobytes().isspace()
        for place in with_gap.tolist()
    )


def _stands(bytes_: NDArray[np.uint8], places: Places, text: bytes) -> bool:
    return all(
        bool((bytes_[places + offset] == letter).all()) for offset, letter in enumerate(text)
    )


def _read_digits(bytes_: NDArray[np.uint8], places: Places) -> tuple[Places, Places]:
    """Return the numbers that start at these places, of up to 7 digits, and where they end."""
    numbers = np.zeros(len(places), np.int64)
    ends = places.copy()
    goes_on = np.ones(len(places), np.bool_)
    for _ in range(7):
        digits = bytes_[ends] - np.uint8(48)
        goes_on &= digits < 10
        numbers = np.where(goes_on, numbers * 10 + digits, numbers)
        ends = ends + goes_on
    return numbers, ends


def _read_letters(bytes_: NDArray[np.uint8], places: Places) -> tuple[Places, Places]:
    """Return the columns, from 0, whose letters start at these places, and where they end."""
    columns = np.zeros(len(places), np.int64)
    ends = places.copy()
    goes_on = np.ones(len(places), np.bool_)
    for _ in range(3):
        letters = bytes_[ends] - np.uint8(64)
        goes_on &= (letters >= 1) & (letters <= 26)
        columns = np.where(goes_on, columns * 26 + letters, columns)
        ends = ends + goes_on
    return columns - 1, ends


def _read_attributes(
    bytes_: NDArray[np.uint8], places: Places, closes: Places, is_empty: NDArray[np.bool_]
) -> tuple[NDArray[np.uint8], Places, bool]:
    """Return kinds and styles of cells, and whether nothing else is said of those with content."""
    is_styled = _match(bytes_, places, b' s="')
    styles, ends = _read_digits(bytes_, np.where(is_styled, places + 4, places))
    styles[~is_styled] = 0
    is_right = ~is_styled | (bytes_[ends] == ord('"'))
    places = np.where(is_styled, ends + 1, places)
    is_typed = _match(bytes_, places, b' t="')
    kinds = np.zeros(len(places), np.uint8)
    for text, kind in (
        (b'n"', Kind.NUMBER),
        (b's"', Kind.SHARED),
        (b'inlineStr"', Kind.INLINE),
        (b'str"', Kind.TEXT),
        (b'b"', Kind.BOOLEAN),
        (b'e"', Kind.ERROR),
    ):
        found = is_typed & _match(bytes_, places + 4, text)
        kinds[found] = kind
        places = np.where(found, places + 4 + len(text), places)
    is_right &= places == closes
    return kinds, styles, bool((is_right | is_empty).all())


def _match(bytes_: NDArray[np.uint8], places: Places, text: bytes) -> NDArray[np.bool_]:
    found = np.ones(len(places), np.bool_)
    for offset, letter in enumerate(text):
        found &= bytes_[np.minimum(places + offset, len(bytes_) - 1)] == letter
    return found
