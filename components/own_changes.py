"""Changes of the own lists in words, and how each is undone: beside the notice, and in a list."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from html import escape

import streamlit as st

from components.error_boundary import guard
from components.local_time import show_local
from winnow.core.errors import BadField
from winnow.core.own_lists.entries import OwnChange, Undone
from winnow.core.own_lists.patterns import show_pattern
from winnow.core.verdicts.words import name_action
from winnow.words import format_number, say, say_many

Changes = Callable[[], Sequence[OwnChange]]
Undo = Callable[[int], Undone | None]

_CHANGED = "own_changed"
_SAID = "own_said"


@contextmanager
def note_change(changes: Changes) -> Iterator[None]:
    """Let the page say what is changed within the context, when it is drawn next.

    ``changes`` gives the newest first. What changes nothing makes no change, and says so: the
    newest one would be another.
    """
    before = _find_newest(changes)
    yield
    newest = _find_newest(changes)
    if newest is None or newest == before:
        note_refusal(say("Nothing was changed."))
    else:
        st.session_state[_CHANGED] = newest.change_id


def note_refusal(problem: str) -> None:
    """Let the page say why nothing was changed."""
    st.session_state[_SAID] = problem


def tell_change(changes: Changes, undo: Undo) -> None:
    """Say once what the last press did, with the button that takes it back."""
    if _SAID in st.session_state:
        with st.container(key="own_notice", border=True):
            st.html(f'<p class="w-named">{escape(st.session_state.pop(_SAID))}</p>')
    change_id = st.session_state.pop(_CHANGED, None)
    newest = _find_newest(changes) if change_id is not None else None
    if newest is None or newest.change_id != change_id:
        return
    with st.container(
        key="own_notice", horizontal=True, vertical_alignment="center", border=True, gap="small"
    ):
        st.html(f'<p class="w-named">{word_change(newest)}</p>', width="stretch")
        _draw_undo(newest, undo, "notice")


def draw_changes(changes: Sequence[OwnChange], undo: Undo) -> None:
    """Draw the latest changes, each with the button that takes it back; nothing without any."""
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
                _draw_undo(change, undo, "list")


def word_change(change: OwnChange) -> str:
    """Return what a change did, as HTML: ``"<strong>a.example</strong>: ✕ always remove"``.

    The name in it can be copied: Markdown would need an invisible sign in an address.
    """
    before, after = change.before, change.after
    if before is None and after is None:
        return say(
            "Imported: {added} added, {changed} changed, {removed} taken off.",
            added=format_number(change.added),
            changed=format_number(change.changed),
            removed=format_number(change.removed),
        )
    name = f"<strong>{_name(change)}</strong>"
    if after is None:
        return say("{name} is off your lists.", name=name)
    if before is not None and before.category is after.category:
        return say("The note of {name} was changed.", name=name)
    action = name_action(after.category)
    return say("{name} is now always: {action}.", name=name, action=action)


def _find_newest(changes: Changes) -> OwnChange | None:
    return next(iter(changes()), None)


def _name(change: OwnChange) -> str:
    entry = change.after or change.before
    return "" if entry is None else escape(show_pattern(entry.pattern))


def _draw_undo(change: OwnChange, undo: Undo, where: str) -> None:
    st.button(
        say("Undo"),
        key=f"own_undo_{where}_{change.change_id}",
        icon=":material/undo:",
        on_click=guard(_undo),
        args=(change.change_id, undo),
    )


def _undo(change_id: int, undo: Undo) -> None:
    try:
        done = undo(change_id)
    except BadField as error:
        note_refusal(say("Not undone: {problem}.", problem=error.problem))
        return
    if done is None:
        note_refusal(say("That change can no longer be undone."))
    elif done.left:
        back = say_many(done.entries, "{count} entry put back.", "{count} entries put back.")
        left = say_many(
            done.left,
            "{count} was changed again since and stays as it is.",
            "{count} were changed again since and stay as they are.",
        )
        note_refusal(f"{back} {left}")
    else:
        note_refusal(say("Undone."))
