"""Beginning of a Parquet list: its columns and first rows."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices, Head
from winnow.lists.formats.parquet.cell_texts import word_column
from winnow.lists.formats.parquet.read import naming_faults, open_parquet
from winnow.lists.inspection.first_rows import GUESS_ROWS, describe_rows

_SHOWN_CHARACTERS = 1000  # of a cell, where columns are described


def inspect_parquet(path: Path, choices: Choices) -> Head:
    """Inspect a file; see ``ListFormat.read_head``. Its columns have their names."""
    with open_parquet(path) as source:
        names, row_count = source.names, source.row_count
        rows: list[tuple[str, ...]] = []
        for step in source.read():
            rows += _word_rows(step.slice(0, GUESS_ROWS))
            if len(rows) >= GUESS_ROWS:
                break
    numbered = [(1, names), *enumerate(rows[:GUESS_ROWS], start=1)]
    head = describe_rows(numbered, 0, replace(choices, has_header=True))
    return replace(
        head,
        file_format=FileFormat.PARQUET,
        size_bytes=path.stat().st_size,
        row_count=row_count,
        row_estimate=row_count,
    )


def _word_rows(table: pa.Table) -> Iterator[tuple[str, ...]]:
    with naming_faults():
        columns = [word_column(one, place).to_pylist() for place, one in enumerate(table.columns)]
    for cells in zip(*columns, strict=True):
        yield tuple(cell.decode("utf-8", "replace")[:_SHOWN_CHARACTERS] for cell in cells)
