"""Finished projects by their own columns: where bad rows gather, what policies keep and cost."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from winnow.core.lists.amounts import AmountTotals
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.named_policy import PolicyDifference, PolicyEffect, differ, measure
from winnow.core.lists.own_columns import (
    ColumnSplit,
    Hotspots,
    OwnColumn,
    OwnColumns,
    OwnValue,
    ValueShare,
    name_own_column,
    name_own_value,
)
from winnow.services.results import Results

if TYPE_CHECKING:
    from winnow.lists.result.result_rows import ResultRows

VALUES_SHOWN = 12


class ColumnAnalysis:
    """Answers by counts that are kept while a project is open. Synchronous and thread-safe.

    Every method raises as ``Results.opened``.
    """

    def __init__(self, results: Results) -> None:
        self._results = results

    def find_hotspots(self, account: str, task_id: str, policy: CleaningPolicy) -> Hotspots:
        """Return the values under which bad rows gather, or rows that go by a policy."""
        with self._results.opened(account, task_id) as rows:
            return rows.find_hotspots(policy)

    def list_columns(self, account: str, task_id: str) -> OwnColumns:
        """Return the columns that the list can be looked at by."""
        with self._results.opened(account, task_id) as rows:
            reader = rows.own_columns
            return OwnColumns(_name(rows, reader.tables), _name(rows, reader.amount_columns))

    def name_values(self, account: str, task_id: str, codes: Iterable[str]) -> Mapping[str, str]:
        """Return the column and the text of values by their codes; unknown ones are left out."""
        with self._results.opened(account, task_id) as rows:
            found = {}
            for code in codes:
                value = OwnValue.parse(code)
                text = rows.own_columns.find_text(value.column, value.number)
                if text is not None:
                    name = name_own_column(rows.columns[value.column], value.column)
                    found[code] = name_own_value(name, text)
            return found

    def measure(
        self, account: str, task_id: str, policies: Sequence[CleaningPolicy]
    ) -> tuple[PolicyEffect, ...]:
        """Return what each policy does to the rows, as the own lists show them now."""
        with self._results.opened(account, task_id) as rows:
            counts = rows.count_verdicts()
        return tuple(measure(policy, counts) for policy in policies)

    def differ(
        self, account: str, task_id: str, first: CleaningPolicy, second: CleaningPolicy
    ) -> PolicyDifference:
        """Return how many rows only one of two policies keeps."""
        with self._results.opened(account, task_id) as rows:
            return differ(first, second, rows.count_verdicts())

    def split(
        self,
        account: str,
        task_id: str,
        place: int,
        policies: Sequence[CleaningPolicy],
        most: int = VALUES_SHOWN,
    ) -> ColumnSplit | None:
        """Return what each policy keeps by a column's values; None for one that has no groups."""
        with self._results.opened(account, task_id) as rows:
            table = rows.own_columns.tables.get(place)
            if table is None:
                return None
            by_outcome = rows.own_columns.outcome_rows
            keeps = [_list_kept(rows, policy) for policy in policies]
            column = OwnColumn(place, name_own_column(rows.columns[place], place))
        sizes = table.rows
        largest = (-sizes).argsort(kind="stable")[:most].tolist()
        shares = tuple(
            ValueShare(
                table.texts[number],
                int(sizes[number]),
                tuple(int(table.counts[number] @ kept) for kept in keeps),
            )
            for number in largest
        )
        whole = ValueShare(
            "", int(by_outcome.sum()), tuple(int(by_outcome @ kept) for kept in keeps)
        )
        return ColumnSplit(column, shares, _subtract(whole, shares))

    def add_up(
        self, account: str, task_id: str, place: int, policies: Sequence[CleaningPolicy]
    ) -> AmountTotals | None:
        """Return what each policy keeps of a column's amounts; None for one without any."""
        with self._results.opened(account, task_id) as rows:
            if place not in rows.own_columns.amount_columns:
                return None
            found = rows.own_columns.sum(place)
            keeps = [_list_kept(rows, policy) for policy in policies]
            name = name_own_column(rows.columns[place], place)
        return AmountTotals(
            name,
            float(found.sums.sum()),
            tuple(float(found.sums @ kept) for kept in keeps),
            found.filled,
            found.unread,
            found.has_decimal_comma,
        )


def _name(rows: "ResultRows", places: Iterable[int]) -> tuple[OwnColumn, ...]:
    return tuple(OwnColumn(place, name_own_column(rows.columns[place], place)) for place in places)


def _list_kept(rows: "ResultRows", policy: CleaningPolicy) -> list[int]:
    """Return, by outcome, 1 where a policy keeps its rows and 0 where they go."""
    return [0 if policy.removes(verdict) else 1 for verdict in rows.own_columns.outcomes.verdicts]


def _subtract(whole: ValueShare, shares: Sequence[ValueShare]) -> ValueShare:
    kept = zip(whole.kept, *(share.kept for share in shares), strict=True)
    return ValueShare(
        "",
        whole.rows - sum(share.rows for share in shares),
        tuple(every - sum(some) for every, *some in kept),
    )
