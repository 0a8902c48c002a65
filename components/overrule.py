"""Always keep, review or remove: one verdict overruled by the account's own lists, in one click."""

from collections.abc import Callable, Mapping, Sequence
from html import escape

import streamlit as st

from components.error_boundary import guard
from components.own_changes import note_refusal
from winnow.core.addresses.address import EmailAddress, duplicate_key, parse_address
from winnow.core.errors import AddressSyntaxError, BadField
from winnow.core.figures import show_count
from winnow.core.own_lists.entries import EntryReach
from winnow.core.own_lists.patterns import Pattern, PatternKind, show_pattern
from winnow.core.verdicts.facts import Evidence
from winnow.core.verdicts.reasons import OWN_REASONS, Reason
from winnow.core.verdicts.verdict import Category, Verdict
from winnow.core.verdicts.words import SHAPES, name_action
from winnow.words import mark, say, say_many

Add = Callable[[str, Category], object]
Remove = Callable[[Sequence[str]], object]
Foresee = Callable[[Pattern], EntryReach]

MANY_ROWS = 50  # of one domain: more than one customer's people, so all of it is no first choice
_DOMAIN, _ADDRESS = "domain", "address"
_ALWAYS: Mapping[Category, str] = {
    Category.WHITE: mark("Always keep"),
    Category.GREY: mark("Always review"),
    Category.BLACK: mark("Always remove"),
}


def draw_overrule(
    text: str,
    verdict: Verdict,
    evidence: Sequence[Evidence],
    add: Add,
    remove: Remove,
    foresee: Foresee,
    *,
    key: str,
) -> bool:
    """Draw the buttons for one address; nothing for a value that no list can save.

    Args:
        text: The address as it stands.
        verdict: What it got.
        evidence: What stands behind it; names the entry of the own lists, if one decided.
        add: Puts a pattern on a list.
        remove: Takes patterns off.
        foresee: Counts the rows that an entry would name.
        key: Tells several of these apart.

    Returns:
        Whether something was pressed; it is done by then.
    """
    try:
        address = parse_address(text)
    except AddressSyntaxError:
        return False
    pattern = next((found.matched for found in evidence if found.reason in OWN_REASONS), None)
    if pattern is not None:
        return _draw_listed(verdict, pattern, remove, key)
    st.markdown(f"**{say('From now on')}**")
    with st.spinner(say("Counting rows")):
        scope = _draw_scope(address, verdict, foresee, key)
    pressed = False
    with st.container(horizontal=True):
        for category in Category:
            pressed |= st.button(
                f"{SHAPES[category]} {say(_ALWAYS[category])}",
                key=f"{key}_{category.value}",
                on_click=guard(_add),
                args=(add, address.domain if scope == _DOMAIN else str(address), category),
            )
    st.caption(
        say("This goes on your own lists and holds at once, here and in all later downloads.")
    )
    return pressed


def word_reach(reach: EntryReach) -> str:
    """Return what an entry would touch: ``"413 rows here, 68,041 in 13 projects"``."""
    reached = _word_rows(reach)
    if not reach.is_partial:
        return reached
    return say("{reached} (only the newest projects are counted)", reached=reached)


def _word_rows(reach: EntryReach) -> str:
    if not reach.rows:
        return say("No row in your projects")
    if reach.rows == reach.here:
        return say_many(
            reach.rows,
            "{count} row here, none in other projects",
            "{count} rows here, none in other projects",
        )
    projects = say_many(reach.projects, "{count} project", "{count} projects")
    if reach.here is None:
        return say_many(
            reach.rows, "{count} row in {projects}", "{count} rows in {projects}", projects=projects
        )
    return say_many(
        reach.here,
        "{count} row here, {all} in {projects}",
        "{count} rows here, {all} in {projects}",
        all=show_count(reach.rows),
        projects=projects,
    )


def _draw_scope(address: EmailAddress, verdict: Verdict, foresee: Foresee, key: str) -> str:
    """Draw what the entry is to be about, and what it would touch; return which of the two."""
    whole = say("All of {domain}", domain=address.domain)
    if "xn--" in address.domain:  # twice is too long here
        whole = say("All of its domain")
    of_domain = foresee(Pattern(address.domain, PatternKind.DOMAIN))
    state, name = st.session_state, f"{key}_scope"
    if state.get(f"{name}_of") != str(address):
        is_shared = Reason.FREE_PROVIDER in verdict.reasons or of_domain.rows >= MANY_ROWS
        state[name] = _ADDRESS if is_shared else _DOMAIN
        state[f"{name}_of"] = str(address)
    scope = st.segmented_control(
        say("What"),
        [_ADDRESS, _DOMAIN],
        required=True,
        format_func=lambda value: whole if value == _DOMAIN else say("Only this address"),
        key=name,
        label_visibility="collapsed",
    )
    reach = of_domain
    if scope != _DOMAIN:
        reach = foresee(Pattern(duplicate_key(str(address)), PatternKind.ADDRESS))
    st.markdown(f"{word_reach(reach)}.")
    return scope or _ADDRESS


def _draw_listed(verdict: Verdict, pattern: str, remove: Remove, key: str) -> bool:
    said = say(
        "On your own list: {name} is {verdict}.",
        name=f"<strong>{escape(show_pattern(pattern))}</strong>",
        verdict=name_action(verdict.category),
    )
    st.html(f'<p class="w-named">{said}</p>')
    if verdict.overruled is not None:
        base = verdict.overruled
        without = say(
            "Without it: {verdict}, {type}.",
            verdict=name_action(base.category),
            type=say(base.domain_type.words),
        )
        st.caption(without)
    return st.button(
        say("Take it off the list"), key=f"{key}_off", on_click=guard(remove), args=([pattern],)
    )


def _add(add: Add, pattern: str, category: Category) -> None:
    try:
        add(pattern, category)
    except BadField as error:
        note_refusal(say("Not added: it {problem}.", problem=error.problem))
