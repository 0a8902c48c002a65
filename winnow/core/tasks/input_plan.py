"""Plan of a list: how it is read."""

from dataclasses import dataclass

from winnow.core.lists.file_format import FileFormat


@dataclass(frozen=True, slots=True)
class InputPlan:
    """How a list is read: what was recognised, with the analyst's changes.

    ``email_column`` counts from 0. ``encoding`` is a Python codec name. XLSX uses only ``sheet``,
    ``email_column``, ``has_header``, ``first_row``.
    ``preamble_lines`` physical lines are before the header row (or the first data row) and come
    back untouched: titles, blank lines, and the ``sep=;`` line that Excel writes and reads.
    ``first_row`` is the row that is the header (or the first data row), as a spreadsheet numbers
    it; 0, in older plans, has a sheet's header found by its names.
    ``escape`` is a backslash where it escapes quotes and delimiters in cells, else ``""``.
    ``second_email_column`` has the address of rows whose cell in ``email_column`` is blank: then a
    run adds a column that holds each row's own. ``judges_both`` is set only in plans that 0.2
    made: both addresses of a row were judged. No run does that any more.
    """

    file_format: FileFormat
    email_column: int
    columns: tuple[str, ...]  # names as written, without BOM; may repeat or be empty
    has_header: bool = True
    encoding: str = "utf-8"
    delimiter: str = ","
    sheet: str | None = None
    preamble_lines: int = 0
    first_row: int = 0
    escape: str = ""
    second_email_column: int | None = None
    judges_both: bool = False
