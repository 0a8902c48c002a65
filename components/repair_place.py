"""The question where repaired addresses go: into a column of their own, or in their place."""

from collections.abc import Mapping

import streamlit as st

from winnow.core.tasks.repair_choice import RepairPlace
from winnow.words import mark, say

_PLACES: Mapping[RepairPlace, str] = {
    RepairPlace.COLUMN: mark("In a new column, email_repaired"),
    RepairPlace.REPLACE: mark("In place of the old addresses"),
}
_ABOUT_PLACES: Mapping[RepairPlace, str] = {
    RepairPlace.COLUMN: mark(
        "Your columns stay as they are. The new column has the address of every row, repaired or "
        "not, so you can mail it."
    ),
    RepairPlace.REPLACE: mark(
        "All other cells stay as they are. Where a cell cannot be replaced (a formula fills it, or "
        "the file is in an East Asian encoding), you get the new column instead."
    ),
}


def draw_place(key: str, first: RepairPlace = RepairPlace.COLUMN) -> RepairPlace:
    """Draw the question and what each answer means; return the answer, at first ``first``."""
    place = st.radio(
        say("Where the repaired addresses go"),
        list(RepairPlace),
        index=list(RepairPlace).index(first),
        format_func=lambda place: say(_PLACES[place]),
        key=key,
        horizontal=True,
    )
    place = place or RepairPlace.COLUMN
    st.caption(say(_ABOUT_PLACES[place]))
    return place
