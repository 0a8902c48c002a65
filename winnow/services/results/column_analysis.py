"""Counts of finished projects by their own columns, and of rows that policies keep."""

from collections.abc import Sequence
from dataclasses import dataclass

from winnow.core.lists.cleaning import CleaningEffect, CleaningPolicy, weigh
from winnow.core.lists.own_columns import (
    ColumnSplit,
    OwnColumn,
    ValueShare,
    name_own_column,
)
from winnow.services.results.results import Results

VALUES_SHOWN = 12


@dataclass(eq=False, repr=False)
class ColumnAnalysis:
    """Counts rows by column and policy, cached while a project is open. Synchronous, thread-safe.

    Every method raises as ``Results.opened``.
    """

    results: Results

    def list_columns(self, account: str, task_id: str) -> tuple[OwnColumn, ...]:
        """Return the columns with few enough values to count by."""
        with self.results.opened(account, task_id) as rows:
            return tuple(
                OwnColumn(place, name_own_column(rows.columns[place], place))
                for place in rows.own_columns.tables
            )

    def measure(
        self, account: str, task_id: str, policies: Sequence[CleaningPolicy]
    ) -> tuple[CleaningEffect, ...]:
        """Return what each policy keeps and removes, with the own lists of now."""
        with self.results.opened(account, task_id) as rows:
            counts = rows.count_verdicts()
        return tuple(weigh(policy, counts) for policy in policies)

    def split(
        self,
        account: str,
        task_id: str,
        place: int,
        policy: CleaningPolicy,
        most: int = VALUES_SHOWN,
    ) -> ColumnSplit | None:
        """Return what a policy removes by a column's values; None for one that has no groups."""
        with self.results.opened(account, task_id) as rows:
            table = rows.own_columns.tables.get(place)
            if table is None:
                return None
            by_outcome = rows.own_columns.outcome_rows
            verdicts = rows.own_columns.verdicts
            is_removed = [int(policy.removes(verdict)) for verdict in verdicts]
            column = OwnColumn(place, name_own_column(rows.columns[place], place))
        shown = zip(table.texts[:most], table.counts[:most], strict=True)
        shares = tuple(
            ValueShare(text, int(counts.sum()), int(counts @ is_removed)) for text, counts in shown
        )
        rest = ValueShare(
            "",
            int(by_outcome.sum()) - sum(share.rows for share in shares),
            int(by_outcome @ is_removed) - sum(share.removed for share in shares),
        )
        return ColumnSplit(column, shares, rest)
