"""Comparison of a finished project with an earlier list, address by address."""

import json
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.comparison import (
    Comparison,
    Difference,
    DifferentAddress,
    Wanted,
    find_difference,
)
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Action, Verdict
from winnow.lists.execution.run_files import create_durably
from winnow.lists.result.added_columns import ADDED, list_cells
from winnow.lists.result.cell_grid import read_emails, write_guarded
from winnow.lists.result.cell_queries import pair_addresses
from winnow.lists.result.cell_table import CellReader
from winnow.lists.result.row_index import Mask, RowIndex
from winnow.lists.result.row_view import RowView

HEADER = ("email", "difference", *(f"{name}_before" for name in ADDED), *ADDED)
_ROWS_PER_PIECE = 65_536  # a few megabytes
_VERDICTS, _BLANK_ROWS = b"verdicts", b"blank_rows"
_DIFFERENCES = (None, *Difference)
_IN_FILE = sorted(Difference, key=lambda one: one is not Difference.GONE)  # which is first
Rows = NDArray[np.int64]


class ComparedProject:
    """One side: its distinct addresses, each by its last row, with their verdicts."""

    def __init__(
        self, cells: CellReader, view: RowView | None, today: RowView | None = None
    ) -> None:
        """Open a finished project; a few bytes a row stay.

        Args:
            cells: Its cells.
            view: The verdicts to compare; None: as it was judged.
            today: As they are seen now, where that is another view.

        Raises:
            FileNotFoundError: It holds no finished row index.
        """
        self.cells = cells
        self.index = RowIndex.open(cells.folder)
        self.view = view or RowView.as_judged(self.index)
        self.today = today or self.view
        known = self.view.count_verdicts()
        self.blank_rows = sum(count for one, count in known if Reason.EMPTY in one.reasons)

    def find_verdicts(self, rows: Rows) -> Rows:
        """Return the indices of some rows' verdicts; -1 for -1."""
        indices = self.view.indices(0, self.index.row_count).astype(np.int64)
        found: Rows = np.append(indices, -1)[rows]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class PairedAddresses:
    """Distinct addresses of an earlier list and a later project; -1 where one is not there.

    Attributes:
        verdicts: Of the earlier list.
        old: Rows of the earlier list; -1 also where they are not kept.
        new: Rows of the later one.
        was: Places among ``verdicts``.
        blank_rows: Rows of the earlier list without an address.
    """

    verdicts: tuple[Verdict, ...]
    old: Rows
    new: Rows
    was: Rows
    blank_rows: int

    @classmethod
    def of(cls, before: ComparedProject, now: CellReader) -> "PairedAddresses":
        """Find the last row of each address in both; one query."""
        old, new = before.cells.find(pair_addresses, now.folder, now.plan)
        was = before.find_verdicts(old)
        return cls(before.view.verdicts, old, new, was, before.blank_rows)

    def write(self, path: Path) -> None:
        """Write them to a new file, synced, without the rows of the earlier list."""
        columns = {"new": self.new, "was": self.was}
        verdicts = json.dumps([one.to_json() for one in self.verdicts]).encode()
        rest = {_VERDICTS: verdicts, _BLANK_ROWS: str(self.blank_rows).encode()}
        with create_durably(path) as file:
            pq.write_table(pa.table(columns).replace_schema_metadata(rest), file)

    @classmethod
    def read(cls, path: Path) -> "PairedAddresses":
        """Read what ``write`` wrote."""
        table = pq.read_table(path)
        rest = table.schema.metadata
        verdicts = tuple(Verdict.from_json(one) for one in json.loads(rest[_VERDICTS]))
        new, was = (table[name].to_numpy() for name in ("new", "was"))
        return cls(verdicts, np.full(len(new), -1), new, was, int(rest[_BLANK_ROWS]))


class ComparedRows:
    """Which rows of a project differ from an earlier list, and how."""

    def __init__(
        self,
        paired: PairedAddresses,
        now: ComparedProject,
        policy: CleaningPolicy,
        before: ComparedProject | None = None,
        name_noes: Callable[[Rows, bool], Rows] = lambda rows, of_later: rows[:0],
    ) -> None:
        """Compare.

        Args:
            paired: The addresses of both.
            now: The later project.
            policy: Says what to do with each row.
            before: The earlier project, if it is one and is still there.
            name_noes: Returns the later rows of the mailboxes of some earlier ones, or the other
                way round of some ``of_later``.
        """
        self._verdicts, self._now, self._policy = paired.verdicts, now, policy
        self._before, self._name_noes = before, name_noes
        is_now = now.find_verdicts(paired.new)
        columns = {"old": paired.old, "new": paired.new, "was": paired.was, "now": is_now}
        pairs = pl.DataFrame(columns)
        kinds = pairs.group_by("was", "now").len()
        found = [
            _DIFFERENCES.index(find_difference(*self._read(was, now), policy))
            for was, now, _ in kinds.iter_rows()
        ]
        kinds = kinds.with_columns(pl.Series("kind", found, pl.UInt8))
        pairs = pairs.join(kinds.drop("len"), on=("was", "now"))
        self._rows = {
            one: pairs.filter(pl.col("kind") == _DIFFERENCES.index(one)).sort(
                "old" if one is Difference.GONE else "new"
            )
            for one in _IN_FILE
        }
        self.comparison = self._summarise(kinds, paired.blank_rows + now.blank_rows)

    def page(self, difference: Difference, offset: int, limit: int) -> tuple[DifferentAddress, ...]:
        """Return some of the addresses that differ in a way, in the order of their list.

        None of those that are gone where the earlier list is not kept.
        """
        return self._read_rows(difference, self._rows[difference].slice(offset, limit))

    def open_stream(self) -> Callable[[], Iterator[bytes]]:
        """Ask now what the cells are asked, so that its errors come before the file begins."""
        return partial(self._stream, self._may_mail)

    @property
    def file_rows(self) -> int:
        """How many addresses the file has; errors as ``open_stream``."""
        return sum(int(some.sum()) for some in self._may_mail.values())

    def _stream(self, may_mail: Mapping[Difference, pl.Series]) -> Iterator[bytes]:
        """Yield the differences as CSV, one kind after the other, each in its list's order.

        People who are not to be mailed, by either list, then or today, are left out.

        For Excel: in UTF-8 with a BOM, and no cell that would be taken for a formula.
        """
        yield BOM_UTF8 + write_guarded([HEADER], len(HEADER))
        for difference, rows in self._rows.items():
            for part in rows.filter(may_mail[difference]).iter_slices(_ROWS_PER_PIECE):
                lines = (
                    (one.email, difference, *_list_cells(one.before), *_list_cells(one.now))
                    for one in self._read_rows(difference, part)
                )
                yield write_guarded(lines, len(HEADER))

    def find_rows(self, wanted: Wanted) -> Rows:
        """Return the rows of the later project that a mail platform is to get, rising."""
        if wanted is Wanted.ADD:
            added = self._rows[Difference.NEW]["new"].to_numpy()
            return np.setdiff1d(added, self._named)
        rows = pl.concat(one for kind, one in self._rows.items() if kind is not Difference.GONE)
        was, is_now = self._forbid_pairs(rows)
        return np.sort(rows["new"].to_numpy()[is_now & ~was])

    @cached_property
    def _may_mail(self) -> dict[Difference, pl.Series]:
        """Which of the rows of each kind neither list forbids mail to."""
        found = {}
        for difference, rows in self._rows.items():
            was, is_now = self._forbid_pairs(rows)
            forbidden = was | is_now
            if self._before is not None:
                forbidden |= np.append(self._forbidden, False)[rows["old"].to_numpy()]
                forbidden |= np.isin(rows["new"].to_numpy(), self._named)
                forbidden |= np.isin(rows["old"].to_numpy(), self._named_before)
            found[difference] = pl.Series(~forbidden, dtype=pl.Boolean)
        return found

    @cached_property
    def _forbidden(self) -> Mask:
        """Which rows of the earlier project, if it is there, are not to be mailed, then or now."""
        views = () if self._before is None else (self._before.view, self._before.today)
        found = (
            _forbid(self._policy, one.verdicts)[one.indices(0, one.index.row_count)]
            for one in views
        )
        return np.logical_or.reduce([*found]) if views else np.empty(0, np.bool_)

    @cached_property
    def _named(self) -> Rows:
        """Rows of the later project that reach people who said no or bounced in the earlier."""
        noes = np.flatnonzero(self._forbidden)
        return self._name_noes(noes, False) if len(noes) else noes

    @cached_property
    def _named_before(self) -> Rows:
        """Rows of the earlier project that reach people whom the later one forbids mail to."""
        view = self._now.view
        is_no = _forbid(self._policy, view.verdicts)[view.indices(0, view.index.row_count)]
        noes = np.flatnonzero(is_no)
        return self._name_noes(noes, True) if len(noes) else noes

    def _read(self, was: int, now: int) -> tuple[Verdict | None, Verdict | None]:
        verdicts = self._now.view.verdicts
        before = None if was < 0 else self._verdicts[was]
        return before, None if now < 0 else verdicts[now]

    def _read_rows(
        self, difference: Difference, rows: pl.DataFrame
    ) -> tuple[DifferentAddress, ...]:
        side, name = self._now, "new"
        if difference is Difference.GONE:
            if self._before is None:
                return ()
            side, name = self._before, "old"
        emails = read_emails(side.index, side.cells.plan, rows[name].to_numpy())
        verdicts = (self._read(*pair) for pair in rows.select("was", "now").iter_rows())
        found = zip(emails, verdicts, strict=True)
        return tuple(DifferentAddress(email, *pair) for email, pair in found)

    def _forbid_pairs(self, rows: pl.DataFrame) -> tuple[Mask, Mask]:
        """Return whether mail to each address was forbidden by the earlier list, and is now."""
        was = _forbid(self._policy, self._verdicts)[rows["was"].to_numpy()]
        return was, _forbid(self._policy, self._now.view.verdicts)[rows["now"].to_numpy()]

    def _summarise(self, kinds: pl.DataFrame, blanks: int) -> Comparison:
        by_action = {one: dict.fromkeys(map(str, Action), 0) for one in Difference}
        same = 0
        for was, now, count, kind in kinds.iter_rows():
            difference, (before, after) = _DIFFERENCES[kind], self._read(was, now)
            seen = after or before
            if difference is None:
                same += count
            elif seen is not None:
                by_action[difference][self._policy.find_action(seen)] += count
        return Comparison(same, blanks, by_action)


def _forbid(policy: CleaningPolicy, verdicts: Sequence[Verdict]) -> Mask:
    """Return which verdicts forbid mail; no verdict does not, the last."""
    return np.array([*map(policy.forbids, verdicts), False], np.bool_)


def _list_cells(verdict: Verdict | None) -> tuple[str, ...]:
    return list_cells(verdict) if verdict else ("",) * len(ADDED)
