"""The rows of an uploaded list in which one address is found, removed duplicates among them."""

from dataclasses import dataclass

import numpy as np

from winnow.core.addresses.address import duplicate_key, normalise
from winnow.lists.format_registry import find_format
from winnow.lists.requests import RowsRequest
from winnow.lists.result.find_address import mentions
from winnow.lists.text.arrow_cells import RowBlock


@dataclass(frozen=True, slots=True)
class AddressRow:
    """A row of a list's file. ``number`` is its number there, from 1; 0 where it is not known."""

    number: int
    cells: tuple[str, ...]
    is_email: bool


def find_address_rows(request: RowsRequest, address: str) -> list[AddressRow]:
    """Read a list from beginning to end for the rows that hold an address in any cell.

    Raises:
        BrokenFile: With the line or the sheet.
    """
    texts = {normalise(address).lower(), duplicate_key(address)}
    plan = request.plan

    def work(block: RowBlock) -> tuple[int, list[tuple[int, tuple[str, ...]]]]:
        found = [
            (record, cells)
            for record in _find_records(block, texts)
            for cells in [block.read_cells(record)]
            if any(mentions(cell, text) for cell in cells for text in texts)
        ]
        return len(block.records.starts), found

    rows, before = [], plan.preamble_lines + 1 if plan.file_format.traits.is_text else 0
    for count, found in find_format(plan.file_format).read_rows(request, work):
        for record, cells in found:
            email = cells[plan.email_column] if plan.email_column < len(cells) else ""
            number = before + record if before else 0
            rows.append(AddressRow(number, cells, duplicate_key(email) in texts))
        before += count if before else 0
    return rows


def _find_records(block: RowBlock, texts: set[str]) -> list[int]:
    """Return the rows of a block that hold one of the texts, ASCII case aside."""
    lowered, found = block.data.tobytes().lower(), set()
    for text in texts:
        needle = text.encode()
        place = lowered.find(needle)
        while place >= 0:
            found.add(int(np.searchsorted(block.records.starts, place, side="right")) - 1)
            place = lowered.find(needle, place + 1)
    return sorted(found.intersection(block.rows.tolist())) if found else []
