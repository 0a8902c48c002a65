"""The beginning of a sheet, read as a run reads it."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial

import numpy as np
from numpy.typing import NDArray

from winnow.lists.engine.both_addresses import AddressCodes
from winnow.lists.engine.repairer import Repairer
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.formats.xlsx.archive import XlsxArchive, open_archive
from winnow.lists.formats.xlsx.cells import CellGrammar, read_row_number
from winnow.lists.formats.xlsx.emails import EmailValues
from winnow.lists.formats.xlsx.opened import OpenSheet
from winnow.lists.formats.xlsx.scan import SheetScanner
from winnow.lists.formats.xlsx.sheet import SheetStream
from winnow.lists.formats.xlsx.sheet_structure import read_tables
from winnow.lists.preview.list_part import NO_ROLES, ListPart, PartRequest

_STRINGS = "part.strings"


class _Beginning(SheetStream):
    """A worksheet whose rows end after so many bytes."""

    def __init__(self, archive: XlsxArchive, part: str, sheet: str, most_bytes: int) -> None:
        super().__init__(archive, part, sheet)
        self._most_bytes = most_bytes
        self.is_cut_off = False

    def regions(self) -> Iterator[bytes]:
        for region in super().regions():
            if self.bytes_done > self._most_bytes:
                self.is_cut_off = True
                return
            yield region


@contextmanager
def open_workbook_part(request: PartRequest, ranks: RowRanks) -> Iterator[ListPart]:
    """Read a sheet's beginning; ``ranks`` learns how its dates are read.

    Raises:
        BrokenFile: The workbook or its sheet cannot be read.
    """
    strings = request.scratch / _STRINGS
    try:
        with open_archive(request.path) as archive:
            yield _read(OpenSheet.open(archive, request.plan, strings), request, ranks)
    finally:
        with suppress(OSError):  # Windows keeps a file that is still mapped
            strings.unlink(missing_ok=True)


def _read(opened: OpenSheet, request: PartRequest, ranks: RowRanks) -> ListPart:
    sheet = opened.sheet
    stream = _Beginning(opened.archive, sheet.part, sheet.name, request.most_bytes)
    _, texts = opened.read()
    repair = request.options.repair
    values = EmailValues(NO_ROLES, None if repair is None else Repairer(repair))
    scan = SheetScanner(
        stream,
        texts,
        opened.strings,
        email_column=opened.plan.email_column,
        header_row=opened.header_row,
        first_row=opened.first_row,
        tables=read_tables(opened.archive, sheet),
        values=values,
        sheet=sheet.name,
        ranks=ranks,
        second_column=opened.plan.second_email_column,
        judges_both=opened.plan.judges_both,
    ).scan(lambda rows: None)
    first, *others = (
        AddressCodes(*values.gather(places)) for places in scan.both or (scan.places,)
    )
    return ListPart(
        first,
        scan.ranks,
        values.domains,
        not stream.is_cut_off,
        partial(_read_rows, opened, scan.numbers),
        others[0] if others else None,
    )


def _read_rows(
    opened: OpenSheet, numbers: NDArray[np.int32], places: NDArray[np.int64]
) -> list[tuple[int, tuple[str, ...]]]:
    wanted = set(numbers[places].tolist())
    stream, texts = opened.read()
    grammar = CellGrammar(stream.prefix)
    found: list[tuple[int, tuple[str, ...]]] = []
    for row in stream.rows():
        if len(found) == len(wanted):
            break
        number = read_row_number(row)
        if number not in wanted:
            continue
        _, _, cells = grammar.parse_row(row, number - 1)
        shown = [""] * (cells[-1].column + 1 if cells else 0)
        for cell in cells:
            shown[cell.column] = texts.read(cell)
        found.append((number, tuple(shown)))
    return found
