"""Comparison of two finished projects, address by address."""

from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.comparison import Comparison, Difference, DifferentAddress
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.verdict import Action, Verdict
from winnow.lists.result.added_columns import list_cells
from winnow.lists.result.cell_grid import read_emails, write_guarded
from winnow.lists.result.cell_queries import count_blank, pair_addresses
from winnow.lists.result.cell_table import CellReader
from winnow.lists.result.row_index import RowIndex
from winnow.lists.result.row_view import RowView

HEADER = (
    "email",
    "difference",
    "category_before",
    "domain_type_before",
    "category",
    "domain_type",
)
_ROWS_PER_PIECE = 65_536  # a few megabytes

_NOT_THERE = ("", "")
_CLASSES = (_NOT_THERE, *((one.value, kind.value) for one in Action for kind in DomainType))
Rows = NDArray[np.int64]


class ComparedProject:
    """One side: its distinct addresses, each by its last row, with the verdict of today."""

    def __init__(self, cells: CellReader, view: RowView | None, policy: CleaningPolicy) -> None:
        """Open a finished project; two bytes a row stay. ``policy`` says what to do with rows.

        Raises:
            FileNotFoundError: It holds no finished row index.
        """
        self.cells = cells
        self.index = RowIndex.open(cells.folder)
        view = view or RowView.as_judged(self.index)
        self.verdicts = view.verdicts
        self.policy = policy
        self.blank_rows = cells.find(count_blank)
        self._places = view.places(0, self.index.row_count)

    def read_verdicts(self, rows: Rows) -> list[Verdict | None]:
        """Return the verdicts of rows; None for -1."""
        return [None if row < 0 else self.verdicts[self._places[row]] for row in rows.tolist()]

    def number_classes(self, rows: Rows) -> Rows:
        """Return each row's action and type, by their place in ``_CLASSES``; 0 for -1."""
        find = self.policy.find_action
        classes = ((find(one).value, one.domain_type.value) for one in self.verdicts)
        of_verdict = [*map(_CLASSES.index, classes), 0]
        places = np.append(self._places.astype(np.int64), -1)  # the last is that of -1
        found: Rows = np.array(of_verdict, np.int64)[places[rows]]
        return found


class ComparedRows:
    """Which rows of two projects differ, and how."""

    def __init__(self, before: ComparedProject, now: ComparedProject) -> None:
        self._before, self._now = before, now
        old, new = before.cells.find(pair_addresses, now.cells.folder, now.cells.plan)
        was, is_now = before.number_classes(old), now.number_classes(new)
        pairs = pl.DataFrame({"old": old, "new": new, "was": was, "now": is_now})
        is_shared = (pl.col("old") >= 0) & (pl.col("new") >= 0)
        self._rows = {
            Difference.GONE: pairs.filter(pl.col("new") < 0).sort("old"),
            Difference.NEW: pairs.filter(pl.col("old") < 0).sort("new"),
            Difference.CHANGED: pairs.filter(is_shared, pl.col("was") != pl.col("now")).sort("new"),
        }
        self.comparison = self._summarise(pairs.filter(is_shared))

    def page(self, difference: Difference, offset: int, limit: int) -> tuple[DifferentAddress, ...]:
        """Return some of the addresses that differ in a way, in the order of their list."""
        part = self._rows[difference].slice(offset, limit)
        old, new = part["old"].to_numpy(), part["new"].to_numpy()
        side, rows = (self._before, old) if difference is Difference.GONE else (self._now, new)
        emails = read_emails(side.index, side.cells.plan, rows)
        before, now = self._before.read_verdicts(old), self._now.read_verdicts(new)
        return tuple(map(DifferentAddress, emails, before, now))

    def stream(self) -> Iterator[bytes]:
        """Yield the differences as CSV: gone, new, changed; each in its list's order.

        People who are not to be mailed, by the later project that has them, are left out.

        For Excel: in UTF-8 with a BOM, and no cell that would be taken for a formula.
        """
        yield BOM_UTF8 + write_guarded([HEADER], len(HEADER))
        for difference, rows in self._rows.items():
            for offset in range(0, len(rows), _ROWS_PER_PIECE):
                lines = (
                    (one.email, difference, *_list_cells(one.before), *_list_cells(one.now))
                    for one in self.page(difference, offset, _ROWS_PER_PIECE)
                    if not self._forbids(one)
                )
                yield write_guarded(lines, len(HEADER))

    def _forbids(self, one: DifferentAddress) -> bool:
        """Return whether mail to an address is forbidden, by either list."""
        verdicts = (verdict for verdict in (one.before, one.now) if verdict is not None)
        return any(map(self._now.policy.forbids, verdicts))

    def _summarise(self, shared: pl.DataFrame) -> Comparison:
        moves: Counter[tuple[str, str]] = Counter()
        for was, is_now, count in shared.group_by("was", "now").len().iter_rows():
            moves[_CLASSES[was][0], _CLASSES[is_now][0]] += count
        changed = self._rows[Difference.CHANGED]
        return Comparison(
            same=len(shared) - len(changed),
            blanks=self._before.blank_rows + self._now.blank_rows,
            by_action={
                one: _count_actions(rows["was" if one is Difference.GONE else "now"])
                for one, rows in self._rows.items()
            },
            moves=dict(moves),
        )


def _list_cells(verdict: Verdict | None) -> tuple[str, ...]:
    return list_cells(verdict) if verdict else _NOT_THERE


def _count_actions(numbers: pl.Series) -> dict[str, int]:
    counts = np.bincount(numbers.to_numpy(), minlength=len(_CLASSES)).tolist()
    found = Counter({action.value: 0 for action in Action})
    for (action, _), count in zip(_CLASSES[1:], counts[1:], strict=True):
        found[action] += count
    return dict(found)
