"""Verdicts in Dask: a frame's partitions checked by its workers."""

from collections.abc import Mapping
from typing import Any

import dask
import pandas as pd
import pyarrow as pa
from dask.base import tokenize

from winnow.library.table_verdicts import TableVerdicts


def check(
    frame: Any,
    column: str,
    own_lists: Mapping[str, str] | None = None,
    *,
    duplicate_key: bool = False,
) -> Any:
    """Return a Dask DataFrame with the verdict columns added.

    The domain data of this installation is sent once to each worker; workers of another version
    refuse it.

    Args:
        frame: A Dask DataFrame of pandas partitions.
        column: Holds the addresses.
        own_lists: As for ``winnow.check``.
        duplicate_key: Whether a column of that name is added too; see ``winnow.duplicate_keys``.

    Raises:
        KeyError: There is no such column.
        TypeError: It is not a column of texts.
        ValueError: The frame has a column of a name that is added.
        DomainDataDiffers: While it is computed: a worker is of another version.
    """
    verdicts = TableVerdicts(column, own_lists, has_keys=duplicate_key, is_shipped=True)
    sent = dask.delayed(verdicts, name=f"winnow-{tokenize(verdicts)}", traverse=False)
    return frame.map_partitions(_check_part, sent, meta=_check_part(frame._meta, verdicts))


def _check_part(part: pd.DataFrame, verdicts: TableVerdicts) -> pd.DataFrame:
    verdicts.extend(pa.schema([(name, pa.null()) for name in part.columns]))
    column = pa.Table.from_pandas(part[[verdicts.column]], preserve_index=False)
    checked = verdicts.add(column).select(verdicts.added.names)
    found = checked.to_pandas(types_mapper={pa.bool_(): pd.BooleanDtype()}.get)
    return part.assign(**{name: found[name].array for name in found.columns})
