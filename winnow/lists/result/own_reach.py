"""How many rows of a finished project an entry names, counted before it is made."""

from pathlib import Path

import numpy as np

from winnow.core.own_lists.patterns import OwnLists
from winnow.core.tasks.task import InputPlan
from winnow.lists.result.own_rows import find_addresses, iterate_runs, number_domains
from winnow.lists.result.result_rows import read_own_row
from winnow.lists.result.row_columns import RowIndex


def count_named_rows(result_dir: Path, plan: InputPlan, own: OwnLists) -> int:
    """Count the well-formed rows that any entry names.

    Raises:
        FileNotFoundError: The folder holds no finished row index.
    """
    index = RowIndex.open(result_dir)
    plan = index.text.see(plan)
    rows, _ = find_addresses(index, own, lambda number: read_own_row(index, plan, number)[1])
    numbers = number_domains(index, own)
    if not numbers.any():
        return len(rows)
    by_domain = sum(
        int(np.count_nonzero(numbers[index.domain_codes(start, count)]))
        for start, count in iterate_runs(index.row_count)
    )
    return by_domain + len(rows)
