"""Offer to correct addresses of a finished list: a line with a button, rows old → new."""

from functools import partial

import streamlit as st

from components.frame.error_boundary import fragment, guard
from components.kit.notices import draw_error
from components.project.repair_choosing import (
    count_repairs,
    draw_repair_choice,
    forget_choice,
)
from components.project.view import OpenedProject, go_to
from winnow.core.addresses.repair_kinds import SAFE_KINDS, RepairKind
from winnow.core.errors import WinnowError
from winnow.core.figures import show_count
from winnow.core.tasks.repair_choice import RepairChoice, RepairOffer
from winnow.words import say, say_many

ROWS_OF_A_KIND = 100  # shown before anything is pressed; choosing one by one shows them all
OPEN, LOOK, START, START_SAFE = "repair_open", "repair_look", "repair_start", "repair_start_safe"
SHOW = "repair_table"
_TABLE_PX = 260
_ROWS_IN_FULL = 6


@fragment()
def draw_repair_offer(view: OpenedProject) -> None:
    """Draw the line of addresses that can be corrected, with its table; nothing without any."""
    repairs = view.services.repairs
    offer = repairs.find(*view.ids)
    if offer.candidates is not None:
        offer = _look_through(view, offer.candidates)
    if not offer.total:
        return
    task_id = view.task.task_id
    with st.container(key="repairs", gap="small"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(
                f":material/healing: {_write_count(offer)} {_write_doubt(offer)}", width="content"
            )
            chosen = None
            if st.session_state.get(OPEN) != task_id:
                chosen = _draw_presses(task_id, offer)
        if st.session_state.get(OPEN) == task_id:
            chosen = _draw_choosing(view, offer)
        elif st.session_state.get(SHOW) == task_id:
            _draw_first_rows(view, offer)
    if chosen is not None:
        try:
            made = repairs.run(*view.ids, chosen)
        except WinnowError as error:
            kept = say("Nothing was started; this project stays as it is.")
            draw_error(error, kept=kept)
        else:
            st.session_state[OPEN] = st.session_state[SHOW] = None
            go_to(made)


def _write_count(offer: RepairOffer) -> str:
    return say_many(
        offer.total,
        "**{count} address** can be corrected.",
        "**{count} addresses** can be corrected.",
    )


def _write_doubt(offer: RepairOffer) -> str:
    """Return in words how many corrections are safe."""
    safe = _count_safe(offer)
    if safe == offer.total:
        return say("No other address can be meant.")
    if not safe:
        return say("Look at them first: another address may be meant.")
    return say_many(safe, "{count} is safe.", "{count} are safe.")


def _count_safe(offer: RepairOffer) -> int:
    return offer.count(offer.choose(tuple(SAFE_KINDS)))


def _draw_first_rows(view: OpenedProject, offer: RepairOffer) -> None:
    """Draw the rows old → new, the doubtful kinds first, since they need a review."""
    import pandas as pd

    list_page = partial(view.services.repairs.page, *view.ids)
    kinds = sorted(offer.count_kinds(), key=lambda kind: kind.is_safe)
    rows = [row for kind in kinds for row in list_page((kind,), 0, ROWS_OF_A_KIND)[0]]
    frame = pd.DataFrame(
        {
            "old": [row.old for row in rows],
            "new": [row.new for row in rows],
            "kind": [_name_kind(row.kind) for row in rows],
            "number": [row.number for row in rows],
        }
    )
    with st.container(key="repair_rows"):
        st.dataframe(
            frame,
            hide_index=True,
            height=_TABLE_PX if len(rows) > _ROWS_IN_FULL else "content",
            alt=say("Addresses as they are written, and as they would be"),
            column_config={
                "old": st.column_config.TextColumn(say("As it is written"), width=300),
                "new": st.column_config.TextColumn(say("Corrected"), width=240),
                "kind": st.column_config.TextColumn(say("What is wrong"), width=340),
                "number": st.column_config.NumberColumn(
                    say("Row"), format="localized", width="small"
                ),
            },
        )
        if len(rows) < offer.total:
            st.caption(
                say(
                    "The first {most} of each kind are shown here. Choose one by one to see all.",
                    most=show_count(ROWS_OF_A_KIND),
                )
            )


def _name_kind(kind: RepairKind) -> str:
    words = say(kind.words)
    return say("safe: {kind}", kind=words) if kind.is_safe else say("likely: {kind}", kind=words)


def _draw_presses(task_id: str, offer: RepairOffer) -> RepairChoice | None:
    """Draw the buttons that fix addresses in one press; return the choice of the pressed one."""
    state = st.session_state
    everything = offer.choose(tuple(offer.count_kinds()))
    safe_ones = offer.choose(tuple(SAFE_KINDS))
    count, safe = offer.count(everything), offer.count(safe_ones)

    def choose() -> None:
        forget_choice()
        state[OPEN] = task_id

    chosen = None
    with st.container(horizontal=True, vertical_alignment="center", width="content", gap="small"):
        if _press_start(count):
            chosen = everything
        if 0 < safe < count and state.get(SHOW) == task_id:
            label = say_many(safe, "Correct the {count} safe one", "Correct the {count} safe ones")
            if st.button(label, key=START_SAFE):
                chosen = safe_ones
        if state.get(SHOW) != task_id:
            look = guard(partial(state.update, {SHOW: task_id}))
            st.button(say("Show them"), key="repair_list", type="tertiary", on_click=look)
        else:
            st.button(
                say("Choose one by one"), key="repair_show", type="tertiary", on_click=guard(choose)
            )
    return chosen


def _press_start(count: int) -> bool:
    """Draw the button that fixes so many addresses; return whether it was pressed."""
    label = say_many(count, "Correct {count} address", "Correct {count} addresses")
    help_text = say("Makes a new project, which you can undo. Column email_original keeps the old.")
    return st.button(label, key=START, disabled=count <= 0, help=help_text)


def _draw_choosing(view: OpenedProject, offer: RepairOffer) -> RepairChoice | None:
    """Draw the full choice; return it once its button is pressed."""
    choice = draw_repair_choice(offer, partial(view.services.repairs.page, *view.ids))
    count = count_repairs(offer, choice)
    with st.container(horizontal=True, vertical_alignment="center"):
        is_started = _press_start(count)
        close = guard(partial(st.session_state.update, {OPEN: None}))
        st.button(say("Back"), key="repair_close", on_click=close)
    return choice if is_started else None


def _look_through(view: OpenedProject, candidates: int) -> RepairOffer:
    """Draw a button that searches a large list for repairs; return the offer."""
    state, task_id = st.session_state, view.task.task_id
    with st.container(key="repair_look_through"):
        if state.get(LOOK) != task_id:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.button(
                    say("Look for addresses to correct"),
                    key="repair_find",
                    on_click=guard(partial(state.update, {LOOK: task_id})),
                )
                st.caption(
                    say_many(
                        candidates,
                        "{count} row has to be looked at; that takes a while.",
                        "{count} rows have to be looked at; that takes a while.",
                    ),
                    width="content",
                )
            return RepairOffer()
        text = say("Looking for addresses to correct…")
        bar = st.progress(0.0, text)

        def tick(share: float) -> None:
            bar.progress(share, text)

        offer = view.services.repairs.find(*view.ids, at_any_size=True, tick=tick)
        bar.empty()
        if not offer.total:
            st.caption(say("No address of this list can be corrected."))
        return offer
