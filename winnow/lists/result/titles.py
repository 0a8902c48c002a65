"""Title rows above a list's header, as cells, for a download in another format."""

import re
from collections.abc import Callable, Sequence
from itertools import islice

from winnow.core.errors import BrokenFile
from winnow.core.tasks.task import InputPlan
from winnow.lists.result.row_columns import RowIndex
from winnow.lists.text.cell_text import BOMS
from winnow.lists.text.splitter import split_records

Titles = tuple[tuple[str, ...], ...]
ReadTitles = Callable[[RowIndex, InputPlan], Titles]

_SEP_LINE = re.compile(r'"?sep=[^"\r\n]"?\s*\Z', re.IGNORECASE)


def cut_titles(head: bytes, plan: InputPlan) -> tuple[bytes, bytes]:
    """Return what is above the list in a text's head, without its BOM, and what follows."""
    for bom, _ in BOMS:
        head = head.removeprefix(bom)
    above = b"".join(islice(head.splitlines(keepends=True), plan.preamble_lines))
    return above, head[len(above) :]


def read_titles(index: RowIndex, plan: InputPlan) -> Titles:
    """Return the rows above a text list that hold anything; the line ``sep=`` is none of them."""
    if not plan.preamble_lines:
        return ()
    with index.text_path.open("rb") as file:
        above, _ = cut_titles(file.read(index.text.head_bytes), plan)
    text = above.decode(index.text.encoding, "replace")
    found: list[Sequence[str]] = []
    try:
        records = split_records(text, plan.delimiter, is_whole=True, escape=index.text.escape)
        found = [record.cells for record in records if not record.is_blank]
    except BrokenFile:  # a title's quote that never closes
        found = [(line,) for line in text.splitlines() if line.strip()]
    if found and _SEP_LINE.match(plan.delimiter.join(found[0])):
        del found[0]
    return tuple(tuple(row) for row in found if any(map(str.strip, row)))
