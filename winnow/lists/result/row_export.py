"""Conversion of result rows to the encoding and form of a download."""

import csv
import io

from winnow.core.lists.exports import DownloadChoice
from winnow.core.lists.input_head import MULTIBYTE
from winnow.core.tasks.task import InputPlan
from winnow.core.unicode_forms import guard_cell
from winnow.lists.result.added_columns import name_columns
from winnow.lists.result.cell_grid import CellGrid, guard_cells, read_grid, write_records
from winnow.lists.result.formula_guard import guard_formulas
from winnow.lists.result.row_columns import RowIndex
from winnow.lists.result.row_index import RESULT_NAME
from winnow.lists.result.row_tails import word_names
from winnow.lists.result.titles import ReadTitles, cut_titles, read_titles
from winnow.lists.text.cell_text import BOMS, find_bom
from winnow.lists.text.escapes import EscapeStyle, restore_escapes


class RowExport:
    """Gives stretches of rows the form that was chosen.

    ``is_as_stored``: the list's own dialect, so that own cells are copied as bytes; a workbook's
    rows then are CSV in UTF-8. Any other form is UTF-8 with CRLF line ends, as is a list with
    backslash escapes or in an encoding of several bytes a letter that is to be safe for Excel.
    """

    def __init__(
        self,
        index: RowIndex,
        plan: InputPlan,
        choice: DownloadChoice,
        read_titles: ReadTitles = read_titles,
    ) -> None:
        self._index = index
        self._plan = plan
        self._choice = choice
        self._read_titles = read_titles
        # Excel knows no escapes, and two bytes a letter by luck only.
        is_odd = bool(plan.escape) or plan.encoding in MULTIBYTE
        is_readable = not (choice.safe_for_excel and is_odd)
        self.is_as_stored = choice.keeps_format(plan.file_format) and is_readable

    def word_head(self) -> bytes:
        """Return what is before the first row: BOM, header, blank lines."""
        head = self._read_head()
        if not self.is_as_stored:
            # Excel takes a CSV without a BOM for its own code page.
            bom = "\ufeff".encode() if self._choice.safe_for_excel else b""
            return bom + self._word_titles() + self._convert(self._strip_head(head))
        if self._choice.safe_for_excel:
            head = guard_formulas(head, self._index.text.delimiter)
        if self._is_raw:
            return head
        bom, _ = self._find_target()
        above, head = cut_titles(head, self._plan)
        return bom + self._encode(above, is_above=True) + self._encode(head)

    def convert(self, rows: bytes) -> bytes:
        """Return whole rows of the text file as the download has them."""
        if not self.is_as_stored:
            return self._convert(rows)
        if self._choice.safe_for_excel:
            rows = guard_formulas(rows, self._index.text.delimiter)
        return self._encode(rows)

    def read_header(self) -> CellGrid:
        """Return the header's cells; none for a list without."""
        return self.read_cells(self._strip_head(self._read_head()))

    def read_cells(self, rows: bytes) -> CellGrid:
        """Return whole rows of the text file as cells."""
        return read_grid(rows, self._index.text)

    @property
    def _is_raw(self) -> bool:
        """Whether the text file has the bytes that a download as stored has."""
        text = self._index.text
        return not text.has_verdicts or text.file_name == RESULT_NAME

    def _word_titles(self) -> bytes:
        text = io.StringIO(newline="")
        writer = csv.writer(text, delimiter=self._delimiter, lineterminator="\r\n")
        for row in self._read_titles(self._index, self._plan):
            is_guarded = self._choice.safe_for_excel
            writer.writerow([guard_cell(cell) if is_guarded else cell for cell in row])
        return text.getvalue().encode("utf-8", "replace")

    @property
    def _delimiter(self) -> str:
        return (self._choice.file_format or self._plan.file_format.result).traits.delimiter

    def _convert(self, rows: bytes) -> bytes:
        grid = self.read_cells(rows)
        if self._choice.safe_for_excel:
            grid = guard_cells(grid)
        return write_records(grid, self._delimiter)

    def _encode(self, rows: bytes, *, is_above: bool = False) -> bytes:
        if self._is_raw:
            return rows
        text = self._index.text
        if text.escapes and not is_above:
            style = EscapeStyle(text.escapes)
            rows = b"".join(restore_escapes([rows], text.delimiter, style))
        _, codec = self._find_target()
        errors = "surrogatepass" if codec.startswith(("utf-16", "utf-32")) else "replace"
        if text.encoding == codec:
            return rows
        return rows.decode("utf-8", "surrogatepass").encode(codec, errors)

    def _find_target(self) -> tuple[bytes, str]:
        with (self._index.folder / RESULT_NAME).open("rb") as file:
            return find_bom(file.read(max(len(bom) for bom, _ in BOMS)), self._plan.encoding)

    def _read_head(self) -> bytes:
        """Return the head of the text file with the names of all added columns."""
        if not self._index.text.has_verdicts:  # the rows alone, of a result that is no text
            return self._word_own_head()
        with self._index.text_path.open("rb") as file:
            head = file.read(self._index.text.head_bytes)
        if not self._plan.has_header or not self._choice.extra_columns:
            return head
        stored = word_names(self._added_names, self._index.text)
        end = head.rindex(stored) + len(stored)  # after the header only blank lines follow
        return head[:end] + word_names(self._extra_names, self._index.text) + head[end:]

    def _word_own_head(self) -> bytes:
        if not self._plan.has_header:
            return b""
        line = io.StringIO()
        missing = self._index.text.width - len(self._plan.columns)
        own = (*self._plan.columns, *("" for _ in range(missing)))
        names = (*own, *self._added_names, *self._extra_names)
        csv.writer(line, delimiter=self._index.text.delimiter, lineterminator="\n").writerow(names)
        return line.getvalue().encode("utf-8", "replace")

    @property
    def _added_names(self) -> tuple[str, ...]:
        return self._index.text.added.name(self._plan.columns if self._plan.has_header else ())

    @property
    def _extra_names(self) -> tuple[str, ...]:
        return name_columns(self._choice.extra_columns, self._plan.columns)

    def _strip_head(self, head: bytes) -> bytes:
        """Return the head without BOM and what is above the header, a cell for each name."""
        _, head = cut_titles(head, self._plan)
        return self._index.text.delimiter.encode() * self._plan.nameless_columns + head
