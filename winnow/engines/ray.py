"""Verdicts in Ray Data: a dataset's blocks checked by its workers."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import ray

from winnow.library.table_verdicts import TableVerdicts


def check(
    dataset: Any,
    column: str,
    own_lists: Mapping[str, str] | None = None,
    *,
    duplicate_key: bool = False,
) -> Any:
    """Return a Dataset with the verdict columns added.

    The domain data of this installation is put into Ray's object store for the workers; those of
    another version refuse it. Errors about the column are raised while the dataset runs: before
    that, Ray does not know its columns.

    Args:
        dataset: A Ray Dataset.
        column: Holds the addresses.
        own_lists: As for ``winnow.check``.
        duplicate_key: Whether a column of that name is added too; see ``winnow.duplicate_keys``.
    """
    verdicts = TableVerdicts(column, own_lists, has_keys=duplicate_key, is_shipped=True)
    return dataset.map_batches(
        _check_block,
        fn_kwargs={"stored": ray.put(verdicts)},
        batch_format="pyarrow",
        batch_size=None,  # a block unchanged
        udf_modifying_row_count=False,
    )


def _check_block(block: pa.Table, stored: Any) -> pa.Table:
    verdicts: TableVerdicts = ray.get(stored)
    return verdicts.add(block)
