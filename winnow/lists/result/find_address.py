"""The rows of a finished project in which one address stands, in any column."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from winnow.core.addresses.address import duplicate_key, normalise
from winnow.core.own_lists.patterns import OwnLists
from winnow.core.tasks.task import InputPlan
from winnow.core.verdicts.facts import OwnEntry
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category
from winnow.lists.result.own_rows import find_addresses
from winnow.lists.result.result_rows import read_own_row
from winnow.lists.result.row_columns import RowIndex
from winnow.lists.result.row_search import search_rows

MENTIONS_READ_MOST = 10_000  # rows that hold the text, maybe within a longer address
_ATOM = r"A-Za-z0-9!#$%&'*+/=?^_`{|}~\-\x80-\U0010ffff"  # RFC 5322, 3.2.3; RFC 6531, 3.3


@dataclass(frozen=True, slots=True)
class FoundRow:
    """A row by its number from 1; ``is_email``: the address is the row's own."""

    number: int
    is_email: bool


@dataclass(frozen=True, slots=True)
class FoundRows:
    """All rows found, ascending. ``is_cut``: more held the text than were read."""

    rows: tuple[FoundRow, ...]
    is_cut: bool = False


def find_rows(result_dir: Path, plan: InputPlan, address: str) -> FoundRows:
    """Find a well-formed address: case aside as duplicates are, in the email column and beside it.

    Raises:
        FileNotFoundError: The folder holds no finished row index.
    """
    index = RowIndex.open(result_dir)
    plan = index.text.see(plan)
    key = duplicate_key(address)
    own = OwnLists.build(0, [OwnEntry(Category.BLACK, key, Reason.OWN_ADDRESS)])
    rows, _ = find_addresses(index, own, lambda number: read_own_row(index, plan, number)[1])
    found = dict.fromkeys(rows.tolist(), True)
    is_open = np.ones(index.row_count, np.bool_)
    is_open[rows] = False
    is_cut = False
    for text in {normalise(address).lower(), key}:
        held = np.flatnonzero(search_rows(index, text, is_open))
        is_cut |= len(held) > MENTIONS_READ_MOST
        for number in held[:MENTIONS_READ_MOST].tolist():
            cells, _ = read_own_row(index, plan, number)
            if any(mentions(cell, text) for cell in cells):
                found[number] = False
                is_open[number] = False
    ordered = tuple(FoundRow(number + 1, found[number]) for number in sorted(found))
    return FoundRows(ordered, is_cut)


def mentions(cell: str, address: str) -> bool:
    """Tell whether an address stands in a cell by itself, not as a part of a longer one."""
    part = re.escape(address)
    whole = rf"(?<![{_ATOM}.]){part}(?![A-Za-z0-9_\x80-\U0010ffff-]|\.[A-Za-z0-9\x80-\U0010ffff])"
    return re.search(whole, cell, re.IGNORECASE) is not None
