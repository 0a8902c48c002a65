"""What a processing task is doing: phase, rows, rate, time left."""

from dataclasses import dataclass

import streamlit as st

from backend.core.tasks import Phase, Progress
from components.figures import count_things, show_count, show_duration
from components.words import PHASE_WORDS

_LEAST_SECONDS_FOR_RATE = 2.0


@dataclass(frozen=True, slots=True)
class Pace:
    """Where a phase stood when this page first saw it; ``seconds`` of any steady clock."""

    phase: Phase
    rows_done: int
    seconds: float


def measure_pace(progress: Progress, since: Pace | None, seconds: float) -> Pace:
    """Return where to measure the rate from: a new phase starts anew."""
    if since is None or since.phase is not progress.phase or since.rows_done > progress.rows_done:
        return Pace(progress.phase, progress.rows_done, seconds)
    return since


def find_rate(progress: Progress, since: Pace, seconds: float) -> float | None:
    """Return rows per second since then, None as long as that says little."""
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


def draw_progress(progress: Progress, rate: float | None) -> bool:
    """Draw it; return whether Cancel was pressed."""
    with st.container(border=True, key="progress"):
        st.html(_render_steps(progress.phase))
        st.progress(find_fraction(progress), text=describe_progress(progress, rate))
        with st.container(horizontal=True, vertical_alignment="center", key="progress_end"):
            st.caption("You can leave this page; the work goes on.", width="stretch")
            return st.button("Cancel", key="cancel_task", help="Stops it; nothing is charged.")


def describe_progress(progress: Progress, rate: float | None) -> str:
    """Return one line: ``"Reading: 12,000 of 48,201 rows, 31,000 rows a second, …"``."""
    if progress.phase is Phase.QUEUED:
        return PHASE_WORDS[Phase.QUEUED]
    if progress.rows_total:
        rows = f"{show_count(progress.rows_done)} of {count_things(progress.rows_total, 'row')}"
    else:
        rows = count_things(progress.rows_done, "row")
    parts = [f"{PHASE_WORDS[progress.phase]}: {rows}"]
    if rate:
        parts.append(f"{show_count(round(rate))} rows a second")
        done = find_fraction(progress)
        if done:
            left = progress.rows_done * (1 - done) / done / rate
            parts.append(f"{show_duration(left)} left in this step")
    return ", ".join(parts)


def _render_steps(now: Phase) -> str:
    items = "".join(
        f"<li{' class=w-now aria-current=step' if phase is now else ''}>{PHASE_WORDS[phase]}</li>"
        for phase in Phase
        if phase is not Phase.LOOKING_UP or now is Phase.LOOKING_UP
    )
    return f'<ol class="w-steps">{items}</ol>'
