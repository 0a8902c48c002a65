"""Buttons that put an address or its domain on an own list: always keep, review or remove."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from html import escape

import streamlit as st

from components.frame.error_boundary import guard
from components.frame.session import may
from components.rules.own_changes import note_change, note_refusal
from winnow.core.addresses.address import EmailAddress, duplicate_key, parse_address
from winnow.core.errors import AddressSyntaxError, BadField
from winnow.core.figures import show_count
from winnow.core.own_lists.entries import EntryReach
from winnow.core.own_lists.patterns import Pattern, PatternKind, show_pattern
from winnow.core.verdicts.facts import Evidence
from winnow.core.verdicts.reasons import OWN_REASONS, Reason
from winnow.core.verdicts.verdict import SHAPES, Category, Verdict, name_action
from winnow.services.own.own_lists import OwnListBook
from winnow.services.services import Services
from winnow.words import mark, say, say_many, say_written

MANY_ROWS = 50  # of one domain: probably several customers, so the whole domain is not proposed
_DOMAIN, _ADDRESS = "domain", "address"
_ALWAYS: Mapping[Category, str] = {
    Category.WHITE: mark("Always keep"),
    Category.GREY: mark("Always review"),
    Category.BLACK: mark("Always remove"),
}


def draw_overrule(
    desk: Services,
    account: str,
    text: str,
    verdict: Verdict,
    evidence: Sequence[Evidence],
    *,
    key: str,
    task_id: str | None = None,
) -> bool:
    """Draw the buttons for one address; nothing for a reader or for a value that no list can save.

    Args:
        desk: The services.
        account: Whose lists.
        text: The address as written.
        verdict: Its verdict.
        evidence: Its evidence; names the entry of the account's lists, if one decided.
        key: Distinguishes several of these.
        task_id: The project on the page, whose rows are counted apart.

    Returns:
        Whether a button was pressed; its action is done by then.
    """
    if not may("own_lists.add"):
        return False
    try:
        address = parse_address(text)
    except AddressSyntaxError:
        return False
    book = desk.own_lists
    pattern = next((found.matched for found in evidence if found.reason in OWN_REASONS), None)
    if pattern is not None:
        return _draw_listed(book, account, verdict, pattern, key)

    @guard
    def add(pattern: str, category: Category) -> None:
        try:
            with note_change(book, account):
                book.add(account, pattern, category)
        except BadField as error:
            note_refusal(say("Not added: it {problem}.", problem=say_written(error.problem)))

    st.markdown(f"**{say('From now on')}**")
    with st.spinner(say("Counting rows")):
        foresee = partial(desk.own_effects.foresee, account, here=task_id)
        scope = _draw_scope(address, verdict, foresee, key)
    pressed = False
    with st.container(horizontal=True):
        for category in Category:
            pressed |= st.button(
                f"{SHAPES[category]} {say(_ALWAYS[category])}",
                key=f"{key}_{category.value}",
                on_click=add,
                args=(address.domain if scope == _DOMAIN else str(address), category),
            )
    return pressed


def word_reach(reach: EntryReach) -> str:
    """Return how many rows an entry would match: ``"413 rows here, 68,041 in 13 projects"``."""
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


def _draw_scope(
    address: EmailAddress, verdict: Verdict, foresee: Callable[[Pattern], EntryReach], key: str
) -> str:
    """Draw the choice of address or domain, and the rows it would match; return the choice."""
    whole = say("All of {domain}", domain=address.domain)
    if "xn--" in address.domain:  # both spellings are too long here
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


def _draw_listed(book: OwnListBook, account: str, verdict: Verdict, pattern: str, key: str) -> bool:
    said = say(
        "On your list: {name} is {verdict}.",
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

    @guard
    def remove() -> None:
        with note_change(book, account):
            book.remove(account, [pattern])

    return st.button(say("Delete from your list"), key=f"{key}_off", on_click=remove)
