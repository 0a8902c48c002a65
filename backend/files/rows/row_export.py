"""Rows of the text file in the encoding that a download has."""

import csv
import io

from backend.core.tasks import FileFormat, InputPlan
from backend.files.engine.cell_text import BOMS, find_bom, name_added_columns
from backend.files.rows.formula_guard import guard_formulas
from backend.files.rows.row_columns import RowIndex
from backend.files.rows.row_index import RESULT_NAME


def word_head(index: RowIndex, plan: InputPlan, *, safe_for_excel: bool = False) -> bytes:
    """Return what stands before the first row: BOM, header, blank lines."""

    def guard(head: bytes) -> bytes:
        return guard_formulas(head, index.text.delimiter) if safe_for_excel else head

    if plan.file_format is FileFormat.XLSX:
        if not plan.has_header:
            return b""
        line = io.StringIO()
        names = (*plan.columns, *name_added_columns(plan.columns))
        csv.writer(line, delimiter=index.text.delimiter, lineterminator="\n").writerow(names)
        return guard(line.getvalue().encode())
    with index.text_path.open("rb") as file:
        head = file.read(index.text.head_bytes)
    if index.text.file_name == RESULT_NAME:
        return guard(head)
    bom, _ = _target(index, plan)
    return bom + encode_rows(guard(head), index, plan)


def encode_rows(rows: bytes, index: RowIndex, plan: InputPlan) -> bytes:
    """Return whole rows of the text file as the download has them."""
    if plan.file_format is FileFormat.XLSX or index.text.file_name == RESULT_NAME:
        return rows
    _, codec = _target(index, plan)
    errors = "surrogatepass" if codec.startswith(("utf-16", "utf-32")) else "strict"
    return rows.decode("utf-8", "surrogatepass").encode(codec, errors)


def _target(index: RowIndex, plan: InputPlan) -> tuple[bytes, str]:
    with (index.folder / RESULT_NAME).open("rb") as file:
        return find_bom(file.read(max(len(bom) for bom, _ in BOMS)), plan.encoding)
