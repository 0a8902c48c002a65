"""Search for one address, in any column of a finished project or of an uploaded list."""

import re
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from winnow.core.addresses.address import duplicate_key, list_spellings
from winnow.lists.format_registry import find_format
from winnow.lists.requests import RowsRequest
from winnow.lists.result.cell_queries import find_addresses, read_holding
from winnow.lists.result.cell_table import CellReader
from winnow.lists.result.former import read_former
from winnow.lists.text.arrow_cells import RowBlock

_ASCII = re.compile(r"[\x00-\x7f]+")
MENTIONS_READ_MOST = 10_000  # rows that hold the text, maybe within a longer address
_BEYOND_ASCII = r"\xa1-\u1fff\u2070-\u2fff\u3001-\U0010ffff"  # without blanks and dashes
_ATOM = rf"A-Za-z0-9!#$%&'*+/=?^_`{{|}}~\-{_BEYOND_ASCII}"  # RFC 5322, 3.2.3; RFC 6531, 3.3


def find_rows(cells: CellReader, address: str) -> dict[int, bool]:
    """Find a well-formed address: case aside as duplicates are, in the email column and others.

    Returns:
        The rows by their numbers from 1, ascending, and whether the address is the row's own; those
        of a corrected address that had it, and the first that hold it in another column.

    Raises:
        FileNotFoundError: The folder holds no finished row index.
    """
    key = duplicate_key(address)
    rows, _ = cells.find(find_addresses, [key])
    former = zip(*read_former(cells.folder), strict=True)
    found = {int(row) + 1: False for row, one in former if one == key}
    found |= {row + 1: True for row in rows.tolist()}
    for text in list_spellings(address):
        for row, row_cells in cells.find(read_holding, text, MENTIONS_READ_MOST):
            if row + 1 not in found and mentions(row_cells, text):
                found[row + 1] = False
    return dict(sorted(found.items()))


def mentions(text: str, address: str) -> bool:
    """Return whether a text holds an address by itself, not as a part of a longer one."""
    part = re.escape(address)
    letters = rf"A-Za-z0-9{_BEYOND_ASCII}"
    whole = rf"(?<![{_ATOM}.]){part}(?![{letters}_-]|\.[{letters}])"
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
    key, texts, plan = duplicate_key(address), list_spellings(address), request.plan

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
            rows.append(AddressRow(number, cells, duplicate_key(email) == key))
        before += count if before else 0
    return rows


def _find_records(block: RowBlock, texts: Collection[str]) -> list[int]:
    """Return the rows of a block that may hold one of the texts: the longest part in ASCII."""
    lowered, found = block.data.tobytes().lower(), set()
    for text in {max(_ASCII.findall(text), key=len) for text in texts}:
        needle = text.encode()
        place = lowered.find(needle)
        while place >= 0:
            found.add(int(np.searchsorted(block.records.starts, place, side="right")) - 1)
            place = lowered.find(needle, place + 1)
    return sorted(found.intersection(block.rows.tolist())) if found else []
