"""Which rows of a finished project a file names, kept so that a page need not look again."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from winnow.core.tasks.task import InputPlan
from winnow.lists.execution.run_files import create_durably
from winnow.lists.marks.keyed_hash import AddressHash
from winnow.lists.marks.named_keys import MemberTest, NamedKeys
from winnow.lists.marks.row_hashes import read_row_hashes
from winnow.lists.result.row_columns import RowIndex

Rows = NDArray[np.int64]


def find_named_rows(
    index: RowIndex, plan: InputPlan, files: Sequence[NamedKeys], hashes: AddressHash
) -> list[Rows]:
    """Return for each file the rows, counted from 0 and rising, whose address or domain it names.

    The list is read once for all of them; a row without a usable domain is nobody's.
    """
    names = list(index.read_names())
    by_domain = [
        np.concatenate(
            [np.zeros(1, np.bool_), *(keys.find_domains(some, hashes) for some in names)]
        )
        for keys in files
    ]
    tests = [MemberTest(keys.addresses) for keys in files]
    found: list[list[Rows]] = [[np.empty(0, np.int64)] for _ in files]
    for some in read_row_hashes(index, plan, hashes):
        for place, (test, is_named) in enumerate(zip(tests, by_domain, strict=True)):
            found[place].append(some.rows[test.find(some.addresses) | is_named[some.codes]])
    return [np.concatenate(rows) for rows in found]


def write_rows(rows: Rows, path: Path) -> None:
    """Write row numbers to a new file, synced."""
    with create_durably(path) as file:
        file.write(rows.astype("<u4").data)  # a list has fewer than 2**32 rows


def read_rows(path: Path) -> Rows:
    """Read what ``write_rows`` wrote.

    Raises:
        FileNotFoundError: There is no such file.
    """
    return np.fromfile(path, "<u4").astype(np.int64)
