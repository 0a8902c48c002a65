"""Search for one address, in any column of a finished project or of an uploaded list."""

import re
from dataclasses import dataclass

import numpy as np

from winnow.core.addresses.address import duplicate_key, normalise
from winnow.lists.format_registry import find_format
from winnow.lists.requests import RowsRequest
from winnow.lists.result.cell_queries import find_addresses, read_holding
from winnow.lists.result.cell_table import CellReader
from winnow.lists.text.arrow_cells import RowBlock

MENTIONS_READ_MOST = 10_000  # rows that hold the text, maybe within a longer address
_ATOM = r"A-Za-z0-9!#$%&'*+/=?^_`{|}~\-\x80-\U0010ffff"  # RFC 5322, 3.2.3; RFC 6531, 3.3


def find_rows(cells: CellReader, address: str) -> dict[int, bool]:
    """Find a well-formed address: case aside as duplicates are, in the email column and others.

    Returns:
        The rows by their numbers from 1, ascending, and whether the address is the row's own; the
        first of those that hold it in another column.

    Raises:
        FileNotFoundError: The folder holds no finished row index.
    """
    key = duplicate_key(address)
    rows, _ = cells.find(find_addresses, [key])
    found = {row + 1: True for row in rows.tolist()}
    for text in {normalise(address).lower(), key}:
        for row, row_cells in cells.find(read_holding, text, MENTIONS_READ_MOST):
            if row + 1 not in found and mentions(row_cells, text):
                found[row + 1] = False
    return dict(sorted(found.items()))


def mentions(text: str, address: str) -> bool:
    """Return whether a text holds an address by itself, not as a part of a longer one."""
    part = re.escape(address)
    whole = rf"(?<![{_ATOM}.]){part}(?![A-Za-z0-9_\x80-\U0010ffff-]|\.[A-Za-z0-9\x80-\U0010ffff])"
    return re.search(whole, text, re.IGNORECASE) is not None


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
