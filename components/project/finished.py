"""Page of a finished project: download, sum, verdicts, notices, doubts, tabs."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from components.clean.duplicates import draw_duplicates, draw_rule
from components.frame.error_boundary import boundary, fragment, guard
from components.frame.focus import move_focus
from components.frame.frame import draw_tabs
from components.frame.html import escape_markdown, render_counted_bar
from components.frame.session import may
from components.kit.input_summary import distinguish_columns
from components.kit.mail_choices import MailTable, draw_mail_choices, draw_who_decides
from components.kit.notices import (
    draw_doubts,
    draw_error,
    draw_notices,
)
from components.kit.project_view import OpenedProject, run_again
from components.project.breakdown import draw_breakdown
from components.project.download_menu import draw_download, is_counted
from components.project.own_columns import draw_left_out
from components.project.project_head import draw_newer_lists, draw_project_facts, draw_project_name
from components.project.repairs import draw_repair_offer, draw_repaired
from components.project.rows_tab import draw_rows
from components.project.silence import draw_silence
from components.project.since import draw_since
from components.rules.never_mail import WHAT_IT_DOES
from components.rules.policies import keep_grounds
from winnow.core.errors import Gone, TaskUnknown, WinnowError
from winnow.core.figures import show_count, show_share
from winnow.core.lists.cleaning import MAIL_GROUNDS, CleaningEffect
from winnow.core.tasks.keep_rule import KeepRule
from winnow.core.tasks.task import KeyType, Summary
from winnow.core.verdicts.domain_types import Ground
from winnow.core.verdicts.verdict import Action, name_ground, say_action
from winnow.words import format_day, say, say_many, translatable

_DRAWN = "choice_drawn"
_LATER_SHOWN = 50
_MINUS = "\N{MINUS SIGN}"
_TORN = (Ground.SAID_BEFORE, Ground.SAID_ELSEWHERE)
_REVIEW = frozenset({Ground.SUSPICIOUS, Ground.MASKED, Ground.MULTI_ALIAS, Ground.OWN_GREY})


_FORECAST = translatable(
    "Of {known} addresses of these kinds {share} bounced hard; of {mailed} expect about {low} to "
    "{high}."
)
_FORECAST_BY_MIX = translatable(
    "Of {known} addresses of these kinds {share} bounced hard, {mixed} by this list's mix of them; "
    "of {mailed} expect about {low} to {high}."
)
_FORECAST_HELP = translatable(
    "By the files under Rules, Bounces. If mail fares as it did, 19 of 20 lists stay in this "
    "range. No mailbox was asked, and nothing is promised."
)


def draw_finished(view: OpenedProject) -> None:
    """Draw a finished project; a part that fails leaves the others."""
    st.session_state[_DRAWN] = view.find_form()
    head = st.container(key="result_head")  # desk.css keeps it in view
    draw_project_facts(view.task, view.services.clock())
    waiting = st.empty()
    if not is_counted(view):
        waiting.progress(1.0, say("Cleaned. Counting who may be mailed."))
    with head:
        fragment(run_every=view.services.settings.link_refresh_seconds)(_draw_head)(view)
    waiting.empty()
    move_focus(".st-key-download_cleaned a", once=view.task.task_id)
    with st.container():  # so that the tabs keep their place, and what is open in them
        with boundary("answer"):
            _draw_answer(view)
        draw_repaired(view)
        if may(view.services.repairs.run):
            draw_repair_offer(view)
    since = st.container()  # drawn last: it reads two lists
    draw_project_tabs(view)
    with since, boundary("since"):
        draw_since(view)


def _draw_head(view: OpenedProject) -> None:
    """Draw the name and the download, redrawn before its links expire."""
    if st.session_state[_DRAWN] != view.find_form():
        st.rerun()  # the rest of the page depends on it as well
    with st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        draw_project_name(view.task)
        draw_download(view)


def _draw_answer(view: OpenedProject) -> None:
    """Draw the sum, the verdicts, and a line for each notice."""
    effect, summary = view.weigh(), view.task.summary
    if summary is not None:
        with st.container(
            horizontal=True, vertical_alignment="center", gap="small", key="result_sum"
        ):
            said = f'<p class="w-sum">{write_sum(summary, effect)}</p>'
            st.html(said, width="content")
            _draw_review(view, effect)
        st.html(render_counted_bar(effect))
        plan = view.task.plan
        draw_doubts(
            summary.duplicates_removed / max(1, summary.rows_in),
            summary.invalid / max(1, summary.rows_out),
            "".join(distinguish_columns(plan.columns)[plan.email_column :][:1]),
        )
    _draw_forecast(view)
    draw_notices(view.task.notices, view.task.plan.file_format)
    _draw_grounds(view, effect)
    _draw_torn(view, effect)
    draw_silence(view)
    draw_left_out(view)
    _draw_mail(view)
    _offer_to_remember(view)
    _draw_later_yes(view)
    draw_newer_lists(view)


def _draw_forecast(view: OpenedProject) -> None:
    """Draw what mail to such addresses did, and how many may bounce; nothing on thin data."""
    found = view.services.results.forecast_bounces(*view.ids, view.find_choice().policy)
    if found is None:
        return
    share = show_share(found.hard, found.known)
    mixed = show_share(round(found.share * 1e6), 10**6)
    text = say(
        _FORECAST if share == mixed else _FORECAST_BY_MIX,
        known=show_count(found.known),
        share=share,
        mixed=mixed,
        mailed=show_count(found.mailed),
        low=show_count(found.low),
        high=show_count(found.high),
    )
    with st.container(key="forecast"):
        st.markdown(text, help=say(_FORECAST_HELP))


def _draw_torn(view: OpenedProject, effect: CleaningEffect) -> None:
    """Draw how many rows say yes while another row says no, how many get mail, and who decides."""
    count, mailed = (
        sum(counts.get(one, 0) for one in _TORN)
        for counts in (effect.by_ground, effect.kept_by_ground)
    )
    if not count:
        return
    choice = view.find_choice()
    text = say_many(
        count,
        "**{count} row** says yes, another row or removed duplicate of the person says no "
        "({mailed} mailed):",
        "**{count} rows** say yes, another row or removed duplicate of the person says no "
        "({mailed} mailed):",
        mailed=show_count(mailed),
    )
    has_dates = view.task.request.keep.date_column is not None
    draw_who_decides(
        text,
        choice.policy.who_decides,
        lambda one: keep_grounds(view, choice.policy.let_decide(one).grounds),
        has_dates=has_dates,
    )


def _draw_mail(view: OpenedProject) -> None:
    """Draw who may be mailed by the list's columns; a change holds for every download at once."""
    task, services = view.task, view.services
    columns = services.mail_choices.list_columns(*view.ids)
    if not columns or task.summary is None:
        return
    table = MailTable(
        task.plan.columns,
        columns,
        task.request.mail,
        task.summary.rows_out,
        is_whole=True,
        change=partial(services.mail_choices.change, *view.ids),
        key="mail",
        may_change=may(view.services.mail_choices.change),
        removed=task.summary.duplicates_removed,
    )
    draw_mail_choices(table)


def _offer_to_remember(view: OpenedProject) -> None:
    """Offer the never-mail list with the first list that has noes, until it is decided on."""
    never_mail, summary = view.services.never_mail, view.task.summary
    noes = 0
    if summary is not None and view.task.key_type is KeyType.LIVE:
        noes = sum(summary.do_not_mail.values())
    if not (noes and may(never_mail.remember)) or never_mail.is_on(view.account) is not None:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        text = say_many(
            noes,
            "**{count} row** says no or bounced: remember it for your next lists?",
            "**{count} rows** say no or bounced: remember them for your next lists?",
        )
        st.markdown(text, width="content", help=say(WHAT_IT_DOES))
        st.button(
            say("Remember who said no"),
            key="never_mail_remember",
            on_click=guard(partial(never_mail.remember, *view.ids)),
        )
        st.button(
            say("Do not remember"),
            type="tertiary",
            key="never_mail_off",
            on_click=guard(partial(never_mail.turn, view.account, is_on=False)),
        )


def _draw_later_yes(view: OpenedProject) -> None:
    """Draw the rows that say yes after a remembered no; each person is mailed again by a click."""
    never_mail = view.services.never_mail
    found = never_mail.find_later_yes(*view.ids)
    if not found:
        return
    title = say_many(
        len(found),
        "{count} row says yes after a remembered no, and is left out",
        "{count} rows say yes after a remembered no, and are left out",
    )
    with st.expander(title, icon=":material/undo:", key=f"later_yes_{view.task.task_id}"):
        for one in found[:_LATER_SHOWN]:
            email = view.services.results.row(*view.ids, one.number).email
            days = {"no": format_day(one.said_no), "yes": format_day(one.said_yes)}
            with st.container(horizontal=True, vertical_alignment="center"):
                said = say("no on {no}, yes on {yes}", **days)
                st.markdown(f"**{escape_markdown(email)}**: {said}", width="stretch")
                st.button(
                    say("Mail again"),
                    key=f"mail_again_{one.number}",
                    disabled=not may(never_mail.mail_again),
                    on_click=guard(partial(never_mail.mail_again, *view.ids, one.number)),
                )


def _draw_grounds(view: OpenedProject, effect: CleaningEffect) -> None:
    """Draw a line for each ground whose rows must not be mailed, and are by the page's choice."""
    for ground in MAIL_GROUNDS:
        count = effect.kept_by_ground.get(ground, 0)
        if count and ground not in _TORN:
            rows = say_many(count, "{count} row", "{count} rows")
            text = say("**{rows}** {ground}: kept.", rows=rows, ground=name_ground(ground))
            st.markdown(f":material/block: {text}")


def write_sum(summary: Summary, effect: CleaningEffect) -> str:
    """Return the sum as HTML: ``"5,000 - 344 duplicates - 279 remove - 2 do not mail = 4,375"``."""
    parts = [show_count(summary.rows_in)]
    if gone := summary.duplicates_removed:
        parts.append(say_many(gone, "{count} duplicate", "{count} duplicates"))
    lost = [
        (one, effect.by_action.get(one, 0))
        for one in (Action.REMOVE, Action.DO_NOT_MAIL, Action.LATER)
    ]
    parts += [
        f"{show_count(count)} {say_action(one)}"
        for one, count in lost
        if count or one is Action.REMOVE
    ]
    return f"{f' {_MINUS} '.join(parts)} = <strong>{show_count(effect.kept)}</strong>"


def _draw_review(view: OpenedProject, effect: CleaningEffect) -> None:
    """Offer to leave out the rows to review, or to keep them again."""
    grounds = view.find_choice().policy.grounds
    if effect.review:
        label = say_many(
            effect.review,
            "{count} to review: leave it out",
            "{count} to review: leave them out",
        )
        wanted = grounds | _REVIEW
    elif grounds >= _REVIEW:
        label, wanted = say("Keep the rows to review"), grounds - _REVIEW
    else:
        return
    st.button(
        label,
        type="tertiary",
        key="leave_review",
        on_click=guard(partial(keep_grounds, view, wanted)),
    )


@fragment()
def draw_project_tabs(view: OpenedProject) -> None:
    """Draw the tabs; a choice in one redraws only these."""
    try:
        view.services.results.require_completed(*view.ids)
    except (TaskUnknown, Gone):  # deleted in another tab: the page says so
        st.rerun()
    draw_tabs(
        {
            "rows": (say("Rows"), partial(draw_rows, view)),
            "breakdown": (say("Breakdown"), partial(draw_breakdown, view)),
            "duplicates": (say("Duplicates"), partial(draw_project_duplicates, view)),
        },
        key="tabs",
    )


def draw_project_duplicates(view: OpenedProject) -> None:
    """Draw the duplicates that were removed, or that there were none; offer another rule."""
    task = view.task
    names = distinguish_columns(task.plan.columns)
    if task.summary is None or not task.request.deduplicate:
        st.caption(say("Duplicates were not looked for in this list."))
        return
    gone = task.summary.duplicates_removed
    if not gone:
        st.caption(say("No address is in this list twice."))
        return
    rule = task.request.keep
    title = say_many(gone, "{count} duplicate was removed", "{count} duplicates were removed")
    with st.container(key="removed_duplicates"):
        said = [f"**{title}.**"]
        if invalid := task.summary.duplicates_invalid:
            said.append(
                say_many(
                    invalid, "{count} is not an address.", "{count} of them are not addresses."
                )
            )
        st.markdown(" ".join([*said, word_rule(rule, names)]))
        if st.toggle(say("Show some duplicates"), key="show_duplicates"):
            _draw_groups(view, names)
        if not may(view.services.duplicates.run_again):
            return
        st.markdown(f"**{say('Clean this list again with another rule')}**")
        wanted = draw_rule(names, key=f"again_{task.task_id}", now=rule)
        starts = st.button(say("Clean again"), key="keep_again", disabled=wanted in (None, rule))
        if starts and wanted is not None:
            run_again(partial(view.services.duplicates.run_again, *view.ids, wanted))
        if wanted is None:
            st.caption(say("First choose the date column."))
        else:
            st.caption(say("Another rule makes a new project. This one stays as it is."))


def word_rule(rule: KeepRule, names: Sequence[str]) -> str:
    """Return in words which row of each address was kept."""
    if rule.date_column is None:
        said = say(rule.keep.words)
        said = f"{said[:1].lower()}{said[1:]}"
        return say("Of each address, this row stayed: {rule}.", rule=said)
    column = names[rule.date_column] if rule.date_column < len(names) else ""
    return say(rule.keep.of_dates, column=escape_markdown(column))


def _draw_groups(view: OpenedProject, names: Sequence[str]) -> None:
    try:
        with st.spinner(say("Looking into the list")):
            preview = view.services.duplicates.look_back(*view.ids)
    except WinnowError as error:
        draw_error(error, kept=say("The project is as it was."))
        return
    plan, rule = view.task.plan, view.task.request.keep
    second = () if plan.second_email_column is None else (plan.second_email_column,)
    columns = (plan.email_column, *second)
    draw_duplicates(preview, names, columns, rule)
