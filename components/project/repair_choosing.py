"""Choice of addresses to repair in a finished list: by kinds, by domains, one by one."""

from collections.abc import Callable, Collection
from dataclasses import replace

import streamlit as st

from components.frame.error_boundary import guard
from components.kit.html import escape_markdown
from winnow.core.addresses.address import normalise
from winnow.core.addresses.repair_kinds import SAFE_KINDS, RepairKind
from winnow.core.figures import show_count
from winnow.core.tasks.repair_choice import RepairChoice, RepairOffer, RepairRow
from winnow.words import say

ROWS_PER_PAGE = 10
_SINGLES = "repair_singles"
_SHOWN_LETTERS = 120
_EVERY = "every"
_BOX_PX = 112

ListRows = Callable[[Collection[RepairKind], int, int], tuple[tuple[RepairRow, ...], int]]


def draw_repair_choice(offer: RepairOffer, list_rows: ListRows) -> RepairChoice:
    """Draw the kinds, the domains, and the rows old → new; return the choice.

    All are chosen at first; users untick what is to stay.
    """
    choice = _draw_kinds(offer)
    _draw_rows(offer, choice, list_rows)
    return choice


def forget_choice() -> None:
    """Delete the choices of single values."""
    st.session_state[_SINGLES] = {}


def count_repairs(offer: RepairOffer, choice: RepairChoice) -> int:
    """Return how many rows a choice repairs, with the values chosen one by one."""
    usual = replace(choice, singles={})
    total = offer.count(usual)
    for value, new in choice.singles.items():
        total += (new is not None) - (usual.apply(value) is not None)
    return total


def _draw_kinds(offer: RepairOffer) -> RepairChoice:
    """Draw the kinds and the domains; return the choice."""
    counts = offer.count_kinds()
    state = st.session_state
    for kind in counts:
        state.setdefault(_key(kind), True)

    @guard
    def choose(kinds: Collection[RepairKind]) -> None:
        state[_SINGLES] = {}
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
    return replace(offer.choose(kinds, domains), singles=state.get(_SINGLES) or {})


def _choose_domains(offer: RepairOffer, kinds: Collection[RepairKind]) -> list[str]:
    """Draw the choice of misspelt domains to repair, if there are several; return them."""
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
    """Draw the rows old → new, each with a box of its own."""
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
    """Draw one row; its box is stored by the row's value."""
    state = st.session_state
    found = choice.apply(row.old)
    key = f"repair_row_{row.number}"
    state[key] = found is not None

    @guard
    def keep() -> None:
        usual = replace(choice, singles={}).apply(row.old)
        singles = dict(state.get(_SINGLES) or {})
        value = normalise(row.old)
        singles.pop(value, None)
        if state[key] != (usual is not None):
            singles[value] = row.new if state[key] else None
        state[_SINGLES] = singles

    new = row.new if found is None else found.new
    # Screen readers read escapes in a box's label, so the address is next to the box.
    with st.container(horizontal=True, vertical_alignment="center", gap="xxsmall"):
        st.checkbox(
            say("Row {number}", number=show_count(row.number)),
            key=key,
            on_change=keep,
            width=_BOX_PX,
        )
        st.markdown(f"{_show(row.old)} → **{_show(new)}**", width="stretch")


def _key(kind: RepairKind) -> str:
    return f"repair_kind_{kind.value}"


def _show(text: str) -> str:
    shown = text if len(text) <= _SHOWN_LETTERS else f"{text[:_SHOWN_LETTERS]}…"
    return escape_markdown(shown) or say("(empty)")
