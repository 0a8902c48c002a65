"""Result folders made row by row, and what they take on the disk."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import polars as pl

from winnow.core.verdicts.verdict import Verdict
from winnow.lists.result.row_index_writer import RowIndexWriter
from winnow.lists.result.row_text import RowText

_USUAL = RowText()


def write_row_files(
    folder: Path, rows: Iterable[tuple[bytes, Verdict, str]], text: RowText = _USUAL
) -> None:
    """Write ``rows.csv`` and its index as for a workbook.

    Args:
        folder: Where to.
        rows: Each a CSV record in UTF-8 with its line end, its verdict, and its domain (``""``
            where the address has no usable one).
        text: What the records are like.
    """
    lines, verdicts, names = list(zip(*rows, strict=True)) or ((), (), ())
    numbers = {name: number for number, name in enumerate(dict.fromkeys(("", *names)))}
    indices = {verdict: place for place, verdict in enumerate(dict.fromkeys(verdicts))}
    (folder / text.file_name).write_bytes(b"".join(lines))
    writer = RowIndexWriter(folder)
    writer.append_numbers(len(lines), np.arange(len(lines)))
    writer.append(
        np.array([len(line) for line in lines], np.uint32),
        np.array([indices[verdict] for verdict in verdicts], np.uint16),
        np.array([numbers[name] for name in names], np.uint32),
    )
    domains = pl.Series(list(numbers)[1:], dtype=pl.String)
    writer.finish(list(indices), [domains], text)
