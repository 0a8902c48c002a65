"""Search for one address in the rows of a finished project, in any column."""

import re

from winnow.core.addresses.address import duplicate_key, normalise
from winnow.lists.result.cell_queries import find_addresses, read_holding
from winnow.lists.result.cell_questions import CellReader

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
