"""What was understood of an uploaded list, and what the analyst may change about it."""

from dataclasses import dataclass

from backend.core.tasks import FileFormat, Notice

ENCODINGS: dict[str, str] = {
    "utf-8": "UTF-8",
    "cp1252": "Windows-1252 (Western Europe)",
    "cp1250": "Windows-1250 (Central Europe)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "cp1253": "Windows-1253 (Greek)",
    "cp1254": "Windows-1254 (Turkish)",
    "cp1257": "Windows-1257 (Baltic)",
    "latin-1": "ISO 8859-1 (Western Europe)",
    "iso8859-2": "ISO 8859-2 (Central Europe)",
    "iso8859-15": "ISO 8859-15 (Western Europe)",
    "koi8-r": "KOI8-R (Cyrillic)",
    "cp850": "DOS 850 (Western Europe)",
    "cp852": "DOS 852 (Central Europe)",
    "mac-roman": "Mac Roman",
    "utf-16-le": "UTF-16, little-endian",
    "utf-16-be": "UTF-16, big-endian",
}
"""What a list may be in: Python's codec name and the name for people. All hold ASCII but UTF-16."""


@dataclass(frozen=True, slots=True)
class Choices:
    """What the analyst changed; None leaves it to the inspection. ``email_column`` from 0.

    ``first_row`` is where the header stands, or without one the first row: a text's physical line
    or a sheet's row, from 1.
    ``escape`` is a backslash, or ``""`` where quotes are doubled.
    """

    encoding: str | None = None
    delimiter: str | None = None
    has_header: bool | None = None
    sheet: str | None = None
    email_column: int | None = None
    first_row: int | None = None
    escape: str | None = None


@dataclass(frozen=True, slots=True)
class Head:
    """What was understood of a list. Column positions count from 0, lines in notices from 1.

    ``columns`` are the names as they stand, without BOM, and ``""`` for those beyond the last name
    up to the suggested one; without a header row they are ``"column 1"`` and so on.
    ``email_columns`` are the positions that the name rule finds (none, one, or twins);
    ``address_columns`` are those that hold addresses. ``suggested_column`` is the one to offer: the
    only one named email, else the only one with addresses, else the likeliest; None where nothing
    speaks for one, or as much for another. ``is_named``: its name is one that columns of addresses
    have, in any language. ``sample_rows`` are the first 20 rows, for
    the eye: long cells are cut. ``row_count`` is None where counting would take too long;
    ``row_estimate`` is always there. Rows do not count the header, nor blank lines.
    ``first_row`` is as in ``Choices``; ``rows_above`` are the rows with anything above it, the
    first 20, and ``row_numbers`` the places of ``sample_rows`` counted in the same way.
    """

    file_format: FileFormat
    columns: tuple[str, ...]
    email_columns: tuple[int, ...]
    suggested_column: int | None
    sample_rows: tuple[tuple[str, ...], ...]
    size_bytes: int
    row_count: int | None
    row_estimate: int
    address_columns: tuple[int, ...] = ()
    is_named: bool = False
    has_header: bool = True
    headerless_guess: bool = False  # an address in the first row, no column email, nothing chosen
    encoding: str = "utf-8"
    bom: bool = False
    delimiter: str = ","
    newline: str = "\n"
    preamble_lines: int = 0
    first_row: int = 1
    rows_above: tuple[tuple[int, tuple[str, ...]], ...] = ()
    row_numbers: tuple[int, ...] = ()
    nameless_columns: int = 0  # as in ``InputPlan``
    sheets: tuple[str, ...] = ()  # the visible ones
    sheet: str | None = None
    chosen_column: int | None = None  # what the analyst chose
    escape: str = ""  # a backslash where it escapes quotes and delimiters in cells
    escape_is_chosen: bool = False
    notices: tuple[Notice, ...] = ()
