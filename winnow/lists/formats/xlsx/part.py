"""A sheet's rows for the preview, which reads its beginning as a run does, and for merging."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from winnow.lists.engine.address_codes import AddressCodes
from winnow.lists.engine.repairer import Repairer
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.execution.ordered import map_in_order
from winnow.lists.formats.xlsx.lines import SheetLines
from winnow.lists.formats.xlsx.opened import OpenSheet, open_sheet
from winnow.lists.formats.xlsx.scan import SheetScanner
from winnow.lists.preview.list_part import ListPart, PartRequest
from winnow.lists.requests import RowsRequest
from winnow.lists.result.empty_runs import expand_runs
from winnow.lists.text.row_block import RowBlock

T = TypeVar("T")


@contextmanager
def open_workbook_part(request: PartRequest, ranks: RowRanks) -> Iterator[ListPart]:
    """Read a sheet's beginning; ``ranks`` learns how its dates are read.

    Raises:
        BrokenFile: The workbook or its sheet cannot be read.
    """
    with open_sheet(request.path, request.plan, request.scratch / "part.strings") as opened:
        stream = opened.stream(request.most_bytes)
        repair = request.options.repair
        repairer = None if repair is None else Repairer(repair)
        scanner = SheetScanner(opened, stream, ranks, request.local_words, repairer)
        scanned = [(rows.addresses, rows.ranks) for rows in scanner]
        settled = [some for _, some in scanned if some is not None]
        yield ListPart(
            AddressCodes.join(addresses for addresses, _ in scanned),
            ranks.settle(np.concatenate(settled)) if settled else None,
            scanner.domains,
            not stream.is_cut_off,
            partial(_read_rows, opened, scanner.numbers),
        )


def _read_rows(
    opened: OpenSheet, numbers: NDArray[np.int32], places: NDArray[np.int64]
) -> list[tuple[int, tuple[str, ...]]]:
    wanted = numbers[places]
    found: list[tuple[int, tuple[str, ...]]] = []
    for cells in opened.stream().blocks():
        if len(found) == len(wanted):
            break
        is_wanted = np.isin(cells.numbers, wanted)
        if is_wanted.any():
            some = cells.pick(is_wanted, np.ones(len(cells.rows), np.bool_))
            for block in opened.texts.read(some):
                found += block.list_rows()
    return found


def read_sheet_rows(request: RowsRequest, work: Callable[[RowBlock], T]) -> Iterator[T]:
    """Yield the results for the rows; see ``ListFormat.read_rows``."""
    least = len(request.plan.columns)
    with (
        open_sheet(request.path, request.plan, request.scratch / "rows.strings") as opened,
        SheetLines(request.scratch / "rows.lines", request.plan.email_column) as lines,
    ):
        scanner = SheetScanner(opened, opened.stream(), RowRanks())
        is_row = [np.empty(0, np.bool_)]
        for rows in scanner:
            lines.add(rows.block, rows.is_shown)
            is_row.append(rows.is_row)
        width = max(scanner.columns.last + 1, least)

        def work_on(data: bytes) -> T:
            return work(RowBlock.of_lines(np.frombuffer(expand_runs(data, b","), np.uint8), least))

        found = (data for data, _ in lines.read(np.concatenate(is_row), width))
        yield from map_in_order(work_on, found)
