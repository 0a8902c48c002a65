"""Which rows a cleaned list leaves out: switches, and at once what is kept and what is lost."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from html import escape

import streamlit as st

from components.error_boundary import guard
from components.file_form import draw_file_form
from winnow.core.figures import show_count, show_share
from winnow.core.lists.cleaning import USUAL_GROUNDS, CleaningEffect, CleaningPolicy
from winnow.core.lists.download_choice import DownloadChoice
from winnow.core.lists.file_format import FileFormat
from winnow.core.verdicts.grounds import Ground
from winnow.core.verdicts.words import name_ground
from winnow.words import say, say_many

REASONS_SHOWN = 4  # as high as what stands beside them


def draw_policy(
    own: FileFormat,
    choice: DownloadChoice,
    effect: CleaningEffect,
    on_change: Callable[[DownloadChoice], None],
    draw_more: Callable[[], None],
) -> None:
    """Draw the switches and what they do, and how the files look beside it.

    Args:
        own: The list's own format.
        choice: As it stands in the address.
        effect: What its policy does to the project's rows.
        on_change: Takes the new choice before the page runs again.
        draw_more: Draws what else holds for every file.
    """
    offered = [
        ground
        for ground in Ground
        if ground is Ground.BLACK
        or effect.by_ground.get(ground)
        or ground in choice.policy.grounds.difference(USUAL_GROUNDS)
    ]
    unseen = choice.policy.grounds.difference(offered)
    st.session_state["policy_grounds"] = [one for one in offered if one in choice.policy.grounds]

    def changed() -> None:
        grounds = frozenset(st.session_state["policy_grounds"])
        on_change(replace(choice, policy=CleaningPolicy(grounds | unseen)))

    st.pills(
        say("Rows to leave out"),
        offered,
        selection_mode="multi",
        format_func=lambda one: f"{name_ground(one)} {show_count(effect.by_ground.get(one, 0))}",
        key="policy_grounds",
        on_change=guard(changed),
        wrap=True,
        help=say(
            "A row is left out when any of these is true for it. Each figure counts by itself, so "
            "a row may be in several; a row to remove is only counted there. What is on your own "
            "keep list is never left out, unless it is on a do-not-mail file."
        ),
    )
    result, files = st.columns([3, 2], gap="large")
    with result:
        if effect.lost:
            st.markdown(f"**{say('Why rows are left out')}**")
            st.html(_render_reasons(effect))
    with files:
        draw_file_form(own, choice, on_change)
        draw_more()


def draw_effect(
    choice: DownloadChoice, effect: CleaningEffect, on_change: Callable[[DownloadChoice], None]
) -> None:
    """Draw how many rows are kept and left out; what bounced and is kept can go in one press.

    Args:
        choice: As it stands in the address.
        effect: What its policy does to the project's rows.
        on_change: Takes another choice before the page runs again.
    """
    told = _word_effect(effect)
    forbidden = effect.by_ground.get(Ground.DO_NOT_MAIL, 0)
    if forbidden:
        told += " " + say_many(
            forbidden,
            "{count} row is on your do-not-mail files.",
            "{count} rows are on your do-not-mail files.",
        )
    st.html(f'<p class="w-effect">{told}</p>')
    bounced = effect.by_ground.get(Ground.BOUNCED, 0)
    if bounced and Ground.BOUNCED not in choice.policy.grounds:
        stricter = CleaningPolicy(choice.policy.grounds | {Ground.BOUNCED})
        st.button(
            say_many(
                bounced,
                "Leave out {count} row that bounced before",
                "Leave out {count} rows that bounced before",
            ),
            key="policy_bounced",
            icon=":material/unsubscribe:",
            on_click=guard(partial(on_change, replace(choice, policy=stricter))),
        )


def _word_effect(effect: CleaningEffect) -> str:
    kept = say_many(effect.kept, "{count} row is kept", "{count} rows are kept")
    kept = f"<strong>{kept}</strong>"
    if not effect.lost:
        return say("{kept}: nothing is left out.", kept=kept)
    share = show_share(effect.lost, effect.rows)
    return say_many(
        effect.lost,
        "{kept}, {count} is left out ({share}).",
        "{kept}, {count} are left out ({share}).",
        kept=kept,
        share=share,
    )


def _render_reasons(effect: CleaningEffect) -> str:
    """Return the lost rows by the reason that each goes for, the largest first."""
    by_size = sorted(effect.lost_by_reason.items(), key=lambda item: -item[1])
    lines = [_render_line(say(reason.words), count, effect.lost) for reason, count in by_size]
    shown, rest = lines[:REASONS_SHOWN], lines[REASONS_SHOWN:]
    if not rest:
        return _render_list(shown)
    count = sum(count for _, count in by_size[REASONS_SHOWN:])
    words = say_many(
        len(rest),
        "{count} more reason: {rows}",
        "{count} more reasons: {rows}",
        rows=say_many(count, "{count} row", "{count} rows"),
    )
    more = f"<details><summary>{words}</summary>{_render_list(rest)}</details>"
    return f"{_render_list(shown)}{more}"


def _render_list(lines: Sequence[str]) -> str:
    return f'<ul class="w-lost">{"".join(lines)}</ul>' if lines else ""


def _render_line(words: str, count: int, whole: int) -> str:
    return (
        f'<li><span class="w-count">{show_count(count)}</span><span>{escape(words)}</span>'
        f'<span class="w-meter" aria-hidden="true"><span style="width:{100 * count / whole:.2f}%">'
        "</span></span></li>"
    )
