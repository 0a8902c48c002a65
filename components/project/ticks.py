"""Ticked rows of a project's table, kept across pages and filters."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace

import streamlit as st

from winnow.core.lists.rows import TICKED_MAX, RowFilter, Ticked


@dataclass(frozen=True, slots=True)
class TableTicks:
    """The ticks of one project.

    ``is_full``: the last click would have ticked more rows than may be ticked one by one.
    """

    ticked: Ticked = field(default_factory=Ticked)
    is_full: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether no row was ticked or unticked."""
        return self.ticked == Ticked()


def read_ticks(task_id: str) -> TableTicks:
    """Return the ticks of a project in this session."""
    ticks: TableTicks = st.session_state.get(_name(task_id), TableTicks())
    return ticks


def settle_ticks(
    task_id: str, recall: Callable[[], Ticked], keep: Callable[[Ticked], None]
) -> TableTicks:
    """Return the ticks of a project; a new session reads those of the last session.

    Args:
        task_id: The project.
        recall: Returns the stored ticks.
        keep: Stores changed ticks.
    """
    state, kept = st.session_state, f"{_name(task_id)}_kept"
    if kept not in state:
        state[kept] = recall()
        state.setdefault(_name(task_id), TableTicks(state[kept]))
    ticks = read_ticks(task_id)
    if ticks.ticked != state[kept]:
        keep(ticks.ticked)
        state[kept] = ticks.ticked
    return ticks


def click_rows(task_id: str, before: Collection[int], now: Iterable[int]) -> None:
    """Store the rows that were ticked and unticked on the shown page.

    Args:
        task_id: The project.
        before: Numbers of the page's rows that were ticked.
        now: Numbers of those that are ticked now.
    """
    ticks = read_ticks(task_id)
    ticked = ticks.ticked.flip(set(before).symmetric_difference(now))
    if len(ticked.flipped) > TICKED_MAX:
        ticks = replace(ticks, is_full=True)
    else:
        ticks = replace(ticks, ticked=ticked, is_full=False)
    st.session_state[_name(task_id)] = ticks


def tick_all(task_id: str, row_filter: RowFilter) -> None:
    """Tick all rows that match a filter, instead of those ticked before."""
    st.session_state[_name(task_id)] = TableTicks(Ticked(row_filter))


def clear_ticks(task_id: str) -> None:
    """Untick every row."""
    st.session_state[_name(task_id)] = TableTicks()


def _name(task_id: str) -> str:
    return f"ticks_{task_id}"
