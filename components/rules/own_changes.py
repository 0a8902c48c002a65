"""Changes of the account's lists: buttons next to a verdict, the change in words, undo."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape

import streamlit as st

from components.frame.error_boundary import guard
from components.frame.error_words import write_error
from components.frame.session import may, show_local
from components.kit.notices import draw_refusal, is_refused, keep_refusal
from winnow.core.addresses.address import EmailAddress, parse_address
from winnow.core.errors import AddressSyntaxError, BadField, WinnowError
from winnow.core.own_lists.entries import OwnChange
from winnow.core.own_lists.patterns import show_pattern
from winnow.core.verdicts.facts import Evidence
from winnow.core.verdicts.reasons import OWN_REASONS
from winnow.core.verdicts.verdict import Category, Verdict, name_action
from winnow.services.own.own_lists import OwnListBook
from winnow.services.services import Services
from winnow.words import format_number, say, say_many, translatable

_CHANGED = "own_changed"
_SAID = "own_said"
_NOTICE = "own_notice"


@contextmanager
def note_change(book: OwnListBook, account: str, place: str = _NOTICE) -> Iterator[None]:
    """Let the page's next run show the change that is made in the context, or why none was.

    A refusal is drawn by ``draw_refusal`` for its place, by default in the notice.
    """
    before = _find_newest(book, account)
    with keep_refusal(place):
        yield
    newest = _find_newest(book, account)
    if newest is not None and newest != before:  # by the first of several edits, too
        st.session_state[_CHANGED] = newest.change_id
    elif not is_refused(place):
        st.session_state[_SAID] = say("Nothing was changed.")


def note_latest_change(book: OwnListBook, account: str) -> None:
    """Let the page's next run show the latest change."""
    if (newest := _find_newest(book, account)) is not None:
        st.session_state[_CHANGED] = newest.change_id


def draw_change(book: OwnListBook, account: str) -> None:
    """Show once what the last press changed, with the button that undoes it."""
    said, change_id = st.session_state.pop(_SAID, ""), st.session_state.pop(_CHANGED, None)
    newest = _find_newest(book, account) if change_id is not None else None
    if newest is not None and newest.change_id != change_id:
        newest = None
    if said or newest is not None or is_refused(_NOTICE):
        with st.container(key="own_notice", border=True):
            draw_refusal(_NOTICE)
            if said:
                st.markdown(said)
            if newest is not None:
                _draw_one(newest, book, account, "notice")


def draw_changes(book: OwnListBook, account: str) -> None:
    """Draw the latest changes, each with the button that undoes it; nothing without any."""
    changes = book.changes(account)
    if not changes:
        return
    with st.expander(say("Latest changes"), icon=":material/history:", key="own_changes"):
        for change in changes:
            _draw_one(change, book, account, "list")


def word_change(change: OwnChange) -> str:
    """Return a change in words, as HTML: ``"<strong>a.example</strong>: ✕ always remove"``.

    The name in it can be copied. Markdown would need an invisible character in an address.
    """
    before, after = change.before, change.after
    if before is None and after is None:
        return say(
            "{added} added, {changed} changed, {removed} deleted.",
            added=format_number(change.added),
            changed=format_number(change.changed),
            removed=format_number(change.removed),
        )
    entry = change.after or change.before
    name = f"<strong>{'' if entry is None else escape(show_pattern(entry.pattern))}</strong>"
    if after is None:
        return say("{name} is deleted from your lists.", name=name)
    if before is not None and before.category is after.category:
        return say("The note of {name} was changed.", name=name)
    action = name_action(after.category)
    return say("{name} is now always: {action}.", name=name, action=action)


def _find_newest(book: OwnListBook, account: str) -> OwnChange | None:
    return next(iter(book.changes(account, 1)), None)


def _draw_one(change: OwnChange, book: OwnListBook, account: str, where: str) -> bool:
    """Draw a change, when it was made, and the button that undoes it; return if it was pressed."""

    @guard
    def undo() -> None:
        st.session_state[_SAID] = _undo(change.change_id, book, account)

    made = escape(show_local(change.made_at))
    said = f'{word_change(change)}<br><span class="w-quiet">{made}</span>'
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.html(f'<p class="w-named">{said}</p>', width="stretch")
        key = f"own_undo_{where}_{change.change_id}"
        return may(book.undo) and st.button(
            say("Undo"), key=key, icon=":material/undo:", on_click=undo
        )


def _undo(change_id: int, book: OwnListBook, account: str) -> str:
    """Undo a change; return what was done."""
    try:
        done = book.undo(account, change_id)
    except WinnowError as error:
        return write_error(error)
    if done is None:
        return say("That change can no longer be undone.")
    if not done.left:
        return say("Undone.")
    back = say_many(done.entries, "{count} entry restored.", "{count} entries restored.")
    left = say_many(
        done.left,
        "{count} was changed again and stays as it is.",
        "{count} were changed again and stay as they are.",
    )
    return f"{back} {left}"


_DOMAIN, _ADDRESS = "domain", "address"
_ALWAYS: Mapping[Category, str] = {
    Category.WHITE: translatable("{shape} Always keep"),
    Category.GREY: translatable("{shape} Always review"),
    Category.BLACK: translatable("{shape} Always remove"),
}


def draw_overrule(
    services: Services,
    account: str,
    text: str,
    verdict: Verdict,
    evidence: Sequence[Evidence],
    *,
    key: str,
) -> bool:
    """Draw the buttons for one address; nothing for a reader or for a value that no list can save.

    Args:
        services: All of them, as the caller may use them.
        account: Whose lists.
        text: The address as written.
        verdict: Its verdict.
        evidence: Its evidence; names the entry of the account's lists, if one decided.
        key: Distinguishes several of these.

    Returns:
        Whether a button was pressed; its action is done by then.
    """
    if not may(services.own_lists.add):
        return False
    try:
        address = parse_address(text)
    except AddressSyntaxError:
        return False
    book = services.own_lists
    pattern = next((found.matched for found in evidence if found.reason in OWN_REASONS), None)
    if pattern is not None:
        return _draw_listed(book, account, verdict, pattern, key)

    @guard
    def add(pattern: str, category: Category) -> None:
        with note_change(book, account):
            book.add(account, pattern, category)

    st.markdown(f"**{say('Add to your lists')}**")
    scope = _draw_scope(address, key)
    pattern = address.domain if scope == _DOMAIN else str(address)
    draw_reach(services, account, pattern)
    pressed = False
    with st.container(horizontal=True):
        for category in Category:
            pressed |= st.button(
                name_always(category),
                key=f"{key}_{category.value}",
                on_click=add,
                args=(pattern, category),
            )
    return pressed


def draw_reach(services: Services, account: str, pattern: str) -> None:
    """Draw how many rows of projects an entry would name; nothing for what is no pattern."""
    try:
        rows, projects = services.project_views.count_listed(account, pattern)
    except BadField:
        return
    st.caption(
        say(
            "It holds at once for {rows} in {projects}.",
            rows=say_many(rows, "{count} row", "{count} rows"),
            projects=say_many(projects, "{count} project", "{count} projects"),
        )
        if rows
        else say("No row of your projects has it.")
    )


def name_always(category: Category) -> str:
    """Return what an entry of a list does: ``"✓ Always keep"``."""
    return say(_ALWAYS[category], shape=category.action.shape)


def _draw_scope(address: EmailAddress, key: str) -> str:
    """Draw the choice of address or domain; the address is chosen first."""
    whole = say("All of {domain}", domain=address.domain)
    if "xn--" in address.domain:  # both spellings are too long here
        whole = say("All of its domain")
    state, name = st.session_state, f"{key}_scope"
    if state.get(f"{name}_of") != str(address):
        state[name] = _ADDRESS
        state[f"{name}_of"] = str(address)
    scope = st.segmented_control(
        say("What"),
        [_ADDRESS, _DOMAIN],
        required=True,
        format_func=lambda value: whole if value == _DOMAIN else say("Only this address"),
        key=name,
        label_visibility="collapsed",
    )
    return scope or _ADDRESS


def _draw_listed(book: OwnListBook, account: str, verdict: Verdict, pattern: str, key: str) -> bool:
    made = (one for one in book.changes(account) if one.after and one.after.pattern == pattern)
    change, is_undone = next(made, None), False
    if change is not None:
        is_undone = _draw_one(change, book, account, key)
    else:
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

    pressed = st.button(say("Delete from your list"), key=f"{key}_off", on_click=remove)
    return pressed or is_undone
