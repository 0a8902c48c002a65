"""The address of each row of a finished project as one number, for telling two projects apart."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.addresses.address import normalise
from winnow.core.tasks.task import InputPlan
from winnow.core.verdicts.reasons import Reason
from winnow.lists.engine.domain_texts import DomainTexts
from winnow.lists.engine.row_codes import FAULT_CODES, FIRST_DOMAIN
from winnow.lists.result.row_cells import read_row_cells
from winnow.lists.result.row_columns import RowIndex

_MIX = np.uint64(0x9E3779B97F4A7C15)  # 2**64 by the golden ratio: Knuth, volume 3, 6.4


@dataclass(frozen=True, slots=True)
class RowKeys:
    """One entry a row. Equal addresses (decisions on ``deduplicate``) have equal keys.

    Different ones share a key by chance only: about one pair in 370,000 lists of ten million.
    ``is_blank`` marks empty email cells, which equal nothing. Keys are comparable within one
    process only.
    """

    keys: NDArray[np.uint64]
    is_blank: NDArray[np.bool_]


def read_keys(index: RowIndex, plan: InputPlan) -> RowKeys:
    """Read a finished project's rows once more; 9 bytes a row stay in memory."""
    texts = DomainTexts(FIRST_DOMAIN)
    names = [name.hash() for name in index.read_names()]
    by_name = np.concatenate([np.zeros(1, np.uint64), *(hashes.to_numpy() for hashes in names)])
    keys = np.empty(index.row_count, np.uint64)
    is_blank = np.empty(index.row_count, np.bool_)
    for cells in read_row_cells(index, plan):
        addresses = cells.addresses.number_domains(texts)
        codes, count = addresses.codes[cells.places], len(cells.places)
        place = slice(cells.start, cells.start + count)
        by_domain = by_name[index.domain_codes(cells.start, count)]
        _hash_unusable(by_domain, codes, texts)
        keys[place] = (addresses.keys[cells.places] * _MIX) ^ by_domain
        is_blank[place] = codes == FAULT_CODES[Reason.EMPTY]
    return RowKeys(keys, is_blank)


def _hash_unusable(
    by_domain: NDArray[np.uint64], codes: NDArray[np.uint32], texts: DomainTexts
) -> None:
    """Put the hash of the text after the at-sign where it is no usable domain."""
    rows = np.flatnonzero((by_domain == 0) & (codes >= FIRST_DOMAIN))
    if len(rows):
        distinct, places = np.unique(codes[rows], return_inverse=True)
        names = [normalise(text).lower() for text in texts.read(distinct).to_list()]
        hashes = pl.Series(names, dtype=pl.String).hash().to_numpy()
        by_domain[rows] = hashes[places]
