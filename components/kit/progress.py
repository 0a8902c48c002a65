"""Progress of lists: phase, rows, rate, time left."""

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from winnow.core.figures import show_duration
from winnow.core.tasks.task import Phase, Progress
from winnow.words import format_number, say, say_many, translatable

PHASE_WORDS: Mapping[Phase, str] = {
    Phase.QUEUED: translatable("Waiting for its turn"),
    Phase.READING: translatable("Reading"),
    # With the network off there are no look-ups.
    Phase.LOOKING_UP: translatable("Checking domains"),
    Phase.WRITING: translatable("Writing the result"),
    Phase.INDEXING: translatable("Preparing the table"),
}
_LEAST_SECONDS_FOR_RATE = 2.0


@dataclass(frozen=True, slots=True)
class Pace:
    """State of a phase when this page first saw it; ``seconds`` of a monotonic clock."""

    phase: Phase
    rows_done: int
    seconds: float


def measure_pace(progress: Progress, since: Pace | None, seconds: float) -> Pace:
    """Return the state from which to measure the rate; a new phase starts again."""
    if since is None or since.phase is not progress.phase or since.rows_done > progress.rows_done:
        return Pace(progress.phase, progress.rows_done, seconds)
    return since


def find_rate(progress: Progress, since: Pace, seconds: float) -> float | None:
    """Return rows per second since then; None while too few to be meaningful."""
    elapsed = seconds - since.seconds
    rows = progress.rows_done - since.rows_done
    return rows / elapsed if elapsed >= _LEAST_SECONDS_FOR_RATE and rows > 0 else None


def find_fraction(progress: Progress) -> float:
    """Return how much of the phase is done, 0 to 1: by rows where their number is known."""
    if progress.rows_total:
        return min(1.0, progress.rows_done / progress.rows_total)
    if progress.bytes_total:
        return min(1.0, progress.bytes_done / progress.bytes_total)
    return 0.0


def draw_progress(progress: Progress, rate: float | None, *, can_cancel: bool = True) -> bool:
    """Draw the progress bar; return whether Cancel was pressed."""
    with st.container(border=True, key="progress"):
        st.progress(find_fraction(progress), text=describe_progress(progress, rate))
        with st.container(horizontal=True, vertical_alignment="center", key="progress_end"):
            st.caption(say("You can leave this page; cleaning continues."), width="stretch")
            return can_cancel and st.button(
                say("Cancel"),
                key="cancel_task",
                help=say("Stops cleaning; your file is not changed."),
            )


def describe_progress(progress: Progress, rate: float | None) -> str:
    """Return the progress in words: ``"Reading: 12,000 of 48,201 rows, …"``."""
    phase = say(PHASE_WORDS[progress.phase])
    if progress.phase is Phase.QUEUED:
        return phase
    if progress.rows_total:
        done = format_number(progress.rows_done)
        parts = [
            say_many(
                progress.rows_total,
                "{phase}: {done} of {count} row",
                "{phase}: {done} of {count} rows",
                phase=phase,
                done=done,
            )
        ]
    else:
        parts = [
            say_many(
                progress.rows_done, "{phase}: {count} row", "{phase}: {count} rows", phase=phase
            )
        ]
    if rate:
        parts.append(say_many(round(rate), "{count} row per second", "{count} rows per second"))
        share = find_fraction(progress)
        if share:
            left = progress.rows_done * (1 - share) / share / rate
            parts.append(say("{time} left in this step", time=show_duration(left)))
    return ", ".join(parts)
