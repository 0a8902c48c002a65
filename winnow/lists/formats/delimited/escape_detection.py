"""Detection of backslash escapes, by reading the list's beginning with and without them."""

import re
from collections import Counter
from dataclasses import dataclass
from itertools import islice

from winnow.core.errors import BrokenFile
from winnow.lists.text.escapes import ESCAPE, read_plainly
from winnow.lists.text.splitter import split_records

_TRIAL_RECORDS = 100_000
_TRIAL_CHARACTERS = 1 << 20


@dataclass(frozen=True, slots=True)
class _Reading:
    """How well a beginning reads: ``faults`` are rows of odd width or with a stray quote."""

    faults: int
    is_broken: bool


def find_escape(text: str, delimiter: str, *, is_whole: bool) -> str:
    r"""Return a backslash where it escapes quotes, delimiters and line breaks, else nothing.

    It does where the beginning reads better so; and where both ways read alike, if there are cells
    of ``\N`` and no doubled quotes, as MySQL and PostgreSQL write them.
    """
    is_whole = is_whole and len(text) <= _TRIAL_CHARACTERS
    text = text[:_TRIAL_CHARACTERS]
    if ESCAPE not in text:
        return ""
    doubled = _read(text, delimiter, "", is_whole=is_whole)
    escaped = _read(text, delimiter, ESCAPE, is_whole=is_whole)
    if escaped.is_broken:
        return ""
    if doubled.is_broken or escaped.faults < doubled.faults:
        return ESCAPE
    is_same = escaped.faults == doubled.faults
    return ESCAPE if is_same and _holds_null(text, delimiter) and '""' not in text else ""


def _read(text: str, delimiter: str, escape: str, *, is_whole: bool) -> _Reading:
    widths: Counter[int] = Counter()
    strays = 0
    is_broken = False
    try:
        if escape:
            text = text.rstrip("\r\n").rstrip(ESCAPE)  # a file that is cut off is refused later
            plain = read_plainly(text.encode("latin-1"), delimiter, is_whole=is_whole)
            text = plain.decode("latin-1")
        records = split_records(text, delimiter, is_whole=is_whole)
        for record in islice(records, _TRIAL_RECORDS):
            if not record.is_blank:
                widths[len(record.cells)] += 1
                strays += record.has_stray_quote
    except BrokenFile:
        is_broken = True
    usual = widths.most_common(1)[0][1] if widths else 0
    return _Reading(widths.total() - usual + strays, is_broken)


def _holds_null(text: str, delimiter: str) -> bool:
    r"""Return whether a whole cell is ``\N``."""
    apart = rf"[^{re.escape(delimiter)}\r\n]"
    return re.search(rf"(?<!{apart})\\N(?!{apart})", text) is not None
