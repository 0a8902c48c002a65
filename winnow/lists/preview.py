"""Preview of a list's result, within a second or two: its beginning is read as a run reads it."""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.judging.judge import Judge
from winnow.core.lists.previews import (
    DuplicateGroup,
    DuplicatePreview,
    DuplicateRow,
    ListHealth,
    Preview,
)
from winnow.core.meaning.columns import MailDecisions, read_cell
from winnow.core.tasks.input_plan import InputPlan
from winnow.core.tasks.keep_rule import KeepRule
from winnow.core.tasks.repair_choice import RepairChoice
from winnow.core.tasks.run_request import USUAL, RunRequest
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import ALWAYS_SHOWN, Action
from winnow.lists.engine.domain_texts import parse_spellings
from winnow.lists.engine.duplicates import number_mailboxes
from winnow.lists.engine.row_codes import FAULT_CODES, FIRST_FAULT
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.engine.said_cells import SaidCells, read_meanings
from winnow.lists.engine.verdict_table import begin_seen, judge_domains, mark_seen
from winnow.lists.execution.row_store import RowStore, find_gone
from winnow.lists.format_registry import find_format
from winnow.lists.inspection.first_rows import shorten
from winnow.lists.list_source import ListSource, ReadOptions
from winnow.lists.requests import RowsRequest

MOST_BYTES = 48_000_000  # of the file, or of a sheet's XML: a second's work, or two
MOST_ROWS = 1_000_000
SHOWN_GROUPS = 6  # of duplicates
SHOWN_ROWS = 6  # of a group
_MOST_CELLS = 100
_BLOCK_BYTES = 1 << 20
_JUDGED_ROWS = 20_000
_SEED = 5

_PLACE_OF = {action: place for place, action in enumerate(Action)}
_Indices = NDArray[np.int64]


@contextmanager
def open_part(
    request: RowsRequest, reading: ReadOptions, most_bytes: int
) -> Iterator[tuple[ListSource, RowStore, bool]]:
    """Read a list's beginning as a run does; ``reading.ranks`` learns how its dates are read.

    Args:
        request: The list.
        reading: What is found out about each row.
        most_bytes: How much is read; what a block holds beyond it is read as well.

    Yields:
        The open list, its rows with blank lines and the header, and whether these are all.

    Raises:
        InputError: A run would fail for the same reason.
    """
    opened = replace(request, block_bytes=min(_BLOCK_BYTES, most_bytes), most_bytes=most_bytes)
    with (
        find_format(request.plan.file_format).open_source(opened) as source,
        RowStore(request.scratch) as store,
    ):
        bytes_done = 0
        is_cut_off = False
        for rows in source.read(reading):
            if bytes_done > most_bytes or store.row_count > MOST_ROWS:
                is_cut_off = True
                break
            store.append(rows)
            bytes_done = source.bytes_done
        store.finish()
        yield source, store, source.is_whole and not is_cut_off


def preview_list(
    path: Path,
    plan: InputPlan,
    judge: Judge,
    scratch: Path,
    *,
    row_count: int | None = None,
    most_bytes: int = MOST_BYTES,
    asked: RunRequest = USUAL,
) -> Preview:
    """Return what a list will come out as, by its first rows.

    Args:
        path: The file; it is only read.
        plan: How it is to be read.
        judge: Gives the verdicts. It must be one that makes no requests.
        scratch: An existing folder for temporary files.
        row_count: How many rows the list has, or about how many.
        most_bytes: Of text, or of a sheet's XML.
        asked: Of the run; of duplicates the last row stays.

    Raises:
        InputError: The list cannot be read, and a run would fail for the same reason.
    """
    request, mail, joins = RowsRequest(path, plan, scratch), asked.mail, asked.keep.joins_aliases
    knowledge, ranks = judge.knowledge, RowRanks(KeepRule(joins_aliases=joins))
    reading = ReadOptions(knowledge.local_words, ranks, asked.repair, knowledge.tag_domains, mail)
    with open_part(request, reading, most_bytes) as (source, store, is_whole):
        codes, flags, keys = map(store.read, ("codes", "flags", "keys"))
        rows = np.flatnonzero(codes >= FIRST_FAULT)  # neither the header nor a blank line is one
        count, wanted = len(rows), rows
        if count > _JUDGED_ROWS:  # at random, the same each time
            wanted = np.sort(np.random.default_rng(_SEED).choice(rows, _JUDGED_ROWS, replace=False))
        seen = mark_seen(begin_seen(), codes[wanted], flags[wanted])
        table = judge_domains(source.domains, seen, judge)
        spellings = table.spellings
        boxes = spellings.join_mailboxes()
        is_gone = find_gone(store, boxes if joins else spellings.canonical, ranks)
        values, is_no, torn = _read_said(source.said, store, plan, codes, boxes, mail)
    actions = [list(Action).index(one.category.action) for one in table.verdicts]

    def measure(some: NDArray[np.intp]) -> ListHealth:
        """Return the shares among some rows."""
        found = np.array(actions)[table.find_indices(codes[some], flags[some], keys[some])]
        found[is_no[some] & (found != _PLACE_OF[Action.REMOVE])] = _PLACE_OF[Action.DO_NOT_MAIL]
        shares = np.bincount(found, minlength=len(ALWAYS_SHOWN)) / max(1, len(some))
        invalid = int(np.count_nonzero(spellings.faults[codes[some]])) / max(1, len(some))
        return ListHealth(dict(zip(ALWAYS_SHOWN, shares.tolist(), strict=True)), invalid)

    return Preview(
        rows=count if is_whole else max(row_count or 0, count + 1),
        judged=len(wanted),
        read=count,
        duplicates=int(np.count_nonzero(is_gone)),
        as_it_is=measure(wanted),
        kept=measure(wanted[~is_gone[wanted]]) if is_whole else None,
        data_version=judge.knowledge.data_version,
        values=values,
        torn=torn,
    )


def _read_said(
    said: SaidCells | None,
    store: RowStore,
    plan: InputPlan,
    codes: NDArray[np.uint32],
    canonical: NDArray[np.uint32],
    mail: MailDecisions,
) -> tuple[tuple[Mapping[str, int], ...], NDArray[np.bool_], int]:
    """Return the cells of columns about mail with their rows, which rows' mailboxes have a no.

    The last is how many mailboxes have a row that objects to mail, and one that does not.
    """
    numbers = store.read("said")
    if said is None or not len(numbers):
        return (), np.zeros(len(codes), np.bool_), 0
    cells, is_row = said.read(), codes >= FIRST_FAULT
    is_named = is_row & (codes != FAULT_CODES[Reason.EMPTY])
    counts = np.bincount(numbers[is_row], minlength=len(cells))
    values = said.count(cells, counts)
    found = read_meanings(plan.columns, values, plan.email_column, mail)
    columns = [one for one in found if one.applied]
    places = [(one, said.indices.index(one.position)) for one in columns]
    outcomes = [[read_cell(one, some[place], mail) for one, place in places] for some in cells]
    forbids = np.array([any(one.forbids for one in some) for some in outcomes], np.bool_)
    objects = np.array([any(one.is_objection for one in some) for some in outcomes], np.bool_)
    says_no = forbids[numbers] & is_row
    boxes = number_mailboxes(store.read("boxes"), canonical[codes])
    is_no = np.isin(boxes, boxes[says_no & is_named]) & is_named
    is_own = objects[numbers]
    torn = len(np.intersect1d(boxes[is_named & is_own], boxes[is_named & ~is_own]))
    width = 1 + max(len(plan.columns), *said.indices)
    return tuple(values.get(place, Counter()) for place in range(width)), is_no, torn


def preview_duplicates(
    request: RowsRequest,
    keep: KeepRule,
    repair: RepairChoice | None,
    tag_domains: frozenset[str] | None = None,
) -> DuplicatePreview:
    """Show what removing duplicates does to a list, or to its beginning; see ``open_part``.

    Raises:
        InputError: The list cannot be read, and a run would fail for the same reason.
    """
    ranks = RowRanks(keep)
    reading = ReadOptions({}, ranks, repair, tag_domains)
    with open_part(request, reading, MOST_BYTES) as (source, store, is_whole):
        spellings, joins = parse_spellings(source.domains), keep.joins_aliases
        canonical = spellings.join_mailboxes() if joins else spellings.canonical
        is_gone = find_gone(store, canonical, ranks)
        codes, keys = store.read("codes"), store.read(ranks.compared)
        settled = ranks.settle(store.read("ranks")) if ranks.rule.has_ranks else None
        domain_codes = canonical[codes]
        pairs = pl.DataFrame({"key": keys, "code": domain_codes})
        doubled = pairs[np.flatnonzero(is_gone)].unique(maintain_order=True)
        groups = [
            np.flatnonzero((keys == key) & (domain_codes == code) & (codes >= FIRST_FAULT))
            for key, code in doubled.head(SHOWN_GROUPS).rows()
        ]
        shown = [_pick_rows(rows, is_gone) for rows in groups]
        wanted = np.unique(np.concatenate([np.empty(0, np.int64), *shown]))
        found = source.list_rows(wanted) if len(wanted) else ()
        read = dict(zip(wanted.tolist(), found, strict=True))

    def show(place: int) -> DuplicateRow:
        """Return a row as people see it."""
        number, cells = read[place]
        rank = "" if settled is None else ranks.word(int(settled[place]))
        shown_cells = tuple(map(shorten, cells[:_MOST_CELLS]))
        return DuplicateRow(number, shown_cells, not is_gone[place], rank)

    return DuplicatePreview(
        groups=tuple(
            DuplicateGroup(tuple(map(show, some.tolist())), len(rows))
            for rows, some in zip(groups, shown, strict=True)
        ),
        group_count=len(doubled),
        row_count=int(np.count_nonzero(codes >= FIRST_FAULT)),
        is_whole=is_whole,
        notices=ranks.list_notices(request.plan.columns),
        is_guess=ranks.dates.is_guess,
    )


def _pick_rows(rows: _Indices, is_gone: NDArray[np.bool_]) -> _Indices:
    """Return the first rows of a group and the one that stays."""
    stays = rows[~is_gone[rows]]
    others = rows[is_gone[rows]][: SHOWN_ROWS - len(stays)]
    return np.sort(np.concatenate((others, stays)))
