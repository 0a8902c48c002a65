"""Inspection of an uploaded Parquet file: its columns and first rows."""

from dataclasses import replace
from itertools import islice
from pathlib import Path

from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices, Head
from winnow.lists.formats.parquet.cell_texts import word_column
from winnow.lists.formats.parquet.source import ParquetSource, naming_faults, open_parquet
from winnow.lists.inspection.first_look import SAMPLE_ROWS, tell_columns
from winnow.lists.inspection.first_row import GUESS_ROWS

_SHOWN_CHARACTERS = 1000  # of a cell, where columns are described


def inspect_parquet(path: Path, choices: Choices) -> Head:
    """Inspect a file; see ``ListFormat.read_head``. Its columns have their names."""
    with open_parquet(path) as source:
        names, row_count = source.names, source.row_count
        rows = _read_first_rows(source)
    head = tell_columns(names, rows, replace(choices, has_header=True))
    return replace(
        head,
        file_format=FileFormat.PARQUET,
        size_bytes=path.stat().st_size,
        row_count=row_count,
        row_estimate=row_count,
        row_numbers=tuple(range(1, len(head.sample_rows) + 1))[:SAMPLE_ROWS],
    )


def _read_first_rows(source: ParquetSource) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for group in range(len(source.group_rows)):
        for step, _ in islice(source.read(groups=[group], most_rows=GUESS_ROWS), 1):
            with naming_faults():
                columns = [
                    [
                        text.decode("utf-8", "replace")[:_SHOWN_CHARACTERS]
                        for text in word_column(column, place).to_pylist()
                    ]
                    for place, column in enumerate(step.columns)
                ]
            rows += zip(*columns, strict=True)
        if len(rows) >= GUESS_ROWS:
            break
    return rows[:GUESS_ROWS]
