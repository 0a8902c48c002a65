"""Head of an uploaded list as it was recognised, and the analyst's changes to it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum

from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.merging import Merge
from winnow.core.lists.notices import Notice
from winnow.core.meaning.addresses import score_columns
from winnow.core.meaning.delivery import read_file_name
from winnow.words import list_some, translatable

ENCODINGS: Mapping[str, tuple[str, str]] = {
    "utf-8": ("UTF-8", ""),
    "cp1252": ("Windows-1252", translatable("Western Europe")),
    "cp1250": ("Windows-1250", translatable("Central Europe")),
    "cp1251": ("Windows-1251", translatable("Cyrillic")),
    "cp1253": ("Windows-1253", translatable("Greek")),
    "cp1254": ("Windows-1254", translatable("Turkish")),
    "cp1255": ("Windows-1255", translatable("Hebrew")),
    "cp1256": ("Windows-1256", translatable("Arabic")),
    "cp1257": ("Windows-1257", translatable("Baltic")),
    "cp1258": ("Windows-1258", translatable("Vietnamese")),
    "cp874": ("Windows-874", translatable("Thai")),
    "cp932": ("Shift-JIS", translatable("Japanese")),
    "euc_jp": ("EUC-JP", translatable("Japanese")),
    "gb18030": ("GB18030", translatable("Chinese, simplified")),
    "gbk": ("GBK", translatable("Chinese, simplified")),
    "cp950": ("Big5", translatable("Chinese, traditional")),
    "big5hkscs": ("Big5-HKSCS", translatable("Hong Kong")),
    "cp949": ("EUC-KR and Windows-949", translatable("Korean")),
    "latin-1": ("ISO 8859-1", translatable("Western Europe")),
    "iso8859-2": ("ISO 8859-2", translatable("Central Europe")),
    "iso8859-3": ("ISO 8859-3", translatable("Southern Europe")),
    "iso8859-4": ("ISO 8859-4", translatable("Northern Europe")),
    "iso8859-5": ("ISO 8859-5", translatable("Cyrillic")),
    "iso8859-6": ("ISO 8859-6", translatable("Arabic")),
    "iso8859-7": ("ISO 8859-7", translatable("Greek")),
    "iso8859-8": ("ISO 8859-8", translatable("Hebrew")),
    "iso8859-9": ("ISO 8859-9", translatable("Turkish")),
    "iso8859-10": ("ISO 8859-10", translatable("Nordic")),
    "iso8859-13": ("ISO 8859-13", translatable("Baltic")),
    "iso8859-14": ("ISO 8859-14", translatable("Celtic")),
    "iso8859-15": ("ISO 8859-15", translatable("Western Europe")),
    "iso8859-16": ("ISO 8859-16", translatable("Romanian")),
    "koi8-r": ("KOI8-R", translatable("Cyrillic")),
    "koi8-u": ("KOI8-U", translatable("Ukrainian")),
    "cp437": ("DOS 437", translatable("United States")),
    "cp737": ("DOS 737", translatable("Greek")),
    "cp775": ("DOS 775", translatable("Baltic")),
    "cp850": ("DOS 850", translatable("Western Europe")),
    "cp852": ("DOS 852", translatable("Central Europe")),
    "cp857": ("DOS 857", translatable("Turkish")),
    "cp862": ("DOS 862", translatable("Hebrew")),
    "cp866": ("DOS 866", translatable("Cyrillic")),
    "mac-roman": ("Mac Roman", translatable("Western Europe")),
    "mac-latin2": ("Mac", translatable("Central Europe")),
    "mac-cyrillic": ("Mac", translatable("Cyrillic")),
    "mac-greek": ("Mac", translatable("Greek")),
    "mac-turkish": ("Mac", translatable("Turkish")),
    "utf-16-le": ("UTF-16, little-endian", ""),
    "utf-16-be": ("UTF-16, big-endian", ""),
}
"""Encodings of lists: Python's codec name, the usual name, and the region of its letters.

All but UTF-16 contain ASCII.
"""

NO_ADDRESS, NAMES_NOES = "no_address", "names_noes"
_QUOTED = re.compile(r"""\s*(["']).*@.*\1\s*""", re.DOTALL)

MULTIBYTE = frozenset({"cp932", "euc_jp", "gb18030", "gbk", "cp950", "big5hkscs", "cp949"})
"""Encodings in which bytes of ASCII may be the second half of a character."""


def describe_encoding(codec: str) -> str:
    """Return an encoding for people: ``"Windows-1252 (Western Europe)"``."""
    name, region = ENCODINGS.get(codec.lower(), (codec.upper(), ""))
    return translatable("{name} ({letters})", name=name, letters=region) if region else name


class EncodingDoubt(StrEnum):
    """How sure an encoding is: named by the file or the analyst; its letters fit; a guess."""

    NONE = "none"
    SLIGHT = "slight"
    GREAT = "great"


@dataclass(frozen=True, slots=True)
class Choices:
    """The analyst's changes; None leaves a value to the inspection. ``email_column`` from 0.

    ``first_row`` is the row of the header, or without one the first row, as a spreadsheet numbers
    it, from 1: blank rows count, and a row with line breaks is one.
    ``escape`` is a backslash, or ``""`` where quotes are doubled. ``second_email_column`` has the
    address where the first is blank; None: there is none.
    """

    encoding: str | None = None
    delimiter: str | None = None
    has_header: bool | None = None
    sheet: str | None = None
    email_column: int | None = None
    first_row: int | None = None
    escape: str | None = None
    second_email_column: int | None = None


def know_merged(merge: Merge, file_format: FileFormat, chosen: Choices = Choices()) -> Choices:
    """Return how a merged list is written, which needs no guess; what is chosen comes first."""
    known = Choices(
        encoding="utf-8",
        delimiter=file_format.traits.delimiter,
        has_header=True,
        email_column=merge.email_column,
        first_row=1,
        escape="",
    )
    return replace(known, **{name: one for name, one in asdict(chosen).items() if one is not None})


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """A list's head as it was recognised. Column positions count from 0, lines in notices from 1.

    ``columns`` are the names as written, without BOM, and ``""`` for those beyond the last name
    up to the suggested one; without a header row they are ``"column 1"`` and so on.
    ``email_columns`` are the positions that the name rule finds (none, one, or twins);
    ``address_columns`` are those that hold addresses. ``suggested_column`` is the one to offer: the
    only one named email, else the only one with addresses, else the likeliest; None where no column
    is likelier than another. ``is_named``: its name is one that columns of addresses have, in any
    language. ``sample_rows`` are the first 20 rows, for the eye: long cells are cut. ``row_count``
    is None where counting would take too long; ``row_estimate`` is always there. Rows do not count
    the header, nor blank lines. ``first_row`` is as in ``Choices``; ``rows_above`` are the rows
    with anything above it, the first 20, and ``row_numbers`` the places of ``sample_rows`` counted
    in the same way. ``values`` are the cells of each column that may say who may be mailed, with
    their counts in the first ``values_rows`` rows.
    """

    file_format: FileFormat = FileFormat.UNKNOWN
    columns: tuple[str, ...]
    email_columns: tuple[int, ...]
    suggested_column: int | None
    sample_rows: tuple[tuple[str, ...], ...]
    size_bytes: int = 0
    row_count: int | None = None
    row_estimate: int = 0
    address_columns: tuple[int, ...] = ()
    is_named: bool = False
    has_header: bool = True
    headerless_guess: bool = False  # read as the header, but looks like a row; nothing chosen
    encoding: str = "utf-8"
    encoding_doubt: EncodingDoubt = EncodingDoubt.NONE
    delimiter: str = ","
    preamble_lines: int = 0
    first_row: int = 1
    rows_above: tuple[tuple[int, tuple[str, ...]], ...] = ()
    row_numbers: tuple[int, ...] = ()
    sheets: tuple[str, ...] = ()  # the visible ones
    sheet: str | None = None
    chosen_column: int | None = None  # what the analyst chose
    escape: str = ""  # a backslash where it escapes quotes and delimiters in cells
    second_column: int | None = None  # what the analyst chose, for rows whose first is blank
    values: tuple[Mapping[str, int], ...] = field(default=(), hash=False)
    values_rows: int = 0
    notices: tuple[Notice, ...] = ()


def doubt_name(file_name: str) -> tuple[Notice, ...]:
    """Return the doubt whether a list is to be mailed that is named as an export of noes."""
    if read_file_name(file_name, is_list=True) is None:
        return ()
    text = translatable(
        "By its name, this file lists people who said no or bounced. To leave them out of another "
        "list, add it there as a do-not-mail file."
    )
    return (Notice(NAMES_NOES, text),)


def doubt_column(head: Head, email_column: int) -> tuple[Notice, ...]:
    """Return the question whether a column is the right one: no cell of it is an address.

    Cells that hold one and can be corrected are none of its doubts, unless quotation marks do it.
    """
    columns = score_columns(head.columns, head.sample_rows)
    if email_column >= len(columns) or columns[email_column].valid:
        return ()
    one, name = columns[email_column], name_column(head.columns, email_column)
    others = [name_column(head.columns, one) for one in head.address_columns if one != email_column]
    if any(_QUOTED.fullmatch("".join(row[email_column:][:1])) for row in head.sample_rows):
        text = translatable(
            "No first cell of {name} is an address: quotation marks are part of the cells, since "
            "they are single ones or a blank is before them. Save the list without them, and add "
            "it again.",
            name=name,
        )
    elif not one.filled or 2 * one.held >= one.filled:
        return ()
    elif others:
        text = translatable(
            "No first cell of {name} is an address. Is this the right column? Addresses are in "
            "{others}.",
            name=name,
            others=list_some(others),
        )
    else:
        text = translatable(
            "No first cell of {name} is an address. Is this the right column?", name=name
        )
    return (Notice(NO_ADDRESS, text),)


def name_column(columns: Sequence[str], place: int) -> str:
    """Return a column's name; its position from 1 where it has none, or one with an at-sign."""
    name = columns[place].strip() if place < len(columns) else ""
    return translatable("column {place}", place=place + 1) if not name or "@" in name else name
