"""Count of the rows of a finished project that a new own-list entry would name."""

import numpy as np

from winnow.core.own_lists.patterns import OwnLists
from winnow.lists.result.cell_questions import CellReader
from winnow.lists.result.own_rows import find_addresses, iterate_runs, number_domains
from winnow.lists.result.row_columns import RowIndex


def count_named_rows(cells: CellReader, own: OwnLists) -> int:
    """Count the well-formed rows that any entry names.

    Raises:
        FileNotFoundError: The folder holds no finished row index.
    """
    index = RowIndex.open(cells.folder)
    rows, _ = find_addresses(index, cells, own)
    numbers = number_domains(index, own)
    if not numbers.any():
        return len(rows)
    by_domain = sum(
        int(np.count_nonzero(numbers[index.domain_codes(start, count)]))
        for start, count in iterate_runs(index.row_count)
    )
    return by_domain + len(rows)
