"""First pass over a data sheet: its list as plain CSV, and what the list's rows reach."""

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from winnow.core.errors import BrokenFile, EmptyFile
from winnow.core.file_faults import FileFault
from winnow.lists.execution.run_files import create_file
from winnow.lists.formats.xlsx.cells import SheetRow
from winnow.lists.formats.xlsx.plain_rows import PlainRows, RowRun, quote, read_lines
from winnow.lists.formats.xlsx.references.formula import (
    Formula,
    Reference,
    parse_formula,
    read_sheet_prefix,
)
from winnow.lists.formats.xlsx.sheet import OpenSheet, SheetStream
from winnow.lists.formats.xlsx.xml import resolve_references
from winnow.lists.sheet_limits import MAX_ROWS, column_letters

MOST_CELLS = 500_000_000  # empty ones too: of Excel's most rows and 476 columns

_OWN_ROW = ("@", "#this row")  # a column of a table in the formula's own row


@dataclass(slots=True)
class SheetColumns:
    """Columns that the rows of a list reach, from 0, -1 for none.

    ``last`` is the last with a value, from the header on; ``last_held`` the last with anything:
    blanks, a formula that shows nothing.
    """

    last: int = -1
    last_held: int = -1
    header_style: int = 0

    def widen(self, row: SheetRow, header_row: int) -> None:
        """Take the cells of the next row."""
        filled = row.last_filled
        if filled is not None:
            self.last = max(self.last, filled.column)
            if row.number == header_row:
                self.header_style = filled.style
        for cell in reversed(row.cells):
            if cell.column <= self.last_held:
                break
            if cell.text or cell.has_formula:
                self.last_held = cell.column


class SheetScanner:
    """Scans the sheet of an opened workbook once, and writes its list as plain CSV.

    Args:
        opened: The workbook.
        stream: Its sheet from the start.

    The attributes are complete once the sheet is scanned: the ``columns`` that the list reaches;
    ``numbers`` of its rows; whether any address ``has_email_formulas``; the ``valueless_count`` of
    formulas; ``totals_rows`` with formulas over the list, except those of tables.
    """

    def __init__(self, opened: OpenSheet, stream: SheetStream) -> None:
        self.columns = SheetColumns()
        self.totals_rows: list[int] = []
        self.has_email_formulas = False
        self.valueless_count = 0
        self.numbers = array("i")
        self.opened = opened
        self.stream = stream
        self._plain = PlainRows(len(opened.plan.columns), opened.header_row)

    def scan(self, path: Path, report: Callable[[int, int], None]) -> None:
        """Read the sheet through, and write the list without its header.

        Args:
            path: A new file.
            report: Gets the progress: rows, and bytes of the sheet.

        Raises:
            BrokenFile: Rows that cannot be read, or are too wide; the sheet is named.
            EmptyFile: The list has no rows.
        """
        done_bytes = 0
        with create_file(path) as file:
            for region in self.stream.regions():
                for run in self._plain.split(region):
                    if (lines := self._scan_run(run)) is not None:
                        file.write(lines)
                        continue
                    rows = filter(self._scan, self.opened.read(self.stream, run.xml))
                    file.writelines(map(self._write_line, rows))
                if self.stream.bytes_done > done_bytes:
                    done_bytes = self.stream.bytes_done
                    report(len(self.numbers), done_bytes)
        if not self.numbers:
            raise EmptyFile(
                "The sheet has no rows.",
                hint="Check that it is the right sheet.",
                sheet=self.opened.sheet.name,
            )

    def _scan_run(self, run: RowRun) -> bytes | None:
        """Count plain rows and return them as CSV; None for those to be read one by one."""
        numbers = array("i", map(int, run.numbers))
        reached, width = self.columns.last, len(self.opened.plan.columns)
        if (
            not numbers
            or not max(self.stream.last_number, self.opened.first_row - 1) < numbers[0]
            or numbers[-1] > MAX_ROWS
            or (len(self.numbers) + len(numbers)) * max(reached + 1, width) > MOST_CELLS
            or not self.opened.totals_rows.isdisjoint(numbers)
        ):
            return None
        lines = read_lines(run, self.opened.texts.read, reached, width)
        if lines is not None:
            self.numbers += numbers
            self.stream.last_number = numbers[-1]
        return lines

    def _scan(self, row: SheetRow) -> bool:
        """Count a row; return whether it is one of the list."""
        plan, header_row = self.opened.plan, self.opened.header_row
        self.columns.widen(row, header_row)
        if row.number == header_row:
            return False
        addresses = plan.email_column, plan.second_email_column
        email = row.find(addresses[0]) or row.find(addresses[1])
        if email is None and is_total(row.list_formulas(), row.number, self.opened.sheet.name):
            self.totals_rows.append(row.number)
            return False
        self.has_email_formulas |= email is not None and email.has_formula
        valueless = [cell for cell in row.cells if not cell.text and cell.lacks_value]
        self.valueless_count += len(valueless)
        if row.last_filled is None and not any(cell.column in addresses for cell in valueless):
            return False
        self.numbers.append(row.number)
        return True

    def _write_line(self, row: SheetRow) -> bytes:
        """Return a row as CSV up to the last column that the list has reached so far.

        It has at least as many cells as the list has columns.

        Raises:
            BrokenFile: The rows take too much room, since one of them reaches far to the right.
        """
        last, least = self.columns.last, len(self.opened.plan.columns)
        if len(self.numbers) * max(last + 1, least) > MOST_CELLS:
            raise BrokenFile(
                "The list has a cell in column {column}, so that {rows} rows are too wide.",
                fault=FileFault.TOO_LARGE,
                column=column_letters(last).decode(),
                rows=len(self.numbers),
                hint="Delete what is far right of the list, and upload the workbook again.",
            )
        pieces, before = list[bytes](), 0
        for cell in row.cells:
            if cell.text and cell.column <= last:
                pieces += (b"," * (cell.column - before), quote(cell.text))
                before = cell.column
        pieces = pieces or [b'""']  # in a list of one column nothing would be no row
        return b"".join((*pieces, b"," * (least - 1 - before), b"\n"))


def is_total(formulas: Sequence[bytes], number: int, sheet: str) -> bool:
    """Whether a row without an address holds a formula over the list.

    Such a formula looks at a column of rows that are all above or all below its own, or at a
    column of a table.

    Args:
        formulas: Those of the row, as written.
        number: The row's.
        sheet: The sheet's name.
    """
    return any(
        _is_over_list(piece, number, sheet)
        for content in formulas
        if b":" in content or b"[" in content
        for piece in _parse(content)
    )


def _parse(content: bytes) -> Formula:
    """Return a formula; an empty one for what is no text, or longer than any."""
    try:
        return parse_formula(resolve_references(content))
    except ValueError:
        return ()


def _is_over_list(piece: str | Reference, number: int, sheet: str) -> bool:
    if isinstance(piece, str):
        return "[" in piece and not any(mark in piece.lower() for mark in _OWN_ROW)
    first, last = piece.corners[0], piece.corners[-1]
    if piece.sheet and read_sheet_prefix(piece.sheet).casefold() != sheet.casefold():
        return False
    if len(piece.corners) < 2 or first.column != last.column or not first.row:
        return False  # one cell, cells side by side, or whole columns
    return max(first.row, last.row) < number or number < min(first.row, last.row)
