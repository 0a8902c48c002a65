"""Notice on a project that the domain data is newer, with a button to check again."""

from collections.abc import Mapping
from datetime import date

import streamlit as st

from components.kit.notices import draw_error
from components.project.view import OpenedProject, go_to
from winnow.core.errors import WinnowError
from winnow.core.figures import show_count, show_date
from winnow.core.refresh import ListMove
from winnow.core.tasks.rechecks import DataDrift
from winnow.core.verdicts.verdict import Category
from winnow.core.verdicts.words import name_action
from winnow.words import say, say_many

CHECK_AGAIN, COUNT = "check_again", "count_drift"


def draw_data_drift(view: OpenedProject) -> None:
    """Draw the line of newer domain lists; nothing where project and data agree."""
    rechecks = view.services.rechecks
    drift = rechecks.find_drift(*view.ids)
    if drift is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="data_drift"):
        if drift.rows_moved is None and st.session_state.get(COUNT) == drift.now:
            with st.spinner(say("Checking the domains again…")):
                drift = rechecks.find_drift(*view.ids, at_any_size=True) or drift
        st.markdown(f":material/update: {describe_drift(drift)}", width="content")
        help_text = say("Makes a new project of the same name from the same file.")
        pressed = st.button(
            say("Check this list again"), key=CHECK_AGAIN, type="tertiary", help=help_text
        )
        if drift.rows_moved is None and st.button(
            say("Count the rows that would change"), type="tertiary"
        ):
            st.session_state[COUNT] = drift.now
            st.rerun()
    if pressed:
        try:
            made = rechecks.check_again(*view.ids)
        except WinnowError as error:
            kept = say("Nothing was started; this project stays as it is.")
            draw_error(error, kept=kept)
        else:
            go_to(made)


def describe_drift(drift: DataDrift) -> str:
    """Return in words what is different: ``"Checked with the domain lists of 3 Nov 2026; …"``."""
    judged, now = describe_version(drift.judged_with), describe_version(drift.now)
    sentence = (
        say("Checked with the domain lists of {day}, which have changed since.", day=judged)
        if judged == now
        else say(
            "Checked with the domain lists of {day}; there are newer ones, of {now}.",
            day=judged,
            now=now,
        )
    )
    sentence = f"{sentence}{describe_move(drift.move)}"
    changed = drift.rows_changed
    if changed is None:
        return sentence
    if changed == 0:
        same = say("Checked again, every row of this list would stay as it is.")
        return f"{sentence} {same}"
    rows = say_many(
        changed,
        "Checked again, **{count} row** of this list would change: {moves}.",
        "Checked again, **{count} rows** of this list would change: {moves}.",
        moves=describe_moves(drift.rows_moved or {}),
    )
    return f"{sentence} {rows}"


def describe_move(move: ListMove | None) -> str:
    """Return in words how many domains the lists gained and lost; empty if unknown."""
    if move is None:
        return ""
    if not (move.added or move.removed):
        return f" {say('They name the same domains.')}"
    gained, lost = show_count(move.added), show_count(move.removed)
    moved = say("{added} domains came, {removed} left.", added=gained, removed=lost)
    return f" {moved}"


def describe_moves(moves: Mapping[tuple[Category, Category], int]) -> str:
    """Return in words the verdicts that rows would get: ``"280 to ✕ remove, 32 to ◐ review"``."""
    counts: dict[Category, int] = {}
    for (_, category), rows in moves.items():
        counts[category] = counts.get(category, 0) + rows
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0].value))
    return ", ".join(
        say("{count} to {action}", count=show_count(rows), action=name_action(category))
        for category, rows in ordered
    )


def describe_version(data_version: str) -> str:
    """Return the day of a data version, or the version where it has none."""
    try:
        return show_date(date.fromisoformat(data_version[:10]))
    except ValueError:
        return data_version
