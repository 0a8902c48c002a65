"""Text of cells as a spreadsheet shows it: shared strings, numbers, dates, booleans, errors."""

import re
from array import array
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime, time, timedelta
from enum import IntEnum
from functools import lru_cache
from itertools import islice
from mmap import ACCESS_READ, mmap
from pathlib import Path
from tempfile import TemporaryFile

from winnow.core.errors import BrokenFile
from winnow.core.file_faults import FileFault
from winnow.lists.formats.xlsx.archive import SAVE_AGAIN, XlsxArchive, word_too_large
from winnow.lists.formats.xlsx.book import Book
from winnow.lists.formats.xlsx.cells import MAX_DIGITS, NUMBERS, MalformedRow, join_runs
from winnow.lists.formats.xlsx.markup import find_elements
from winnow.lists.formats.xlsx.xml import ATTRIBUTES, NAME, check_xml, read_xml, unescape

MAX_STRINGS = 18_000_000  # 8 bytes each
MAX_STRING_BYTES = 1 << 20  # a cell ends at 32,767 characters; formatting takes the rest
MAX_OWN_FORMATS = 65_536  # Excel itself ends at about 250
KEPT_NUMBER_BYTES = 100  # as text; programs write 17 digits and an exponent
MAX_CODE_CHARACTERS = 255  # of a number format, where Excel ends as well

_PLAIN = re.compile(rb"-?[0-9.]{1,15}\Z")  # as many digits as are shown: no rounding needed
# The section of cell styles, which are after the number formats (18.8.39).
_CELL_STYLES = re.compile(rb"</?" + NAME + rb"cellXfs(?=[\s/>])")
_ITEM = re.compile(
    rb"<" + NAME + rb"si(?=[\s/>])" + ATTRIBUTES + rb"(?:/>|>"
    rb"(?>(?:<" + NAME + rb't(?: xml:space="preserve")?>([^<]*+)</' + NAME + rb"t>(?=</))?)"
    rb"((?>(?:[^<]++|<(?!/?" + NAME + rb"si[\s/>]))*))</" + NAME + rb"si\s*+>)"
)


class Clock(IntEnum):
    """What a number format shows for a number."""

    NUMBER = 0
    DATE = 1
    TIME = 2
    DATE_TIME = 3


_BUILT_IN_CLOCKS = {  # by number formats without a code (ISO/IEC 29500-1, 18.8.30)
    **dict.fromkeys(map(str, (14, 15, 16, 17, *range(27, 37), *range(50, 59))), Clock.DATE),
    **dict.fromkeys(map(str, (18, 19, 20, 21, 45, 46, 47)), Clock.TIME),
    "22": Clock.DATE_TIME,
}


class SharedStrings:
    """The texts of shared strings in UTF-8 (ISO/IEC 29500-1, 18.4), by their indices.

    They are read as far as they are asked for, into a temporary file.

    Args:
        archive: The workbook.
        part: Its shared strings, None for a workbook without.
        folder: Where the file is; None: where the system has its own.
        most_bytes: How much of them may be read; None: all.
    """

    def __init__(
        self,
        archive: XlsxArchive,
        part: str | None,
        folder: Path | None,
        most_bytes: int | None = None,
    ) -> None:
        self._most_bytes = most_bytes
        self._file = TemporaryFile(dir=folder)  # noqa: SIM115  # closed by ``close``
        self._ends = array("q", (0,))
        self._data: mmap | bytes = b""
        chunks = check_xml(archive.stream(part), part) if part is not None else iter(())
        self._steps = self._read(chunks)

    def get(self, index: int) -> bytes | None:
        """Return the text of an index, None for one that is not there.

        Raises:
            BrokenFile: The part is no XML, holds too long a string, or is too large to be kept.
        """
        ends = self._ends
        while index >= len(ends) - 1:
            if next(self._steps, None) is None:
                return None
        return self._data[ends[index] : ends[index + 1]]

    def close(self) -> None:
        """Remove the file."""
        self._data = b""
        self._file.close()

    def _read(self, chunks: Iterator[bytes]) -> Iterator[int]:
        """Read the strings step by step; yield how many there are so far."""
        rest = b""
        for chunk in chunks:
            pieces = _ITEM.split(rest + chunk)  # what is between, attributes, plain text, the rest
            rest = pieces[-1]
            if len(rest) > MAX_STRING_BYTES:
                raise BrokenFile(
                    "A cell of the workbook holds more than 1 MiB of text.",
                    fault=FileFault.TOO_LARGE,
                    hint="No spreadsheet program keeps more than 32,767 characters in a cell.",
                )
            try:
                for plain, runs in zip(pieces[2::4], pieces[3::4], strict=True):
                    text = unescape(join_runs(runs or b"") if plain is None else plain)
                    size = self._file.write(text.encode("utf-8", "replace"))
                    self._ends.append(self._ends[-1] + size)
            except ValueError as error:
                raise BrokenFile("The workbook's texts cannot be read.", hint=SAVE_AGAIN) from error
            if self._most_bytes is not None and self._ends[-1] > self._most_bytes:
                raise word_too_large()
            if len(self._ends) > MAX_STRINGS:
                raise BrokenFile(
                    "The workbook has more than {most} different texts.",
                    fault=FileFault.TOO_LARGE,
                    most=MAX_STRINGS,
                    hint="Export the sheet as CSV and use that.",
                )
            self._file.flush()
            if self._ends[-1]:
                self._data = mmap(self._file.fileno(), 0, access=ACCESS_READ)
            yield len(self._ends)


class CellTexts:
    """Turns cells into the text that a person would read in them.

    Args:
        strings: The workbook's.
        clocks: What each of its styles shows for a number.
        starts_1904: Whether its dates count from 1904.
    """

    def __init__(self, strings: SharedStrings, clocks: list[Clock], *, starts_1904: bool) -> None:
        self._strings = strings
        self._clocks = clocks
        self._starts_1904 = starts_1904
        self._show = lru_cache(maxsize=65_536)(_show)

    def read(self, kind: bytes | None, value: bytes, style: int) -> bytes:
        """Return the text of a cell with a value, in UTF-8.

        Raises:
            ValueError: Its value is none.
        """
        if kind == b"s":
            digits = value.strip()
            is_index = digits.isdigit() and len(digits) <= MAX_DIGITS
            text = self._strings.get(int(digits)) if is_index else None
            if digits and text is None:
                raise MalformedRow("cannot be read")
            return text or b""
        if kind not in NUMBERS:
            is_plain = b"&" not in value and b"_x" not in value and b"\r" not in value
            return value if is_plain else unescape(value).encode("utf-8", "replace")
        if kind == b"b" and value.strip():
            return b"TRUE" if value.strip() in (b"1", b"true") else b"FALSE"
        # A number as its shortest digits, a date or a time in ISO 8601 form; or blanks.
        clock = self._clocks[style] if style < len(self._clocks) else Clock.NUMBER
        if clock is Clock.NUMBER and _PLAIN.match(value):
            return value
        value = value.strip()
        show = self._show if len(value) <= KEPT_NUMBER_BYTES else _show  # short ones come again
        return show(value, clock, self._starts_1904) if value else b""


def _show(value: bytes, clock: Clock, starts_1904: bool) -> bytes:
    number = float(value)
    if clock is not Clock.NUMBER and number >= 0:
        with suppress(OverflowError):  # after 9999-12-31 it is a number, as in Excel
            return _show_moment(number, clock, starts_1904).encode()
    text = repr(number)
    return (text.removesuffix(".0") if "e" not in text else text).encode()


def _show_moment(number: float, clock: Clock, starts_1904: bool) -> str:
    # 1900 counts as a leap year there (ISO/IEC 29500-1, 18.17.4.1).
    year, month, day = (1904, 1, 1) if starts_1904 else (1899, 12, 31 if number < 60 else 30)
    epoch = datetime(year, month, day)  # noqa: DTZ001 - a sheet's dates have no zone
    moment = epoch + timedelta(seconds=round(number * 86_400))
    if clock is Clock.TIME and number < 1:
        return moment.time().isoformat()
    if clock is Clock.DATE or (moment.time() == time(0) and clock is not Clock.TIME):
        return moment.date().isoformat()
    return moment.isoformat(sep=" ")


@contextmanager
def open_texts(
    archive: XlsxArchive, book: Book, folder: Path | None, most_bytes: int | None = None
) -> Iterator[CellTexts]:
    """Open what a workbook's cells refer to; the arguments are those of ``SharedStrings``."""
    clocks = _read_clocks(archive, book)
    strings = SharedStrings(archive, book.shared_strings, folder, most_bytes)
    with closing(strings):
        yield CellTexts(strings, clocks, starts_1904=book.starts_1904)


def _read_clocks(archive: XlsxArchive, book: Book) -> list[Clock]:
    """Return what each cell style shows for a number; a workbook without styles has none."""
    content = read_xml(archive, book.styles) if book.styles is not None else b""
    before, *rest = _CELL_STYLES.split(content)
    clocks = dict(_BUILT_IN_CLOCKS)
    for element in islice(find_elements(before, "numFmt"), MAX_OWN_FORMATS):
        code = element.get("formatCode")[:MAX_CODE_CHARACTERS]
        clocks[element.get("numFmtId").lstrip("0")] = _read_clock(code)
    cell_styles = find_elements(rest[0], "xf") if rest else ()
    numbers = (one.get("numFmtId").lstrip("0") for one in cell_styles)
    return [clocks.get(number, Clock.NUMBER) for number in numbers]


def _read_clock(code: str) -> Clock:
    """Return what a number format's code shows."""
    bare = re.sub(r'"[^"]*"|\\.|_.|\*.|\[(?![hms]+\])[^\]]*\]', "", code.lower())
    bare = bare.partition(";")[0].replace("general", "")
    has_date = bool(re.search("[yd]", bare)) or bool(re.fullmatch("m+", bare.strip()))
    has_time = bool(re.search("[hs]", bare))
    if has_date:
        return Clock.DATE_TIME if has_time else Clock.DATE
    return Clock.TIME if has_time else Clock.NUMBER
