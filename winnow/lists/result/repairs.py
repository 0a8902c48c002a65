"""Rows of finished lists that could be repaired."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from winnow.core.addresses.repair_kinds import RepairKind
from winnow.core.addresses.repairs import CORRECTABLE, Proposal
from winnow.core.tasks.input_plan import InputPlan
from winnow.core.tasks.repair_choice import RepairRow, Ways, name_domain_kind
from winnow.lists.result.cell_grid import read_emails
from winnow.lists.result.row_index import RowIndex, RowNumbers

_ROWS_AT_ONCE = 1 << 16
_APOSTROPHE = ord("'")
Propose = Callable[[str], Proposal | None]


@dataclass(frozen=True, slots=True)
class RepairableRows:
    """Rows of one result, counted from 0, with what is wrong with each: a place in ``ways``."""

    rows: NDArray[np.int64]
    indices: NDArray[np.uint32]
    ways: tuple[Ways, ...]

    def count(self) -> dict[Ways, int]:
        """Return how many rows have each fault."""
        counts = np.bincount(self.indices, minlength=len(self.ways)).tolist()
        return dict(zip(self.ways, counts, strict=True))

    def page(
        self,
        index: RowIndex,
        plan: InputPlan,
        propose: Propose,
        kinds: Collection[RepairKind],
        offset: int,
        limit: int,
    ) -> tuple[tuple[RepairRow, ...], int]:
        """Return some rows of these kinds from ``offset`` on, and how many there are in all."""
        names = [kind or name_domain_kind(domains) for kind, domains in self.ways]
        is_wanted = np.array([name in kinds for name in names], np.bool_)
        matching = self.rows[is_wanted[self.indices]] if len(names) else self.rows
        chosen = matching[offset : offset + limit]
        found, numbers = [], RowNumbers.open(index.folder).number_rows(chosen).tolist()
        for number, text in zip(numbers, read_emails(index, plan, chosen), strict=True):
            proposal = propose(text)
            if proposal is not None:
                kind = proposal.repair.kind if proposal.repair is not None else proposal.kind
                found.append(RepairRow(number, kind, text, proposal.new))
        return tuple(found), len(matching)


def find_candidates(index: RowIndex) -> NDArray[np.int64]:
    """Return the rows that may have something to repair: by their verdicts, or an apostrophe."""
    is_open = np.array(
        [not CORRECTABLE.isdisjoint(verdict.reasons) for verdict in index.verdicts], np.bool_
    )
    found = []
    for start, count in index.iterate_runs():
        is_candidate = is_open[index.verdict_indices(start, count)]
        data, bounds = index.read_rows(start, count)
        marks = np.flatnonzero(data == _APOSTROPHE)
        if len(marks):
            before = data[np.maximum(marks - 1, 0)]
            begins = (before == ord(index.text.delimiter)) | (before == ord('"')) | (before <= 32)
            rows = np.searchsorted(bounds, marks[begins | (marks == 0)], "right") - 1
            is_candidate[rows] = True
        found.append(np.flatnonzero(is_candidate) + start)
    return np.concatenate(found) if found else np.empty(0, np.int64)


def look_through(
    index: RowIndex,
    plan: InputPlan,
    candidates: NDArray[np.int64],
    propose: Propose,
    tick: Callable[[float], None],
) -> RepairableRows:
    """Look at candidates one by one; ``tick`` gets the share done, 0 to 1, and may raise."""
    numbers: dict[Ways, int] = {}
    rows: list[int] = []
    indices: list[int] = []
    for start in range(0, len(candidates), _ROWS_AT_ONCE):
        some = candidates[start : start + _ROWS_AT_ONCE]
        for row, text in zip(some.tolist(), read_emails(index, plan, some), strict=True):
            proposal = propose(text)
            if proposal is None:
                continue
            domains = None if proposal.target is None else (proposal.domain, proposal.target)
            ways = (None if proposal.repair is None else proposal.repair.kind, domains)
            rows.append(row)
            indices.append(numbers.setdefault(ways, len(numbers)))
        tick((start + len(some)) / len(candidates))
    found = np.array(rows, np.int64), np.array(indices, np.uint32)
    return RepairableRows(*found, tuple(numbers))
