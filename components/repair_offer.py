"""What of a finished list could be repaired: told, looked at old → new, and fixed in one press."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from components.error_boundary import guard
from components.notices import draw_error
from components.repair_choosing import (
    ListRows,
    count_repairs,
    draw_repair_choice,
    forget_choice,
)
from winnow.core.addresses.repair_kinds import SAFE_KINDS, RepairKind
from winnow.core.errors import WinnowError
from winnow.core.figures import show_count
from winnow.core.lists.repair_offers import RepairOffer
from winnow.core.tasks.repair_choice import RepairChoice
from winnow.core.tasks.task import Task
from winnow.words import mark, say, say_many

ROWS_OF_A_KIND = 100  # shown before anything is pressed; choosing one by one shows them all
OPEN, LOOK, START, START_SAFE = "repair_open", "repair_look", "repair_start", "repair_start_safe"
_TABLE_PX = 196  # some five rows: the download stays near
_ROWS_IN_FULL = 4
_KEPT = mark("Nothing was started; this project stays as it is.")


def draw_repair_offer(
    task_id: str,
    find: Callable[..., RepairOffer],
    list_rows: ListRows,
    run: Callable[[RepairChoice], Task],
    go_to: Callable[[Task], None],
) -> None:
    """Offer to fix addresses; nothing where none can be.

    Args:
        task_id: The project's; what was chosen is forgotten with the next one.
        find: Gives the offer; with ``at_any_size=True`` it looks through a large list as well.
        list_rows: Gives rows of some kinds, from an offset on, and how many there are.
        run: Makes the repaired project; may raise WinnowError.
        go_to: Shows another project in this one's place.
    """
    offer = find()
    if offer.candidates is not None:
        offer = _look_through(task_id, offer.candidates, find)
    if not offer.total:
        return
    with st.container(border=True, key="repairs"):
        st.markdown(f"{_tell_count(offer)} {_tell_doubt(offer)}")
        if st.session_state.get(OPEN) == task_id:
            chosen = _draw_choosing(offer, list_rows)
        else:
            _draw_first_rows(offer, list_rows)
            chosen = _draw_presses(task_id, offer)
        st.caption(
            say(
                "This makes a new project from the same file; duplicates are looked for again. "
                "This project stays, and you can undo the new one."
            )
        )
    if chosen is not None:
        try:
            made = run(chosen)
        except WinnowError as error:
            draw_error(error, kept=say(_KEPT))
        else:
            st.session_state[OPEN] = None
            go_to(made)


def _tell_count(offer: RepairOffer) -> str:
    return say_many(
        offer.total,
        "**{count} address** seems to be only written wrongly.",
        "**{count} addresses** seem to be only written wrongly.",
    )


def _tell_doubt(offer: RepairOffer) -> str:
    """Say for how many no other address can be meant, and which are to be looked at."""
    safe = _count_safe(offer)
    if safe == offer.total:
        return say("No other address can be meant.")
    if not safe:
        return say("Look at them first: another address may be meant.")
    return say_many(
        safe,
        "{count} is safe: no other address can be meant. Look at the other {others} first.",
        "{count} are safe: no other address can be meant. Look at the other {others} first.",
        others=show_count(offer.total - safe),
    )


def _count_safe(offer: RepairOffer) -> int:
    return offer.count(offer.choose(tuple(SAFE_KINDS)))


def _draw_first_rows(offer: RepairOffer, list_rows: ListRows) -> None:
    """Draw the rows old → new, the doubtful kinds first: they are what has to be looked at."""
    import pandas as pd

    kinds = sorted(offer.count_kinds(), key=lambda kind: kind.is_safe)
    rows = [row for kind in kinds for row in list_rows((kind,), 0, ROWS_OF_A_KIND)[0]]
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
                "new": st.column_config.TextColumn(say("Fixed"), width=240),
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
    """Draw what fixes addresses in one press; return what was pressed."""
    state = st.session_state
    everything = offer.choose(tuple(offer.count_kinds()))
    safe_ones = offer.choose(tuple(SAFE_KINDS))
    count, safe = offer.count(everything), offer.count(safe_ones)

    def choose() -> None:
        forget_choice()
        state[OPEN] = task_id

    chosen = None
    with st.container(horizontal=True, vertical_alignment="center"):
        if _press_start(count):
            chosen = everything
        if 0 < safe < count:
            label = say_many(
                safe, "Fix only the {count} safe one", "Fix only the {count} safe ones"
            )
            if st.button(label, key=START_SAFE):
                chosen = safe_ones
        st.button(
            say("Choose one by one"), key="repair_show", type="tertiary", on_click=guard(choose)
        )
    return chosen


def _press_start(count: int) -> bool:
    """Draw the button that fixes so many addresses; return whether it was pressed."""
    label = say_many(
        count, "Fix {count} address and clean again", "Fix {count} addresses and clean again"
    )
    return st.button(
        label, key=START, type="primary", icon=":material/healing:", disabled=count <= 0
    )


def _draw_choosing(offer: RepairOffer, list_rows: ListRows) -> RepairChoice | None:
    """Draw the choice in full; return it once it is to be run."""
    choice = draw_repair_choice(offer, list_rows)
    count = count_repairs(offer, choice)
    with st.container(horizontal=True, vertical_alignment="center"):
        is_started = _press_start(count)
        close = guard(partial(st.session_state.update, {OPEN: None}))
        st.button(say("Back"), key="repair_close", on_click=close)
    return choice if is_started else None


def _look_through(task_id: str, candidates: int, find: Callable[..., RepairOffer]) -> RepairOffer:
    """Look through a large list when it is asked for."""
    state = st.session_state
    with st.container(key="repair_look_through"):
        if state.get(LOOK) != task_id:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.button(
                    say("Look for addresses to fix"),
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
        bar = st.progress(0.0, say("Looking for addresses to fix…"))
        offer = find(
            at_any_size=True,
            tick=lambda share: bar.progress(share, say("Looking for addresses to fix…")),
        )
        bar.empty()
        if not offer.total:
            st.caption(say("No address of this list can be fixed."))
        return offer
