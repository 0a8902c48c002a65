"""Own lists as CSV: one line per entry, read in many dialects, written in one."""

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from winnow.core.errors import BadField
from winnow.core.own_lists.entries import ListEntry

COLUMNS = ("pattern", "category", "note", "added_on")
_DELIMITERS = ",;\t|"
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))


@dataclass(frozen=True, slots=True)
class CsvLine:
    """One entry as written; ``number`` is the physical line, from 1, where it ends."""

    number: int
    pattern: str
    category: str
    note: str


def read_lines(data: bytes) -> Iterator[CsvLine]:
    """Read a CSV file with the columns pattern, category and, if wanted, note.

    Any order, any case, further columns ignored; comma, semicolon, tab or bar; UTF-8, UTF-16 with
    a byte order mark, or Windows-1252. Blank lines are left out.

    Raises:
        BadField: It is not such a file.
    """
    rows = csv.reader(io.StringIO(_decode(data), newline=""), delimiter=_find_delimiter(data))
    try:
        head = [name.strip().lower() for name in next(rows, [])]
        if "pattern" not in head or "category" not in head:
            raise BadField(
                "file",
                "has no columns named pattern and category in its first line",
                hint="Export the lists to see how a file looks.",
            )
        places = {name: place for place, name in reversed(list(enumerate(head)))}
        for row in rows:
            if any(cell.strip() for cell in row):
                pattern, category, note = (
                    row[places[name]] if name in places and places[name] < len(row) else ""
                    for name in COLUMNS[:3]
                )
                yield CsvLine(rows.line_num, pattern, category, note)
    except csv.Error:
        raise BadField("file", "line {line} cannot be read as CSV", line=rows.line_num) from None


def names_categories(data: bytes) -> bool:
    """Return whether a file has the columns of our own export."""
    try:
        next(read_lines(data), None)
    except BadField:
        return False
    return True


def write_lines(entries: Iterable[ListEntry]) -> bytes:
    """Return a CSV file in UTF-8 with a byte order mark, which spreadsheet programs need."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    writer.writerows(
        (entry.pattern, entry.category.value, entry.note, entry.added_at.date().isoformat())
        for entry in entries
    )
    return b"\xef\xbb\xbf" + text.getvalue().encode("utf-8", "replace")


def _decode(data: bytes) -> str:
    if b"\0" in data and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BadField("file", "is not a text file", hint="Save it as CSV.")
    for bom, codec in _BOMS:
        if data.startswith(bom):
            return data[len(bom) :].decode(codec, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _find_delimiter(data: bytes) -> str:
    first = _decode(data[:4096]).partition("\n")[0]
    return max(_DELIMITERS, key=first.count)
