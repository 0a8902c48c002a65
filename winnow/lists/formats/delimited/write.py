"""Writing of a text list's result: each kept record again, with the added cells after it."""

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial

import numpy as np

from winnow.core.tasks.task import Phase
from winnow.lists.engine.augment import (
    AugmentedBlock,
    RecordBytes,
    Suffixes,
    augment_block,
    make_room,
    put_addresses,
)
from winnow.lists.execution.durable_file import DurableFile
from winnow.lists.execution.ordered import map_in_order
from winnow.lists.formats.delimited.read import RecordsFile
from winnow.lists.list_source import ResultPlan, StoredRows, WrittenRows
from winnow.lists.result.added_columns import list_cells
from winnow.lists.result.row_text import (
    RESULT_NAME,
    ROWS_TEXT_NAME,
    RowText,
    quote_cell,
    word_tail,
)
from winnow.lists.text.block_reader import fill_from


def write_result(
    source: RecordsFile, widest: int, result: ResultPlan, blocks: Iterator[StoredRows]
) -> Generator[WrittenRows, None, RowText]:
    """Write the rows that were read, and return what their text is like; see ``ListSource.write``.

    ``widest`` is how many cells the widest record has.
    """
    plan = source.plan
    form = RowText(
        file_name=ROWS_TEXT_NAME if source.is_made else RESULT_NAME,
        encoding=source.codec,
        delimiter=plan.delimiter,
        width=widest + bool(result.extra),
        has_verdicts=True,
        added_count=len(result.names),
        escapes=source.style or "",
        repaired=result.repaired,
        original="" if result.repaired else result.extra,
    )
    cells = [word_tail(list_cells(one), form) for one in result.table.verdicts]
    header = word_tail(result.names, form)
    suffixes = Suffixes((*cells, header), plan.delimiter.encode(), form.width)
    work = partial(_augment, source, result, suffixes, form)
    path = result.folder / form.file_name
    written, head_bytes = len(source.above), 0
    rows_end: int | None = None  # of those written
    with closing(DurableFile(path)) as file:
        file.write(np.frombuffer(source.above, np.uint8))
        for text, rows in map_in_order(work, _locate(source, blocks)):
            file.write(np.frombuffer(text.data, np.uint8))
            if len(rows.sizes):
                if rows_end is None:
                    head_bytes = rows_end = written + text.first_start
                rows.sizes[0] = int(rows.sizes[0]) + written - rows_end
                rows_end += int(rows.sizes.sum(dtype=np.int64))
            written += len(text.data)
            yield replace(rows, head_bytes=head_bytes)
        file.sync()
    if source.is_made:
        row_count = result.row_count
        report = partial(result.reporter.report, Phase.WRITING, row_count, row_count)
        source.restore(path, result.folder / RESULT_NAME, report)
    return replace(form, head_bytes=head_bytes)


def _locate(source: RecordsFile, blocks: Iterator[StoredRows]) -> Iterator[tuple[int, StoredRows]]:
    """Yield blocks with their offsets in the file."""
    offset = len(source.above)
    for stored in blocks:
        yield offset, stored
        offset += int(stored.columns.sizes.sum(dtype=np.int64))


def _augment(
    source: RecordsFile,
    result: ResultPlan,
    suffixes: Suffixes,
    form: RowText,
    item: tuple[int, StoredRows],
) -> tuple[AugmentedBlock, WrittenRows]:
    offset, stored = item
    rows = stored.columns
    indices = result.table.find_indices(rows.codes, rows.flags, rows.keys)
    size_bytes = int(rows.sizes.sum(dtype=np.int64))
    data = make_room(size_bytes)
    with source.path.open("rb", buffering=0) as file:
        file.seek(offset)
        fill_from(file, data[:size_bytes])
    records = RecordBytes(data, rows.sizes, rows.widths)
    if result.extra:
        repaired = rows.repaired
        texts = (quote_cell(text, form) for text in (result.extra, *repaired.new))
        header, *cells = (text.encode(form.encoding) for text in texts)
        records = put_addresses(
            *(data, rows, repaired.rows, cells, header, suffixes), has_former=result.has_former
        )
    text = augment_block(records, rows.codes, stored.is_kept, indices, suffixes)
    return text, WrittenRows.of(
        result.table, stored, indices, text.rows, text.row_sizes, records.addresses
    )
