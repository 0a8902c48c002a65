"""Comparison of two projects: the pair, counts, changed domains and addresses, the trend."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import streamlit as st

from components.frame import page_urls
from components.frame.error_boundary import guard
from components.frame.html import (
    escape_markdown,
    render_counted_bar,
    word_counts,
)
from components.frame.page_urls import page_params
from components.frame.session import set_widget, show_local, show_local_date
from winnow.core.figures import show_count
from winnow.core.lists.cleaning import CleaningEffect, CleaningPolicy
from winnow.core.lists.comparison import (
    NEVER_MAIL,
    Comparison,
    Difference,
    DifferentAddress,
    Earlier,
)
from winnow.core.lists.exports import DownloadLink
from winnow.core.tasks.task import Task
from winnow.core.verdicts.verdict import ALWAYS_SHOWN, Action, Verdict, name_action
from winnow.words import say, say_many, translatable

ROWS_PER_PAGE = 50
_EMAIL_PX = 230  # on a phone the verdict is next to it
_WORDS = {
    Difference.NEW: translatable("New"),
    Difference.GONE: translatable("Gone"),
    Difference.SAID_NO: translatable("Newly said no"),
    Difference.TURNED_BAD: translatable("Turned bad"),
    Difference.SAID_YES: translatable("Yes after a no"),
    Difference.CHANGED: translatable("Changed otherwise"),
}
_EARLIER = translatable("Earlier: **{name}**, {day}, {rows}")
_LATER = translatable("Later: **{name}**, {day}, {rows}")
_MEANINGS = {
    Difference.NEW: translatable("Addresses that only the later list has"),
    Difference.GONE: translatable("Addresses that only the earlier list has"),
    Difference.SAID_NO: translatable("Addresses that said no since the earlier list"),
    Difference.TURNED_BAD: translatable("Addresses that bounced or are to be removed since"),
    Difference.SAID_YES: translatable(
        "Addresses that said no in the earlier list, and may be mailed now"
    ),
    Difference.CHANGED: translatable("Addresses in both lists that Winnow treats differently now"),
}
_FIRST = (Difference.SAID_NO, Difference.TURNED_BAD, Difference.CHANGED, *Difference)
SHOWN = (Difference.NEW, Difference.GONE, Difference.SAID_NO, Difference.TURNED_BAD)
"""Differences that are shown also where no address has them."""


def word_difference(difference: Difference, count: int) -> str:
    """Return a difference with its count."""
    return f"{say(_WORDS[difference])} {show_count(count)}"


def draw_too_few() -> None:
    """Draw what a comparison needs."""
    st.markdown(
        say("To compare, you need two finished projects, such as last month's list and this one.")
    )
    st.page_link(page_urls.CLEAN, label=say("Clean a list"), icon=":material/upload_file:")


def choose_pair(
    choices: Sequence[Task], before_id: str | None, now_id: str | None, others: Sequence[str] = ()
) -> tuple[str, Task]:
    """Return the id of the earlier list and the project to show: those of the URL, if they exist.

    Else the newest, against the one before it of the same name, or simply the one before it.

    Args:
        choices: At least two, or others; the newest first.
        before_id: The earlier one's id in the URL.
        now_id: The later one's id in the URL.
        others: Ids of earlier lists that are no project.
    """
    known = {task.task_id: task for task in choices}
    now = known.get(now_id or "") or next(task for task in choices if task.task_id != before_id)
    if before_id is not None and before_id in {*known, *others}:
        return before_id, now
    rest = [task for task in choices if task is not now]
    older = [task for task in rest if task.submitted_at <= now.submitted_at] or rest
    same_name = [task.task_id for task in older if task.project_name == now.project_name]
    return [*same_name, *(task.task_id for task in older), *others][0], now


def draw_pair_picker(
    choices: Sequence[Task], list_others: Callable[[str], Iterable[Earlier]]
) -> tuple[str, Task] | None:
    """Draw both choices, which are kept in the URL. None: both are the same project.

    ``list_others`` returns the earlier lists that a project can be compared with and that are no
    project.
    """
    before_id, now_id = page_params.get("before"), page_params.get("now")
    others = {
        one.earlier_id: say("Remembered noes of your earlier lists")
        if one.earlier_id == NEVER_MAIL
        else f"{one.name}, {show_local_date(one.day)}"
        for one in list_others(now_id or "")
    }
    before_id, now = choose_pair(choices, before_id, now_id, list(others))
    page_params.put({"before": before_id, "now": now.task_id})
    names = {
        task.task_id: f"{task.project_name}, {show_local(task.submitted_at)}" for task in choices
    }
    left, right = st.columns(2, gap="medium")
    with left:
        _draw_pick(say("Earlier list"), names | others, before_id, "before")
    with right:
        _draw_pick(say("Later list"), names, now.task_id, "now")
    if before_id == now.task_id:
        st.info(say("Both sides show the same project. Choose another one."))
        return None
    return before_id, now


def _draw_pick(label: str, names: Mapping[str, str], chosen: str, param: str) -> None:
    key = f"compare_{param}"
    set_widget(key, chosen)

    @guard
    def pick() -> None:
        page_params.put({param: st.session_state[key], "show": None})
        st.session_state.pop("compare_page", None)

    st.selectbox(label, list(names), format_func=names.__getitem__, key=key, on_change=pick)


def draw_lists(comparison: Comparison, lists: Sequence[tuple[Task, CleaningEffect]]) -> None:
    """Draw the lists that are projects as bars, and how many addresses are the same in both."""
    for line, (task, effect) in zip((_EARLIER, _LATER)[-len(lists) :], lists, strict=True):
        with st.container(gap="small"):
            rows = say_many(effect.rows, "{count} row", "{count} rows")
            name = escape_markdown(task.project_name)
            st.markdown(say(line, name=name, day=show_local_date(task.submitted_at), rows=rows))
            st.html(render_counted_bar(effect))
    said = [
        say_many(
            comparison.same,
            "{count} address is in both lists and treated as before.",
            "{count} addresses are in both lists and treated as before.",
        )
    ]
    if comparison.blanks:
        said.append(
            say_many(
                comparison.blanks,
                "{count} row without an address cannot be compared.",
                "{count} rows without an address cannot be compared.",
            )
        )
    st.caption(" ".join(said))


def draw_difference_picker(
    comparison: Comparison, link: DownloadLink | None, file_rows: int
) -> Difference:
    """Draw the choice of addresses to show, and a link to a file of them; return the choice.

    ``file_rows``: how many addresses the file has, which leaves out people not to be mailed.
    """
    first = _first(comparison)
    with st.container(horizontal=True, vertical_alignment="center"):
        chosen = st.segmented_control(
            say("Show"),
            [one for one in Difference if one in SHOWN or comparison.count(one)],
            default=first,
            required=True,
            format_func=lambda one: word_difference(one, comparison.count(one)),
            key="compare_difference",
            wrap=True,
            on_change=guard(lambda: st.session_state.pop("compare_page", None)),
            label_visibility="collapsed",
        )
        if link is not None:
            st.link_button(
                say_many(
                    file_rows,
                    "Download differences to mail: {count} address, CSV",
                    "Download differences to mail: {count} addresses, CSV",
                ),
                link.path,
                icon=":material/download:",
                disabled=not file_rows,
                key="compare_download",
                help=say("Who must not be mailed, by either list, is not in the file."),
                wrap=True,
            )
    difference = chosen or first
    counts = comparison.by_action[difference]
    parts = word_counts((one, counts[one]) for one in Action if one in ALWAYS_SHOWN or counts[one])
    st.caption(f"{say(_MEANINGS[difference])}: {parts}")
    return difference


def _first(comparison: Comparison) -> Difference:
    """Return the difference that the URL names, else the first with addresses."""
    asked = page_params.get("show", "")
    order = (*([Difference(asked)] if asked in set(Difference) else []), *_FIRST)
    return next((one for one in order if comparison.count(one)), Difference.NEW)


def draw_different_addresses(
    found: Sequence[DifferentAddress],
    difference: Difference,
    whole: int,
    policy: CleaningPolicy,
) -> None:
    """Draw one page of addresses with their earlier and later verdicts."""
    if not found:
        st.info(say("Their addresses are not kept.") if whole else say("There are none."))
        return
    data: dict[str, list[str]] = {say("Address"): [one.email for one in found]}
    if difference is not Difference.NEW:
        data[say("Before")] = [_word_verdict(one.before, policy) for one in found]
    if difference is not Difference.GONE:
        data[say("Now")] = [_word_verdict(one.now, policy) for one in found]
    st.dataframe(
        data,
        hide_index=True,
        alt=say(_MEANINGS[difference]),
        column_config={say("Address"): st.column_config.TextColumn(width=_EMAIL_PX)},
    )
    if whole > ROWS_PER_PAGE:
        st.pagination(-(-whole // ROWS_PER_PAGE), key="compare_page")


def _word_verdict(verdict: Verdict | None, policy: CleaningPolicy) -> str:
    if verdict is None:
        return ""
    return f"{name_action(policy.find_action(verdict))}, {say(verdict.domain_type.words)}"
