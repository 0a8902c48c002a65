"""Text of cells as a spreadsheet shows it: strings, numbers, dates, booleans, errors."""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from enum import Enum
from itertools import repeat

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from winnow.lists.formats.xlsx.archive import XlsxArchive
from winnow.lists.formats.xlsx.book import Book
from winnow.lists.formats.xlsx.cells import MAX_DIGITS, CellBlock, MalformedRow, Mask, Positions
from winnow.lists.formats.xlsx.elements import stream_elements
from winnow.lists.formats.xlsx.strings import SharedStrings
from winnow.lists.formats.xlsx.xml import unescape
from winnow.lists.text.arrow_cells import read_buffers

MAX_REMEMBERED_NUMBERS = 65_536
MAX_OWN_FORMATS = 65_536  # Excel itself ends at about 250
MAX_TEXT_BYTES = 32 << 20  # of the texts of shared strings at once
MAX_CODE_CHARACTERS = 255  # of a number format, where Excel ends as well

_NUMBER, _BOOLEAN, _SHARED, _TEXT = range(4)
_KINDS = {None: _NUMBER, b"": _NUMBER, b"n": _NUMBER, b"b": _BOOLEAN, b"s": _SHARED}
_PLAIN_NUMBER = r"\A-?[0-9.]{1,15}\z"  # as many digits as are shown: no rounding needed
_PLAIN_BYTES = re.compile(rb"-?[0-9.]{1,15}\Z")
_ESCAPED = "&|\r|_x"  # what ``unescape`` changes
_BYTES = pa.large_binary()


class Clock(Enum):
    """What a number format shows for a number."""

    NUMBER = 0
    DATE = 1
    TIME = 2
    DATE_TIME = 3


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Rows of a sheet with their cells as a person would read them, in UTF-8; a formula's stored.

    ``has_text`` is about each cell; ``is_filled`` says which have more than blanks.
    """

    cells: CellBlock
    texts: pa.Array
    has_text: Mask
    is_filled: Mask

    @property
    def row_count(self) -> int:
        """How many rows there are."""
        return len(self.cells.numbers)

    def find_cells(self, column: int) -> Positions:
        """Return for each row its cell with a value in a column, -1 for none."""
        found = np.full(self.row_count, -1)
        cells = np.flatnonzero((self.cells.columns == column) & self.is_filled)
        found[self.cells.rows[cells]] = cells
        return found

    def find_last_columns(self, is_wanted: Mask) -> Positions:
        """Return for each row the column of the last of its cells that are wanted, -1 for none."""
        found = np.full(self.row_count, -1)
        cells = np.flatnonzero(is_wanted)
        found[self.cells.rows[cells]] = self.cells.columns[cells]  # a row's last is written last
        return found

    def take(self, cells: Positions) -> pa.Array:
        """Return the texts of some cells, null for -1."""
        return self.texts.take(pa.array(cells, mask=cells < 0))

    def list_rows(self) -> list[tuple[int, tuple[str, ...]]]:
        """Return each row's number, and its texts from column A to the last that is not empty."""
        lasts = self.find_last_columns(self.has_text).tolist()
        rows = [[""] * (last + 1) for last in lasts]
        cells = np.flatnonzero(self.has_text)
        texts = self.texts.take(pa.array(cells)).to_pylist()
        places = zip(
            self.cells.rows[cells].tolist(), self.cells.columns[cells].tolist(), strict=True
        )
        for (row, column), text in zip(places, texts, strict=True):
            rows[row][column] = text.decode()
        return list(zip(self.cells.numbers.tolist(), map(tuple, rows), strict=True))


class CellTexts:
    """Turns cells into the text that a person would read in them."""

    def __init__(self, strings: SharedStrings, formats: "NumberFormats") -> None:
        self._strings = strings
        self._formats = formats

    def read(self, block: CellBlock) -> Iterator[TextBlock]:
        """Yield the texts of all cells, of some rows at a time where they are long.

        Raises:
            MalformedRow: A damaged cell, or a row of more than MAX_TEXT_BYTES.
        """
        if len(block.values) * self._strings.longest_bytes <= MAX_TEXT_BYTES:
            yield self._read(block)
            return
        cells = np.flatnonzero(block.shared >= 0)
        sizes = self._strings.measure(block.shared[cells])
        row_bytes = np.bincount(block.rows[cells], sizes, len(block.numbers))
        wrong = np.flatnonzero(row_bytes > MAX_TEXT_BYTES)
        if len(wrong):
            first = int(wrong[0])
            raise MalformedRow("", int(block.numbers[first - 1]) if first else block.previous)
        parts = np.cumsum(row_bytes) // MAX_TEXT_BYTES
        for part in np.unique(parts):
            yield self._read(block.pick(parts == part, np.ones(len(block.rows), np.bool_)))

    def _read(self, block: CellBlock) -> TextBlock:
        texts = pa.array(block.values, _BYTES).fill_null(b"")
        _, starts, ends = read_buffers(texts)
        count, has_value = len(texts), ends > starts
        kinds = np.fromiter(map(_KINDS.get, block.kinds, repeat(_TEXT)), np.uint8, count)
        is_shared = block.shared >= 0
        is_number = has_value & (kinds == _NUMBER)
        is_odd = has_value & (kinds == _BOOLEAN)
        is_text = has_value & (kinds == _TEXT)
        is_odd[is_number] = ~_match(texts.filter(pa.array(is_number)), _PLAIN_NUMBER)
        is_odd |= is_number & self._formats.shows_clocks(block.styles)
        is_odd[is_text] = _match(texts.filter(pa.array(is_text)), _ESCAPED)
        if is_shared.any():
            shared = self._look_up(block, np.flatnonzero(is_shared))
            texts = pc.replace_with_mask(texts, pa.array(is_shared), shared)
        odd = np.flatnonzero(is_odd)
        if len(odd):
            words = self._word(block, odd.tolist())
            texts = pc.replace_with_mask(texts, pa.array(is_odd), pa.array(words, _BYTES))
        return _find_blanks(block, texts)

    def _look_up(self, block: CellBlock, cells: Positions) -> pa.Array:
        """Return the shared strings of some cells."""
        indices = block.shared[cells]
        wrong = np.flatnonzero(~self._strings.has(indices))
        if len(wrong):
            raise MalformedRow("", block.number_before(int(cells[wrong[0]])))
        return self._strings.take(indices)

    def _word(self, block: CellBlock, cells: list[int]) -> list[bytes]:
        """Return the texts of cells that are not shown as they are written."""
        words: list[bytes] = []
        cell = 0
        try:
            for cell in cells:
                kind, value = _KINDS.get(block.kinds[cell], _TEXT), block.values[cell] or b""
                if kind == _TEXT:
                    words.append(unescape(value).encode("utf-8", "replace"))
                elif not value.strip():
                    words.append(b"")
                elif kind == _BOOLEAN:
                    words.append(b"TRUE" if value.strip() in (b"1", b"true") else b"FALSE")
                else:
                    words.append(self._formats.show(value.strip(), int(block.styles[cell])))
        except ValueError as error:
            raise MalformedRow("", block.number_before(cell)) from error
        return words


def lacks_value(block: CellBlock, cell: int) -> bool:
    """Return whether a formula shows nothing because the workbook does not store its value."""
    is_worked_out = _KINDS.get(block.kinds[cell]) in (_NUMBER, _BOOLEAN)
    return is_worked_out and not (block.values[cell] or b"").strip() and block.has_formula(cell)


def _find_blanks(block: CellBlock, texts: pa.Array) -> TextBlock:
    data, starts, ends = read_buffers(texts)
    has_text = ends > starts
    is_filled = has_text & (data.take(starts, mode="clip") > ord(" "))
    doubtful = has_text & ~is_filled
    is_filled[doubtful] = _match(texts.filter(pa.array(doubtful)), r"[^ \t\r\n]")
    return TextBlock(block, texts, has_text, is_filled)


def _match(texts: pa.Array, pattern: str) -> Mask:
    found: Mask = pc.match_substring_regex(texts, pattern).to_numpy(zero_copy_only=False)
    return found


class NumberFormats:
    """Which styles show a number as a date, and the epoch that it counts from."""

    def __init__(self, clocks: list[Clock], *, starts_1904: bool) -> None:
        self._clocks = clocks
        self._shows_clock = np.array([clock is not Clock.NUMBER for clock in clocks], np.bool_)
        self._starts_1904 = starts_1904
        self._shown: dict[tuple[bytes, int], bytes] = {}

    def shows_clocks(self, styles: Positions) -> Mask:
        """Return which of some styles show dates or times."""
        if not len(self._clocks):
            return np.zeros(len(styles), np.bool_)
        return self._shows_clock.take(styles, mode="clip") & (styles < len(self._clocks))

    def show(self, value: bytes, style: int) -> bytes:
        """Return a number as its shortest digits, a date or a time in ISO 8601 form.

        Raises:
            ValueError: It is no number.
        """
        clock = self._clocks[style] if style < len(self._clocks) else Clock.NUMBER
        if clock is Clock.NUMBER and _PLAIN_BYTES.match(value):
            return value
        key = (value, clock.value)
        text = self._shown.get(key)
        if text is None:
            text = self._show(value, clock).encode()
            if len(self._shown) < MAX_REMEMBERED_NUMBERS:
                self._shown[key] = text
        return text

    def _show(self, value: bytes, clock: Clock) -> str:
        number = float(value)
        if clock is not Clock.NUMBER and 0 <= number < 2_958_466:  # up to 9999-12-31
            return self._show_moment(number, clock)
        text = repr(number)
        return text.removesuffix(".0") if "e" not in text else text

    def _show_moment(self, number: float, clock: Clock) -> str:
        if self._starts_1904:
            epoch = datetime(1904, 1, 1)  # noqa: DTZ001 - a sheet's dates have no zone
        else:  # 1900 counts as a leap year there (ISO/IEC 29500-1, 18.17.4.1)
            epoch = datetime(1899, 12, 31 if number < 60 else 30)  # noqa: DTZ001
        moment = epoch + timedelta(seconds=round(number * 86_400))
        if clock is Clock.TIME and number < 1:
            return moment.time().isoformat()
        if clock is Clock.DATE or (moment.time() == time(0) and clock is not Clock.TIME):
            return moment.date().isoformat()
        return moment.isoformat(sep=" ")


def load_number_formats(archive: XlsxArchive, book: Book) -> NumberFormats:
    """Read which cell styles mean dates; a workbook without styles has none."""
    styles: list[str] = []
    own: dict[str, Clock] = {}  # number formats are before the styles (18.8.39)
    if book.styles is not None:
        for element in stream_elements(archive, book.styles):
            if len(element.path) != 3:
                continue
            number_format = element.attributes.get("numFmtId", "0")
            if element.path[1] == "numFmts" and len(own) < MAX_OWN_FORMATS:
                code = element.attributes.get("formatCode", "")
                own[number_format] = _read_clock(number_format, code[:MAX_CODE_CHARACTERS])
            elif element.path[1] == "cellXfs":
                styles.append(sys.intern(number_format[:MAX_DIGITS]))
    built_in = {style: _read_clock(style, None) for style in set(styles)}
    clocks = [own.get(style, built_in[style]) for style in styles]
    return NumberFormats(clocks, starts_1904=book.starts_1904)


def _read_clock(number_format: str, code: str | None) -> Clock:
    """Return what a number format shows (built-in ones: ISO/IEC 29500-1, 18.8.30)."""
    if code is None:
        identifier = int(number_format) if re.fullmatch(r"[0-9]{1,9}", number_format) else 0
        if identifier == 22:
            return Clock.DATE_TIME
        if identifier in (18, 19, 20, 21, 45, 46, 47):
            return Clock.TIME
        is_date = identifier in (14, 15, 16, 17) or 27 <= identifier <= 36 or 50 <= identifier <= 58
        return Clock.DATE if is_date else Clock.NUMBER
    bare = re.sub(r'"[^"]*"|\\.|_.|\*.|\[(?![hms]+\])[^\]]*\]', "", code.lower())
    bare = bare.partition(";")[0].replace("general", "")
    has_date = bool(re.search("[yd]", bare)) or bool(re.fullmatch("m+", bare.strip()))
    has_time = bool(re.search("[hs]", bare))
    if has_date:
        return Clock.DATE_TIME if has_time else Clock.DATE
    return Clock.TIME if has_time else Clock.NUMBER
