"""The rows of a Parquet list as lines of CSV."""

from collections.abc import Callable, Iterator
from typing import TypeVar

from winnow.lists.execution.ordered import map_in_order
from winnow.lists.formats.parquet.cell_texts import word_lines
from winnow.lists.formats.parquet.source import open_parquet
from winnow.lists.requests import RowsRequest
from winnow.lists.text.row_block import RowBlock

T = TypeVar("T")


def read_table_rows(request: RowsRequest, work: Callable[[RowBlock], T]) -> Iterator[T]:
    """Yield what comes of the rows; as ``ListFormat.read_rows``."""
    width = len(request.plan.columns)
    with open_parquet(request.path) as source:
        steps = (step for step, _ in source.read_whole() if step.num_rows)
        yield from map_in_order(
            lambda step: work(RowBlock.of_lines(word_lines(step)[0], width)), steps
        )
