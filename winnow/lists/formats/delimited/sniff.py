"""Detection of a list's delimiter, line ending and backslash escapes from its beginning."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from winnow.core.errors import BrokenFile
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.notices import Notice
from winnow.core.meaning.addresses import holds_address, looks_like_address
from winnow.lists.inspection.columns import find_columns
from winnow.lists.inspection.first_rows import locate_first_row
from winnow.lists.text.escapes import ESCAPE, read_plainly
from winnow.lists.text.splitter import Record, split_records
from winnow.words import translatable

DELIMITERS = (",", ";", "\t", "|")
_RARE = ("~", "^", "\x01", "\x1f")  # tried as well; Control-A is Hive's
_UNREAD = (":", "\xa6", "\xa7")  # a list with one of these is refused in words
_SEP_LINE = re.compile(r'"?sep=([^"\r\n])"?(?:\r\n|\r|\n)', re.IGNORECASE)
_BLANK_LINES = re.compile(r"(?:\r\n|\r|\n)*")
_TRIAL_RECORDS = 1000
_DOUBT = 0.2  # of a score that reaches 6: a runner-up this close is reason for a notice


def read_preamble(text: str) -> tuple[int, int, str | None]:
    """Return what is before the first record: characters, physical lines, Excel's delimiter.

    That is blank lines, and the line ``sep=;`` by which Excel fixes the delimiter of the file.
    """
    match = _SEP_LINE.match(text)
    end = match.end() if match else 0
    blank = _BLANK_LINES.match(text, end)
    end = blank.end() if blank else end
    lines = len(re.findall(r"\r\n|\r|\n", text[:end]))
    return end, lines, match[1] if match else None


def find_delimiter(
    text: str, file_format: FileFormat, *, is_whole: bool
) -> tuple[str, tuple[Notice, ...]]:
    """Return the delimiter of a text list, and a notice if it is doubtful.

    The beginning is split by each possible one; the one with the most regular rows is taken, but
    none that is missing in the header of another. For a list of one column it is the one that
    separates the added columns.

    Args:
        text: The beginning from the first record on.
        file_format: CSV or TSV; a TSV file's delimiter is the tab unless it holds none.
        is_whole: The text reaches to the end of the file.
    """
    if file_format is FileFormat.TSV and "\t" in text:
        return "\t", ()
    marks = (*DELIMITERS, *_RARE, *_UNREAD)
    escapes = ("", ESCAPE) if ESCAPE in text else ("",)
    rated = sorted(
        (
            (max(_rate(text, mark, escape, is_whole=is_whole) for escape in escapes), mark)
            for mark in marks
            if mark in text
        ),
        key=lambda rated: (-rated[0][0], -rated[0][1], marks.index(rated[1])),
    )
    headers = [(mark, "".join(header)) for (_, _, header), mark in rated if header]
    held = [one for one in rated if all(one[1] in (mark, *header) for mark, header in headers)]
    # None is held where two titles are taken for headers.
    ranked = [one for one in held or rated if one[1] not in _UNREAD]
    if not ranked or ranked[0][0][1] < 2:
        usual = file_format.traits.delimiter
        free = (one for one in (usual, *DELIMITERS) if not _parts(text, one, is_whole=is_whole))
        return next(free, usual), ()
    (best, *_), found = ranked[0]
    is_close = any(rated[1] > 1 and best - rated[0] < _DOUBT for rated, _ in ranked[1:2])
    if not is_close and found not in _RARE:
        return found, ()
    said = translatable("The delimiter is probably {sign}: look at the columns.", sign=repr(found))
    return found, (Notice("delimiter_assumed", said),)


def _parts(text: str, delimiter: str, *, is_whole: bool) -> bool:
    if delimiter not in text:
        return False
    try:
        records = list(split_records(text, delimiter, is_whole=is_whole))
    except BrokenFile:
        return True
    rows = [record.cells for record in records if not record.is_blank]
    return any(len(row) > 1 for row in rows[locate_first_row(rows) :])


def _split(text: str, delimiter: str, escape: str, *, is_whole: bool) -> Iterator[Record]:
    if escape:
        plain = read_plainly(text.encode("latin-1"), delimiter, is_whole=is_whole)
        text = plain.decode("latin-1")
    return split_records(text, delimiter, is_whole=is_whole)


def _rate(
    text: str, delimiter: str, escape: str, *, is_whole: bool
) -> tuple[float, int, tuple[str, ...]]:
    """Return how well a delimiter reads, up to 6, the width of most records, and the header.

    The header is that of rows which it fits and which hold addresses; without one it is empty.
    """
    records: list[Record] = []
    broken = 0
    try:
        found = islice(_split(text, delimiter, escape, is_whole=is_whole), _TRIAL_RECORDS)
        records.extend(record for record in found if not record.is_blank)
    except BrokenFile:  # said aloud later, if this is the delimiter
        broken = 1
    if not records:
        return -broken, 2 * broken, ()
    place = locate_first_row([record.cells for record in records])
    header, rows = records[place], records[place + 1 :] or records
    width, count = Counter(len(record.cells) for record in rows).most_common(1)[0]
    score = count / len(rows)
    score += len(header.cells) == width
    score += 2 * bool(find_columns(header.cells))
    addressed = sum(any(map(looks_like_address, row.cells)) for row in rows)
    is_header = len(header.cells) == width > 1 and not any(map(holds_address, header.cells))
    score += 2 * addressed / len(rows)
    score -= sum(record.has_stray_quote for record in records) / len(records)
    if width == 1 and len(header.cells) > 1:
        width = len(header.cells)
        score -= 1
    return score - broken, width, header.cells if is_header and addressed else ()


def find_escape(text: str, delimiter: str, *, is_whole: bool) -> str:
    r"""Return a backslash where it escapes quotes, delimiters and line breaks, else nothing.

    It does where the beginning reads better so; and where both ways read alike, if there are cells
    of ``\N`` and no doubled quotes, as MySQL and PostgreSQL write them.
    """
    if ESCAPE not in text:
        return ""
    doubled = _count_faults(text, delimiter, "", is_whole=is_whole)
    escaped = _count_faults(text, delimiter, ESCAPE, is_whole=is_whole)
    if escaped is None:
        return ""
    if doubled is None or escaped < doubled:
        return ESCAPE
    apart = rf"[^{re.escape(delimiter)}\r\n]"
    has_nulls = re.search(rf"(?<!{apart})\\N(?!{apart})", text) is not None  # in whole cells
    return ESCAPE if escaped == doubled and has_nulls and '""' not in text else ""


def _count_faults(text: str, delimiter: str, escape: str, *, is_whole: bool) -> int | None:
    """Return how many rows have an odd width or a stray quote; None: a record is broken."""
    widths: Counter[int] = Counter()
    strays = 0
    try:
        if escape:
            text = text.rstrip("\r\n").rstrip(ESCAPE)  # a file that is cut off is refused later
        for record in _split(text, delimiter, escape, is_whole=is_whole):
            if not record.is_blank:
                widths[len(record.cells)] += 1
                strays += record.has_stray_quote
    except BrokenFile:
        return None
    usual = widths.most_common(1)[0][1] if widths else 0
    return widths.total() - usual + strays
