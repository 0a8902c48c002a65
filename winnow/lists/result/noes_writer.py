"""Writer of what rows say of mail to a mailbox, removed rows included (``result/noes.py``)."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from winnow.core.addresses.mailbox import GMAIL, MAILBOX_DOMAINS, find_base
from winnow.core.meaning.columns import ColumnMeaning, MailDecisions, read_cell
from winnow.core.meaning.outcomes import Outcome
from winnow.core.verdicts.reasons import Reason
from winnow.lists.engine.duplicates import number_mailboxes
from winnow.lists.engine.parsed_value import hash_texts
from winnow.lists.engine.row_codes import FAULT_CODES, FIRST_FAULT
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.engine.said_cells import SaidCells, read_meanings
from winnow.lists.execution.row_store import KEYS_AT_ONCE, RowStore
from winnow.lists.execution.run_files import create_durably
from winnow.lists.result.cell_table import CellReader
from winnow.lists.result.former import PAIRS_MOST, read_former
from winnow.lists.result.noes import NOES, VALUES, name_cells, read_wrapped
from winnow.lists.result.row_index import RowIndex

_VALUES_KEPT = 1_000  # of a column
_SILENT = (Outcome.MAIL, Outcome.DELIVERED, Outcome.NOTHING)


def write_noes(
    result: CellReader,
    said: SaidCells,
    store: RowStore,
    canonical: NDArray[np.uint32],
    is_gone: NDArray[np.bool_],
    ranks: RowRanks,
    number_rows: Callable[[NDArray[np.int64]], NDArray[np.int64]],
    decisions: MailDecisions,
    tag_domains: frozenset[str],
) -> None:
    """Write the rows of each mailbox that any row says something of.

    Args:
        result: Of the list, written.
        said: What was read.
        store: The rows of the first pass, with ``boxes``.
        canonical: One code for the domains of one mailbox.
        is_gone: Which rows are removed.
        ranks: Settle dates, where the rule has a column of them.
        number_rows: Gives the numbers of rows in the file.
        decisions: On columns and values.
        tag_domains: Those with plus tags.
    """
    plan = result.plan
    cells = said.read()
    counts, is_kept = np.zeros(len(cells), np.int64), ~is_gone
    for one in _read(store, canonical):
        counts += np.bincount(one.numbers[one.is_row], minlength=len(cells))
        is_kept[one.start : one.start + len(one.is_row)] &= one.is_row
    values = said.count(cells, counts)
    meanings = read_meanings(plan.columns, values, plan.email_column, decisions)
    is_noted = np.zeros(len(cells), np.bool_)
    for meaning in meanings:
        place = said.indices.index(meaning.position)
        noted = _choose_noted(meaning, values[meaning.position], decisions)
        is_noted |= np.fromiter((some[place] in noted for some in cells), np.bool_, len(cells))
    boxes = [one.boxes[one.is_named & is_noted[one.numbers]] for one in _read(store, canonical)]
    wanted = pl.Series(np.concatenate(boxes)).unique().sort().to_numpy()
    pieces = []
    for one in _read(store, canonical):
        is_wanted = pl.Series(one.boxes).is_in(pl.Series(wanted).implode()).to_numpy()
        indices = np.flatnonzero(is_wanted & one.is_named)
        groups = np.searchsorted(wanted, one.boxes[indices])
        pieces.append((indices + one.start, groups, one.numbers[indices]))
    rows, groups, numbers = (np.concatenate(some) for some in zip(*pieces, strict=True))
    result_rows = np.cumsum(is_kept, dtype=np.uint32)[rows].astype(np.int64) - 1
    when = np.zeros(len(rows), np.uint64)
    if ranks.rule.date_column is not None:
        when = ranks.settle(store.read("ranks")[rows])
    kept = np.flatnonzero(~is_gone[rows])
    kept = kept[np.argsort(result_rows[kept])]
    of_rows, keys = read_wrapped(result, result_rows[kept])
    former, came = read_former(result.folder)
    of_rows, keys = np.append(of_rows, former), [*keys, *came]
    pairs, crowds = _pair_rows(result, of_rows, keys, store, is_kept, tag_domains)
    of_box = pl.DataFrame({"other": result_rows[kept], "mailbox": groups[kept]})
    crowded = crowds.join(of_box, left_on="row", right_on="other")
    if len(crowded):
        groups = _join_boxes(crowded, len(wanted))[groups]
    of_box = of_box.with_columns(mailbox=groups[kept])
    of_crowd = crowded.unique("crowd").select("crowd", other="row")
    pairs = pl.concat([pairs, crowds.join(of_crowd, on="crowd").select("row", "other")]).unique()
    joined = pairs.join(of_box, on="other")
    nothing = np.zeros(len(joined), np.int64)
    columns = {
        "mailbox": pa.array(np.append(groups, joined["mailbox"]), pa.uint32()),
        "number": pa.array(np.append(number_rows(rows), nothing), pa.uint32()),
        "row": pa.array(
            np.append(np.where(is_gone[rows], -1, result_rows), joined["row"]), pa.int64()
        ),
        "when": pa.array(np.append(when, nothing.astype(np.uint64)), pa.uint64()),
    }
    used, indices = np.unique(numbers, return_inverse=True)
    indices = pa.array(np.append(indices, nothing + len(used)))
    for place, some in zip(said.indices, zip(*cells, strict=True), strict=True):
        texts = pa.array([*(some[number] for number in used.tolist()), ""], pa.string())
        columns[name_cells(place)] = texts.take(indices).dictionary_encode()
    listed = {place: dict(some.most_common(_VALUES_KEPT)) for place, some in values.items()}
    import pyarrow.parquet as pq

    with create_durably(result.folder / NOES) as file:
        table = pa.table(columns).replace_schema_metadata({VALUES: json.dumps(listed)})
        texts = list(map(name_cells, said.indices))  # numbers are larger with a dictionary
        pq.write_table(table, file, compression="zstd", compression_level=1, use_dictionary=texts)


def _pair_rows(
    result: CellReader,
    of_rows: NDArray[np.int64],
    keys: Sequence[str],
    store: RowStore,
    is_kept: NDArray[np.bool_],
    tag_domains: frozenset[str],
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return which rows of the result reach the same person: ``row`` and ``other``.

    And the rows of addresses with over ``PAIRS_MOST`` pairs, whose mailboxes are joined instead:
    ``row`` and ``crowd``, a number of the address.

    ``of_rows`` hold or had other addresses than their own: ``keys``. ``is_kept`` says which rows of
    the store are the result's.
    """
    if not keys:
        none = pl.DataFrame(schema={"row": pl.Int64, "other": pl.Int64, "crowd": pl.UInt32})
        return none.select("row", "other"), none.select("row", "crowd")
    parts = [key.rpartition("@")[::2] for key in keys]
    bases = [find_base(*one, tag_domains.__contains__) for one in parts]
    index = RowIndex.open(result.folder)
    codes = index.find_domains({*(domain for _, domain in parts), *MAILBOX_DOMAINS, GMAIL})
    all_codes = index.domain_codes(0, index.row_count)
    found = np.flatnonzero(np.isin(all_codes, codes))
    names = pl.Series(index.name_domains(codes), dtype=pl.String)
    there = names.gather(np.searchsorted(codes, all_codes[found]))
    held = pl.DataFrame({"row": of_rows, "domain": [domain for _, domain in parts]})
    held = held.with_columns(box=hash_texts(bases))
    boxes = store.read("boxes")[is_kept][found]
    own = pl.DataFrame({"row": found, "domain": there, "box": boxes})
    held, others = (
        some.with_columns(pl.col("domain").replace(MAILBOX_DOMAINS))
        for some in (held, pl.concat([held, own]))
    )
    by = ["domain", "box"]
    counts = others.group_by(by).len("others").join(held.group_by(by).len("held"), on=by)
    is_crowd = pl.col("others").cast(pl.Int64) * pl.col("held") > PAIRS_MOST
    crowd = counts.filter(is_crowd).select(by).with_row_index("crowd")
    crowds = others.join(crowd, on=by).select("row", "crowd").unique(maintain_order=True)
    pairs = held.join(crowd, on=by, how="anti").join(others, on=by)
    pairs = pairs.select("row", other="row_right")
    pairs = pl.concat([pairs, pairs.select(row="other", other="row")])
    return pairs.filter(pl.col("row") != pl.col("other")).unique(maintain_order=True), crowds


def _join_boxes(crowded: pl.DataFrame, count: int) -> NDArray[np.int64]:
    """Return for each of so many mailboxes the one that it is joined with, by shared crowds."""
    homes = list(range(count))

    def find(one: int) -> int:
        while homes[one] != one:
            homes[one] = one = homes[homes[one]]
        return one

    for boxes in crowded.group_by("crowd").agg("mailbox")["mailbox"].to_list():
        for one in boxes:
            homes[find(one)] = find(boxes[0])
    return np.array([find(one) for one in homes], np.int64)


class _Stretch(NamedTuple):
    """Some rows; ``boxes`` are alike for one mailbox, ``is_named`` is false for blank addresses."""

    start: int
    numbers: NDArray[np.uint32]
    boxes: NDArray[np.uint64]
    is_row: NDArray[np.bool_]
    is_named: NDArray[np.bool_]


def _read(store: RowStore, canonical: NDArray[np.uint32]) -> Iterator[_Stretch]:
    """Yield the rows of the first pass, a stretch at a time."""
    for start in range(0, store.row_count, KEYS_AT_ONCE):
        codes, numbers, boxes = (
            store.read(name, start, KEYS_AT_ONCE) for name in ("codes", "said", "boxes")
        )
        is_row = codes >= FIRST_FAULT
        is_named = is_row & (codes != FAULT_CODES[Reason.EMPTY])
        boxes = number_mailboxes(boxes, canonical[codes])
        yield _Stretch(start, numbers, boxes, is_row, is_named)


def _choose_noted(
    meaning: ColumnMeaning, cells: Iterable[str], decisions: MailDecisions
) -> frozenset[str]:
    """Return the cells whose rows are written down: they forbid mail, or may once decided on."""
    unknown = {word.value for word in meaning.words if meaning.applied and not word.is_known}
    outcomes = {cell: read_cell(meaning, cell, decisions) for cell in cells}
    return frozenset(
        cell
        for cell, outcome in outcomes.items()
        if outcome.forbids or (meaning.applied and outcome not in _SILENT) or cell in unknown
    )
