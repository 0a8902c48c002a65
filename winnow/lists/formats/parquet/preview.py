"""A Parquet list for the preview: its email column whole where it is small, else parts of it.

Rows of a row group can only be read from its start, so of a long list the first rows of many row
groups are read.
"""

from collections.abc import Iterator
from functools import partial
from itertools import islice

import numpy as np
import pyarrow as pa

from winnow.lists.engine.both_addresses import AddressCodes
from winnow.lists.formats.parquet.addresses import AddressSteps, list_places, read_columns
from winnow.lists.formats.parquet.source import ParquetSource, open_parquet
from winnow.lists.preview.row_sample import RowSample
from winnow.lists.requests import SampleRequest

_ROWS_PER_STRETCH = 4096
_STRETCHES_MOST = 64  # row groups that are looked into
_SEED = 7


def sample_parquet(request: SampleRequest) -> RowSample:
    """Read the email column of a list, or of parts of it.

    Raises:
        BrokenFile: What is read is damaged.
    """
    places, limits = list_places(request.plan), request.limits
    with open_parquet(request.path) as source:
        is_whole = source.row_count <= limits.rows and (
            sum(map(source.measure_column, places)) <= limits.text_bytes
        )
        read_one = source.read_column
        if not is_whole:
            read_one = partial(_read_stretches, source, most_rows=limits.rows)
        read = AddressSteps(
            read_columns(read_one, places),
            places,
            request.role_names,
            judges_both=request.plan.judges_both,
        )
        steps = list(read)
        first, *others = map(AddressCodes.join, zip(*steps, strict=True))
        sizes = [len(blocks[0].codes) for blocks in steps]
        return RowSample(
            first.codes,
            first.flags,
            first.keys,
            np.repeat(np.arange(len(steps), dtype=np.uint32), sizes),
            read.domains,
            source.row_count,
            is_whole=is_whole,
            is_head_only=not is_whole and source.group_count == 1,
            others=others[0] if others else None,
        )


def _read_stretches(source: ParquetSource, column: int, most_rows: int) -> Iterator[pa.Table]:
    """Yield rows from the start of row groups picked at random, in the file's order."""
    filled = np.flatnonzero(source.group_rows)
    count = min(len(filled), _STRETCHES_MOST)
    groups = np.sort(np.random.default_rng(_SEED).choice(filled, count, replace=False))
    steps = max(1, most_rows // _ROWS_PER_STRETCH // count)
    for group in groups.tolist():
        yield from islice(source.read_group(group, column, most_rows=_ROWS_PER_STRETCH), steps)
