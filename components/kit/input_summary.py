"""Summary in one line of how a list is read, and names for its parts."""

from collections import Counter
from collections.abc import Mapping, Sequence

from winnow.core.figures import round_estimate
from winnow.core.lists.file_format import FileFormat, name_format, name_kind
from winnow.core.lists.input_head import EncodingDoubt, Head, describe_encoding
from winnow.words import format_number, say, say_many, translatable

DELIMITERS: Mapping[str, str] = {
    ",": translatable("commas"),
    ";": translatable("semicolons"),
    "\t": translatable("tabs"),
    "|": translatable("vertical bars"),
    "^": translatable("carets"),
    "~": translatable("tildes"),
    "\x01": translatable("control characters"),
}

ESCAPES: Mapping[str, str] = {
    "": translatable('twice: ""'),
    "\\": translatable('with a backslash: \\"'),
}

_DOUBTS = {
    EncodingDoubt.NONE: translatable("saved as {encoding}"),
    EncodingDoubt.SLIGHT: translatable("probably saved as {encoding}"),
    EncodingDoubt.GREAT: translatable("perhaps saved as {encoding}"),
}


def name_delimiter(sign: str) -> str:
    """Return the name of a delimiter: ``"semicolons"``."""
    return say(DELIMITERS[sign]) if sign in DELIMITERS else f"“{sign}”"


def distinguish_columns(columns: Sequence[str]) -> list[str]:
    """Return distinct column names; those without one and repeated ones get their position."""
    names = [name.strip() for name in columns]
    counts = Counter(names)
    return [
        say("column {place} (no name)", place=place)
        if not name
        else say("{name} (column {place})", name=name, place=place)
        if counts[name] > 1
        else name
        for place, name in enumerate(names, start=1)
    ]


def awaits_column(head: Head) -> bool:
    """Whether the analyst must choose the column to check, since several are possible."""
    could_be = max(len(head.email_columns), len(head.address_columns))
    return head.chosen_column is None and could_be > 1


def describe_head(head: Head, email_column: int | None) -> str:
    """Return the line: ``"CSV with commas, 48,201 rows, email column: E-Mail"``.

    UTF-8 is not named, since it is the usual encoding.
    """
    parts = [_name_kind(head)]
    if len(head.sheets) > 1:
        parts.append(say("sheet {name}", name=head.sheet))
    if head.file_format.traits.is_text:
        if head.escape:
            parts.append(say("backslashes before quotation marks"))
        if head.encoding != "utf-8" or head.encoding_doubt is not EncodingDoubt.NONE:
            doubt = _DOUBTS[head.encoding_doubt]
            parts.append(say(doubt, encoding=describe_encoding(head.encoding)))
    parts.append(_count_rows(head))
    if not head.has_header:
        parts.append(say("no header row"))
    if head.first_row > 1:
        row = format_number(head.first_row)
        parts.append(
            say("header in row {row}", row=row)
            if head.has_header
            else say("begins in row {row}", row=row)
        )
    parts.append(_name_email_column(head, email_column))
    return ", ".join(parts)


def _count_rows(head: Head) -> str:
    if head.row_count is not None:
        return say_many(head.row_count, "{count} row", "{count} rows")
    return say_many(round_estimate(head.row_estimate), "about {count} row", "about {count} rows")


def _name_email_column(head: Head, email_column: int | None) -> str:
    if email_column is not None:
        names = distinguish_columns(head.columns)
        name = names[email_column]
        if head.second_column is not None and head.second_column != email_column:
            text = translatable("email column: {name}, or {second} where it is empty")
            return say(text, name=name, second=names[head.second_column])
        return say("email column: {name}", name=name)
    if awaits_column(head):
        return say("email column: please choose")
    return say("email column: not found")


def _name_kind(head: Head) -> str:
    if head.file_format is FileFormat.TXT and len(head.columns) < 2:
        return name_format(head.file_format)
    return name_kind(head.file_format, name_delimiter(head.delimiter))
