"""Repairs of a project: the offer to correct addresses, the choice of rows, the repairs made."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from components.frame.error_boundary import fragment, guard
from components.frame.html import escape_markdown
from components.frame.session import may
from components.kit.project_view import OpenedProject, go_to, run_again
from winnow.core.addresses.address import normalise
from winnow.core.addresses.repair_kinds import SAFE_KINDS, RepairKind
from winnow.core.errors import Gone, TaskUnknown
from winnow.core.figures import show_count
from winnow.core.tasks.repair_choice import RepairChoice, RepairOffer, RepairRow
from winnow.core.tasks.task import Task
from winnow.words import say, say_many

ROWS_PER_PAGE = 50
OPEN, LOOK, START = "repair_open", "repair_look", "repair_start"
KINDS = "repair_kinds"
_SINGLES, _SHOWN, _PAGE = "repair_singles", "repair_shown", "repair_page"


@fragment()
def draw_repair_offer(view: OpenedProject) -> None:
    """Draw the line of addresses that can be corrected, with its table; nothing without any."""
    state, repairs, task_id = st.session_state, view.services.repairs, view.task.task_id
    offer = repairs.find_repairs(*view.ids)
    if offer.candidates is not None:
        offer = _look_through(view, offer.candidates)
    if not offer.total:
        return
    is_open = state.get(OPEN) == task_id
    chosen = None
    with st.container(key="repairs", gap="small"):
        head = st.container(horizontal=True, vertical_alignment="center")  # filled last: it counts
        choice = _draw_choice(view, offer) if is_open else offer.choose(SAFE_KINDS)
        with head:
            st.markdown(f":material/healing: {_write_offer(offer)}", width="content")
            usual = replace(choice, singles={})
            count = offer.count(usual)
            for value, new in choice.singles.items():  # chosen one by one
                count += (new is not None) - (usual.apply(value) is not None)
            if (count or is_open) and _press_start(count):
                chosen = choice
            if is_open:
                hide = guard(partial(state.update, {OPEN: None}))
                st.button(say("Hide them"), key="repair_close", type="tertiary", on_click=hide)
            else:
                show = guard(partial(state.update, {OPEN: task_id, _SINGLES: {}}))
                st.button(say("Show them"), key="repair_list", type="tertiary", on_click=show)
    if chosen is not None:
        run_again(partial(_run, view, chosen))


def _run(view: OpenedProject, choice: RepairChoice) -> Task:
    made = view.services.repairs.run(*view.ids, choice)
    st.session_state[OPEN] = None
    return made


def _write_offer(offer: RepairOffer) -> str:
    """Return in words how many addresses can be corrected, and how many of them safely."""
    text = say_many(
        offer.total,
        "**{count} address** can be corrected.",
        "**{count} addresses** can be corrected.",
    )
    safe = offer.count(offer.choose(SAFE_KINDS))
    if safe == offer.total:
        return f"{text} {say('Each correction is certain.')}"
    if not safe:
        return f"{text} {say('Check these: the correction is a guess.')}"
    rest = say_many(
        safe,
        "{count} correction is certain, the others are guesses.",
        "{count} corrections are certain, the others are guesses.",
    )
    return f"{text} {rest}"


def _press_start(count: int) -> bool:
    """Draw the button that fixes so many addresses; return whether it was pressed."""
    label = say_many(count, "Correct {count} address", "Correct {count} addresses")
    help_text = say("Makes a new project, which you can undo. Column email_original keeps the old.")
    return st.button(label, key=START, disabled=count <= 0, help=help_text)


def _draw_choice(view: OpenedProject, offer: RepairOffer) -> RepairChoice:
    """Draw the kinds and rows to correct; return the choice, at first the safe ones."""
    counts = offer.count_kinds()
    kinds = st.pills(
        say("What to correct"),
        list(counts),
        selection_mode="multi",
        default=[kind for kind in counts if kind.is_safe],
        format_func=lambda kind: f"{_name_kind(kind)} {show_count(counts[kind])}",
        key=KINDS,
        wrap=True,
    )
    choice = offer.choose(kinds)
    page = int(st.session_state.get(_PAGE) or 1)
    found, total = view.services.repairs.page(
        *view.ids, tuple(counts), (page - 1) * ROWS_PER_PAGE, ROWS_PER_PAGE
    )
    if found:
        _draw_rows(found, choice, f"repair_rows_{page}_{hash((choice.kinds, *choice.domains))}")
    if total > ROWS_PER_PAGE:
        st.pagination(-(-total // ROWS_PER_PAGE), key=_PAGE)
    return replace(choice, singles=st.session_state[_SINGLES])


def _draw_rows(rows: Sequence[RepairRow], usual: RepairChoice, key: str) -> None:
    """Draw one page of rows old → new, each with a box; changed ones are kept by their value."""
    state = st.session_state
    if state.get(_SHOWN, ("",))[0] != key:  # the table itself keeps the changes made since
        state[_SHOWN] = key, state[_SINGLES]
    first = replace(usual, singles=state[_SHOWN][1])
    column = st.column_config
    st.data_editor(
        {
            "fix": [first.apply(row.old) is not None for row in rows],
            "old": [row.old for row in rows],
            "new": [row.new for row in rows],
            "kind": [_name_kind(row.kind) for row in rows],
            "number": [row.number for row in rows],
        },
        key=key,
        hide_index=True,
        disabled=["old", "new", "kind", "number"],
        alt=say("Addresses as they are written, and as they would be"),
        column_config={
            "fix": column.CheckboxColumn(say("Correct"), width="small"),
            "old": column.TextColumn(say("As it is written"), width=300),
            "new": column.TextColumn(say("Corrected"), width=240),
            "kind": column.TextColumn(say("What is wrong"), width=340),
            "number": column.NumberColumn(say("Row"), format="localized", width="small"),
        },
    )
    singles = dict(state[_SINGLES])
    for place, cells in state[key]["edited_rows"].items():
        row = rows[int(place)]
        singles.pop(normalise(row.old), None)
        if cells["fix"] != (usual.apply(row.old) is not None):
            singles[normalise(row.old)] = row.new if cells["fix"] else None
    state[_SINGLES] = singles


def _name_kind(kind: RepairKind) -> str:
    words = say(kind.words)
    return say("safe: {kind}", kind=words) if kind.is_safe else say("likely: {kind}", kind=words)


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

        offer = view.services.repairs.find_repairs(*view.ids, at_any_size=True, tick=tick)
        bar.empty()
        if not offer.total:
            st.caption(say("No address of this list can be corrected."))
        return offer


def draw_repaired(view: OpenedProject) -> None:
    """Draw the line of the corrections made, with their undo; nothing without any."""
    task = view.task
    if task.request.repair is None or task.summary is None:
        return
    origin = _find_origin(view)
    with st.container(key="repaired", horizontal=True, vertical_alignment="center"):
        st.markdown(_describe(task, origin, task.summary.repaired))
        if origin is None:
            return
        if st.button(say("Show the project before"), key="repair_origin", type="tertiary"):
            go_to(origin)
        help_text = say("Deletes this project; for 60 seconds Projects can restore it.")
        if may(view.services.repairs.undo) and st.button(
            say("Undo the repairs"), key="repair_undo", type="tertiary", help=help_text
        ):
            go_to(view.services.repairs.undo(*view.ids))


def _find_origin(view: OpenedProject) -> Task | None:
    """Return the project that a repaired one was made from, if it still exists."""
    made_from = view.task.request.made_from
    if made_from is None:
        return None
    try:
        return view.services.tasks.get(view.account, made_from)
    except (TaskUnknown, Gone):
        return None


def _describe(task: Task, origin: Task | None, repaired: Mapping[str, int]) -> str:
    count = sum(repaired.values())
    if origin is not None:
        text = say_many(
            count,
            "Made from **{name}** with {count} repair.",
            "Made from **{name}** with {count} repairs.",
            name=escape_markdown(origin.project_name),
        )
        return f"{text} {_word_removed(task)}".rstrip()
    text = say_many(count, "{count} address was repaired.", "{count} addresses were repaired.")
    if task.request.made_from is None:
        return text
    return f"{text} {say('The project that this one was made from is gone.')}"


def _word_removed(task: Task) -> str:
    """Return how many repaired addresses are duplicates, which are not in the result."""
    gone = 0 if task.summary is None else task.summary.duplicates_repaired
    if not gone:
        return ""
    return say_many(
        gone,
        "{count} more repaired address was a duplicate and was removed.",
        "{count} more repaired addresses were duplicates and were removed.",
    )
