"""Changes of the account's lists in words, with undo: in a notice and in a list."""

from collections.abc import Iterator
from contextlib import contextmanager
from html import escape

import streamlit as st

from components.frame.error_boundary import guard
from components.frame.session import may
from components.kit.local_time import show_local
from winnow.core.errors import BadField
from winnow.core.own_lists.entries import OwnChange
from winnow.core.own_lists.patterns import show_pattern
from winnow.core.verdicts.verdict import name_action
from winnow.services.own.own_lists import OwnListBook
from winnow.words import format_number, say, say_many

_CHANGED = "own_changed"
_SAID = "own_said"


@contextmanager
def note_change(book: OwnListBook, account: str) -> Iterator[None]:
    """Let the page's next run show the change that is made within the context."""
    before = _find_newest(book, account)
    yield
    newest = _find_newest(book, account)
    if newest is None or newest == before:
        note_refusal(say("Nothing was changed."))
    else:
        st.session_state[_CHANGED] = newest.change_id


def note_refusal(problem: str) -> None:
    """Let the page's next run show why nothing was changed."""
    st.session_state[_SAID] = problem


def tell_change(book: OwnListBook, account: str) -> None:
    """Show once what the last press changed, with the button that undoes it."""
    if _SAID in st.session_state:
        with st.container(key="own_notice", border=True):
            st.html(f'<p class="w-named">{escape(st.session_state.pop(_SAID))}</p>')
    change_id = st.session_state.pop(_CHANGED, None)
    newest = _find_newest(book, account) if change_id is not None else None
    if newest is None or newest.change_id != change_id:
        return
    with st.container(
        key="own_notice", horizontal=True, vertical_alignment="center", border=True, gap="small"
    ):
        st.html(f'<p class="w-named">{word_change(newest)}</p>', width="stretch")
        _draw_undo(newest, book, account, "notice")


def draw_changes(book: OwnListBook, account: str) -> None:
    """Draw the latest changes, each with the button that undoes it; nothing without any."""
    changes = book.changes(account)
    if not changes:
        return
    with st.expander(say("Latest changes"), icon=":material/history:", key="own_changes"):
        for change in changes:
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                made = escape(show_local(change.made_at))
                st.html(
                    f'<p class="w-named">{word_change(change)}<br>'
                    f'<span class="w-quiet">{made}</span></p>',
                    width="stretch",
                )
                _draw_undo(change, book, account, "list")


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
    name = f"<strong>{_name(change)}</strong>"
    if after is None:
        return say("{name} is deleted from your lists.", name=name)
    if before is not None and before.category is after.category:
        return say("The note of {name} was changed.", name=name)
    action = name_action(after.category)
    return say("{name} is now always: {action}.", name=name, action=action)


def _find_newest(book: OwnListBook, account: str) -> OwnChange | None:
    return next(iter(book.changes(account, 1)), None)


def _name(change: OwnChange) -> str:
    entry = change.after or change.before
    return "" if entry is None else escape(show_pattern(entry.pattern))


def _draw_undo(change: OwnChange, book: OwnListBook, account: str, where: str) -> None:
    if not may("own_lists.undo"):
        return

    @guard
    def undo() -> None:
        note_refusal(_undo(change.change_id, book, account))

    key = f"own_undo_{where}_{change.change_id}"
    st.button(say("Undo"), key=key, icon=":material/undo:", on_click=undo)


def _undo(change_id: int, book: OwnListBook, account: str) -> str:
    """Undo a change; return what was done."""
    try:
        done = book.undo(account, change_id)
    except BadField as error:
        return say("Not undone: {problem}.", problem=error.problem)
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
