"""What a processing task is doing: phase, rows, rate, time left."""

from dataclasses import dataclass

import streamlit as st

from components.markdown import escape_markdown
from components.words import PHASE_WORDS
from winnow.core.figures import count_things, show_count, show_duration
from winnow.core.tasks.task import Phase, Progress, QueuePlace

_LEAST_SECONDS_FOR_RATE = 2.0
_SHARES = {  # of the whole work, as lists without look-ups take it
    Phase.QUEUED: 0.0,
    Phase.READING: 0.4,
    Phase.LOOKING_UP: 0.15,
    Phase.WRITING: 0.4,
    Phase.INDEXING: 0.05,
}
_ORDER = {phase: place for place, phase in enumerate(Phase)}


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


def find_overall(progress: Progress) -> float:
    """Return how much of the whole work is done, 0 to 1, by what each phase usually takes."""
    before = sum(
        share for phase, share in _SHARES.items() if _ORDER[phase] < _ORDER[progress.phase]
    )
    return min(1.0, before + _SHARES[progress.phase] * find_fraction(progress))


def draw_progress(progress: Progress, rate: float | None, place: QueuePlace | None = None) -> bool:
    """Draw it; return whether Cancel was pressed. ``place`` is where it waits, if it does."""
    with st.container(border=True, key="progress"):
        st.html(_render_steps(progress.phase))
        st.progress(
            find_fraction(progress), text=escape_markdown(describe_progress(progress, rate, place))
        )
        with st.container(horizontal=True, vertical_alignment="center", key="progress_end"):
            st.caption("You can leave this page; the work goes on.", width="stretch")
            return st.button("Cancel", key="cancel_task", help="Stops it; nothing is charged.")


def describe_progress(
    progress: Progress, rate: float | None, place: QueuePlace | None = None
) -> str:
    """Return one line: ``"Reading: 12,000 of 48,201 rows, 31,000 rows a second, …"``."""
    if progress.phase is Phase.QUEUED:
        return describe_place(place)
    if progress.rows_total:
        rows = f"{show_count(progress.rows_done)} of {count_things(progress.rows_total, 'row')}"
    else:
        rows = count_things(progress.rows_done, "row")
    parts = [f"{PHASE_WORDS[progress.phase]}: {rows}"]
    if rate:
        parts.append(f"{count_things(round(rate), 'row')} a second")
        done = find_fraction(progress)
        if done:
            left = progress.rows_done * (1 - done) / done / rate
            parts.append(f"{show_duration(left)} left in this step")
    return ", ".join(parts)


def describe_place(place: QueuePlace | None) -> str:
    """Return where it waits: ``"Waiting for its turn: 2nd in the queue, behind customers"``."""
    if place is None or (place.number == 1 and place.behind is None):
        return PHASE_WORDS[Phase.QUEUED]
    where = "next" if place.number == 1 else f"{_show_ordinal(place.number)} in the queue"
    behind = f", behind {place.behind}" if place.behind is not None else ""
    return f"{PHASE_WORDS[Phase.QUEUED]}: {where}{behind}"


def _show_ordinal(number: int) -> str:
    ending = "th" if number // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{show_count(number)}{ending}"


def _render_steps(now: Phase) -> str:
    items = "".join(
        f"<li{' class=w-now aria-current=step' if phase is now else ''}>{PHASE_WORDS[phase]}</li>"
        for phase in Phase
    )
    return f'<ol class="w-steps">{items}</ol>'
