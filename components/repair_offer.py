"""What of a finished list could be repaired: offered, looked at old → new, chosen, run again."""

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial

import streamlit as st

from components.error_boundary import guard
from components.markdown import escape_markdown
from components.notices import draw_error
from components.repair_place import draw_place
from winnow.core.addresses.address import normalise
from winnow.core.addresses.repair_kinds import SAFE_KINDS, RepairKind
from winnow.core.errors import WinnowError
from winnow.core.figures import show_count
from winnow.core.lists.repair_offers import RepairOffer, RepairRow
from winnow.core.tasks.repair_choice import RepairChoice
from winnow.core.tasks.task import Task
from winnow.words import mark, say, say_many

ROWS_PER_PAGE = 10
OPEN, LOOK, SINGLES, START = "repair_open", "repair_look", "repair_singles", "repair_start"
_SHOWN_LETTERS = 120
_EVERY = "every"
_BOX_PX = 112
_KEPT = mark("Nothing was started; this project stays as it is.")

ListRows = Callable[[Collection[RepairKind], int, int], tuple[tuple[RepairRow, ...], int]]


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
    state = st.session_state
    offer = find()
    if offer.candidates is not None:
        offer = _look_through(task_id, offer.candidates, find)
    if not offer.total:
        return
    with st.container(border=True, key="repairs"):
        count = offer.total
        st.markdown(
            say_many(
                count,
                "**{count} address** seems to be only written wrongly.",
                "**{count} addresses** seem to be only written wrongly.",
            )
        )
        if state.get(OPEN) != task_id:
            label = say_many(count, "Fix {count} address", "Fix {count} addresses")
            with st.container(horizontal=True, vertical_alignment="center"):
                st.button(
                    label,
                    key="repair_show",
                    icon=":material/healing:",
                    on_click=guard(partial(state.update, {OPEN: task_id, SINGLES: {}})),
                )
                st.caption(say("You see each one before anything changes."), width="content")
            return
        choice = _draw_choice(offer)
        _draw_rows(offer, choice, list_rows)
        _draw_start(offer, choice, run, go_to)


def count_repairs(offer: RepairOffer, choice: RepairChoice) -> int:
    """Return how many rows a choice repairs, with the values that were chosen one by one."""
    usual = replace(choice, singles={})
    total = offer.count(usual)
    for value, new in choice.singles.items():
        total += (new is not None) - (usual.apply(value) is not None)
    return total


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


def _draw_choice(offer: RepairOffer) -> RepairChoice:
    """Draw the kinds and where repaired addresses go; return what is chosen."""
    counts = offer.count_kinds()
    state = st.session_state
    for kind in counts:
        state.setdefault(_key(kind), kind in SAFE_KINDS)

    @guard
    def choose(kinds: Collection[RepairKind]) -> None:
        state[SINGLES] = {}
        for kind in counts:
            state[_key(kind)] = kind in kinds

    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(say("Choose all"), key="repair_all", on_click=choose, args=(tuple(counts),))
        safe = tuple(SAFE_KINDS)
        st.button(say("Only the safe ones"), key="repair_safe", on_click=choose, args=(safe,))
        st.button(say("Choose none"), key="repair_none", on_click=choose, args=((),))
    for column, is_safe, title in zip(
        st.columns(2),
        (True, False),
        (say("Safe: no other address can be meant"), say("Likely: look at them first")),
        strict=True,
    ):
        some = [kind for kind in counts if kind.is_safe is is_safe]
        with column, st.container(gap="xxsmall"):
            if some:
                st.markdown(f"**{title}**")
            for kind in some:
                label = f"{say(kind.words)}: {show_count(counts[kind])}"
                st.checkbox(label[:1].upper() + label[1:], key=_key(kind))
    kinds = [kind for kind in counts if state[_key(kind)]]
    domains = _choose_domains(offer, kinds)
    place = draw_place("repair_place")
    return replace(offer.choose(kinds, domains), singles=state.get(SINGLES) or {}, place=place)


def _choose_domains(offer: RepairOffer, kinds: Collection[RepairKind]) -> list[str]:
    """Draw which misspelt domains are repaired, where there are several; return them."""
    every = offer.choose(kinds).domains
    if len(every) < 2:
        return list(every)
    counts = {old: count for (old, _), count in offer.count_domains().items()}
    names = {old: f"{old} → {new} ({show_count(counts[old])})" for old, new in every.items()}
    left_out = st.multiselect(
        say("Domains to leave as they are"),
        list(names),
        format_func=lambda old: names.get(old, old),
        key="repair_left_out",
        placeholder=say("None: all {count} are fixed", count=len(names)),
    )
    return [old for old in every if old not in left_out]


def _draw_rows(offer: RepairOffer, choice: RepairChoice, list_rows: ListRows) -> None:
    """Draw the rows old → new, each to be ticked by itself."""
    counts = offer.count_kinds()
    state = st.session_state
    shown = st.selectbox(
        say("Show"),
        [_EVERY, *counts],
        format_func=lambda kind: (
            f"{say(RepairKind(kind).words)} ({show_count(counts[RepairKind(kind)])})"
            if kind != _EVERY
            else say("every kind")
        ),
        key="repair_shown",
    )
    kinds = tuple(counts) if shown == _EVERY else (RepairKind(shown),)
    key = f"repair_page_{shown}"
    page = int(state.get(key) or 1)
    rows, total = list_rows(kinds, (page - 1) * ROWS_PER_PAGE, ROWS_PER_PAGE)
    with st.container(gap="xsmall", key="repair_rows"):
        for row in rows:
            _draw_row(row, choice)
    pages = -(-total // ROWS_PER_PAGE)
    if pages > 1:
        st.pagination(pages, key=key)


def _draw_row(row: RepairRow, choice: RepairChoice) -> None:
    """Draw one row; what is ticked by itself is remembered by its value."""
    state = st.session_state
    found = choice.apply(row.old)
    key = f"repair_row_{row.number}"
    state[key] = found is not None

    @guard
    def keep() -> None:
        usual = replace(choice, singles={}).apply(row.old)
        singles = dict(state.get(SINGLES) or {})
        value = normalise(row.old)
        singles.pop(value, None)
        if state[key] != (usual is not None):
            singles[value] = row.new if state[key] else None
        state[SINGLES] = singles

    new = row.new if found is None else found.new
    # The box's own words are read out as they are, signs and all: the address stands beside it.
    with st.container(horizontal=True, vertical_alignment="center", gap="xxsmall"):
        st.checkbox(
            say("Row {number}", number=show_count(row.number)),
            key=key,
            on_change=keep,
            width=_BOX_PX,
        )
        st.markdown(f"{_show(row.old)} → **{_show(new)}**", width="stretch")


def _draw_start(
    offer: RepairOffer,
    choice: RepairChoice,
    run: Callable[[RepairChoice], Task],
    go_to: Callable[[Task], None],
) -> None:
    count = count_repairs(offer, choice)
    label = say_many(count, "Clean again with {count} repair", "Clean again with {count} repairs")
    with st.container(horizontal=True, vertical_alignment="center"):
        is_started = st.button(label, key=START, type="primary", disabled=count <= 0)
        close = guard(partial(st.session_state.update, {OPEN: None}))
        st.button(say("Not now"), key="repair_close", on_click=close)
    st.caption(
        say(
            "This makes a new project from the same file; duplicates are looked for again. This "
            "project stays, and you can undo the new one."
        )
    )
    if is_started:
        try:
            made = run(choice)
        except WinnowError as error:
            draw_error(error, kept=say(_KEPT))
        else:
            st.session_state[OPEN] = None
            go_to(made)


def _key(kind: RepairKind) -> str:
    return f"repair_kind_{kind.value}"


def _show(text: str) -> str:
    shown = text if len(text) <= _SHOWN_LETTERS else f"{text[:_SHOWN_LETTERS]}…"
    return escape_markdown(shown) or say("(empty)")
