"""What was understood of a list, in one line, with the words for its parts."""

from collections import Counter
from collections.abc import Mapping

from winnow.core.figures import count_things, round_estimate
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import ENCODINGS, EncodingDoubt, Head

DELIMITERS: Mapping[str, str] = {
    ",": "Comma",
    ";": "Semicolon",
    "\t": "Tab",
    "|": "Vertical bar",
    "^": "Caret",
    "~": "Tilde",
    "\x01": "Control-A",
}

ESCAPES: Mapping[str, str] = {
    "": 'A second quote: ""',
    "\\": 'A backslash: \\"',
}

_DOUBTS = {
    EncodingDoubt.NONE: "",
    EncodingDoubt.SLIGHT: " (probably)",
    EncodingDoubt.GREAT: " (a guess)",
}


def name_encoding(codec: str) -> str:
    """Return an encoding's usual name, without its region."""
    return ENCODINGS.get(codec.lower(), codec.upper()).partition(" (")[0]


def name_column(head: Head, position: int) -> str:
    """Return a column's name; one without a name is called by its position."""
    return name_columns(head)[position]


def name_columns(head: Head) -> list[str]:
    """Return all columns' names, as ``name_column`` gives them."""
    names = [name.strip() for name in head.columns]
    counts = Counter(names)
    return [
        f"column {place} (no name)"
        if not name
        else f"{name} (column {place})"
        if counts[name] > 1
        else name
        for place, name in enumerate(names, start=1)
    ]


def awaits_column(head: Head) -> bool:
    """Whether the analyst must say which column to check: more than one could be meant."""
    could_be = max(len(head.email_columns), len(head.address_columns))
    return head.chosen_column is None and could_be > 1


def describe_head(head: Head, email_column: int | None) -> str:
    """Return the line: ``"Semicolon CSV, Windows-1252, 48,201 rows, email column: E-Mail"``."""
    if head.row_count is not None:
        rows = count_things(head.row_count, "row")
    else:
        rows = f"about {count_things(round_estimate(head.row_estimate), 'row')}"
    parts = [_name_kind(head)]
    if len(head.sheets) > 1:
        parts.append(f"sheet {head.sheet}")
    if head.file_format.traits.is_text:
        if head.escape:
            parts[0] += " with backslash escapes"
        parts.append(name_encoding(head.encoding) + _DOUBTS[head.encoding_doubt])
    parts.append(rows)
    if not head.has_header:
        parts.append("no header row")
    if head.first_row > 1:
        what = "header" if head.has_header else "begins"
        parts.append(f"{what} in row {head.first_row:,}")
    if email_column is not None:
        column = name_column(head, email_column)
    else:
        column = "to be chosen" if awaits_column(head) else "not found"
    parts.append(f"email column: {column}")
    return ", ".join(parts)


def _name_kind(head: Head) -> str:
    traits = head.file_format.traits
    if head.file_format is FileFormat.TXT and len(head.columns) < 2:
        return traits.name
    delimiter = DELIMITERS.get(head.delimiter, f"“{head.delimiter}”")
    return traits.kind.format(delimiter=delimiter)
