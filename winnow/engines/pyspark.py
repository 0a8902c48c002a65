"""Verdicts in PySpark: whole frames by ``mapInArrow``, single columns by an Arrow UDF."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pyarrow as pa
from pyspark.sql.functions import arrow_udf
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StructType

from winnow.library.table_verdicts import TableVerdicts

_VALUE = "value"


def check(
    frame: Any,
    column: str,
    own_lists: Mapping[str, str] | None = None,
    *,
    duplicate_key: bool = False,
) -> Any:
    """Return a DataFrame with the verdict columns added.

    The domain data of this installation is sent to the executors with the function; those of
    another version refuse it. Rows of a partition are checked a million at a time.

    Args:
        frame: A DataFrame of Spark.
        column: Holds the addresses.
        own_lists: As for ``winnow.check``.
        duplicate_key: Whether a column of that name is added too; see ``winnow.duplicate_keys``.

    Raises:
        KeyError: There is no such column.
        TypeError: It is not a column of texts.
        ValueError: The frame has a column of a name that is added.
    """
    verdicts = TableVerdicts(
        column, own_lists, has_keys=duplicate_key, is_shipped=True, ignores_case=True
    )
    verdicts.extend(to_arrow_schema(frame.schema))
    added = from_arrow_schema(verdicts.added)
    return frame.mapInArrow(verdicts.add_to_batches, StructType([*frame.schema, *added]))


def make_udf(own_lists: Mapping[str, str] | None = None) -> Callable[[Any], Any]:
    """Return an Arrow UDF that gives a struct for each value of a column of texts.

    Spark hands it ``spark.sql.execution.arrow.maxRecordsPerBatch`` rows at a time, 10,000 by
    default; they are checked a million at a time, so that few calls judge the same domains.

    Args:
        own_lists: As for ``winnow.check``.
    """
    verdicts = TableVerdicts(_VALUE, own_lists, is_shipped=True)

    def check_values(batches: Iterator[pa.Array]) -> Iterator[pa.Array]:
        tables = (pa.record_batch([values], [_VALUE]) for values in batches)
        for checked in verdicts.add_to_batches(tables):
            yield checked.select(verdicts.added.names).to_struct_array()

    check_values.__annotations__ = {
        "batches": Iterator[pa.Array],
        "return": Iterator[pa.Array],
    }
    made: Callable[[Any], Any] = arrow_udf(check_values, from_arrow_schema(verdicts.added))
    return made
