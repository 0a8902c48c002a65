"""Rewriting of a finished Parquet list with other rows or verdicts, for downloads."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from winnow.core.errors import BrokenFile
from winnow.lists.formats.parquet.result_file import ResultFile
from winnow.lists.formats.parquet.source import open_parquet, take_rows
from winnow.lists.requests import RewriteRequest
from winnow.lists.result.added_columns import name_columns

_NUMBERS = ("disposable_probability",)  # extra columns that hold one


def write_variant_parquet(request: RewriteRequest) -> None:
    """Write a result again with only the rows wanted; see ``ListFormat.rewrite``.

    An extra cell that is empty is a null; probabilities are numbers.
    """
    rows, choice = request.rows, request.export.choice
    keep = rows.select(request.export)
    codes = texts = None
    if rows.alters_result or choice.extra_columns:
        codes, texts = rows.list_added_cells(request.export)
    with open_parquet(request.result_path) as source:
        if source.row_count != len(keep):
            raise BrokenFile(
                "The result's rows do not agree with its row index.", hint="Clean the list again."
            )
        own_count = rows.added.find_first(len(source.names) - 1)
        kinds = [pa.string()] * rows.added.count
        kinds += [pa.float64() if one in _NUMBERS else pa.string() for one in choice.extra_columns]
        names = source.names[own_count:]
        names += name_columns(choice.extra_columns, source.names[:own_count])
        fields = [pa.field(name, kind) for name, kind in zip(names, kinds, strict=True)]
        words = None if texts is None else _list_words(texts, kinds)
        with ResultFile(request.out_path, source, own_count, fields) as out:
            first = 0
            for step, ends_group in source.read():
                wanted = np.flatnonzero(keep[first : first + step.num_rows])
                kept = take_rows(step, wanted)
                added = kept.columns[own_count:]
                if codes is not None and words is not None:
                    added = _merge(added, codes[first + wanted], words)
                out.write(kept, added, ends_group)
                first += step.num_rows


def _list_words(texts: tuple[tuple[str, ...], ...], kinds: list[pa.DataType]) -> list[pa.Array]:
    """Return the added cells column by column, the first for rows that keep what they have."""
    columns = zip(*texts, strict=True)
    return [
        pa.array([None, *(text or None for text in column)], pa.string()).cast(kind)
        for column, kind in zip(columns, kinds, strict=True)
    ]


def _merge(
    stored: list[pa.ChunkedArray], places: NDArray[np.uint32], words: list[pa.Array]
) -> list[pa.Array]:
    """Return each row's added cells: those of today, or the stored ones where places are 0."""
    chosen = [column.take(pa.array(places)) for column in words]
    is_stored = pa.array(places == 0)
    return [
        pc.if_else(is_stored, stored[number], column) if number < len(stored) else column
        for number, column in enumerate(chosen)
    ]
