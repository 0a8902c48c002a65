"""Preview of a list's result: bar, shares, duplicates and warnings."""

from collections.abc import Iterable
from html import escape

import streamlit as st

from components.clean.opened_list import OpenedList
from components.frame.error_boundary import fragment
from components.frame.html import render_legend, render_share_bar
from components.kit.input_summary import distinguish_columns
from components.kit.mail_choices import draw_who_decides
from components.kit.notices import TOO_MANY, draw_doubts, draw_error
from winnow.core.addresses.repairs import find_repair
from winnow.core.errors import EmailColumnMissing, WinnowError
from winnow.core.figures import show_count, show_share
from winnow.core.lists.cleaning import WhoDecides
from winnow.core.lists.previews import Preview
from winnow.core.lists.side_files import OwnFileKind
from winnow.core.tasks.run_request import RunRequest
from winnow.core.verdicts.verdict import say_action, word_meaning
from winnow.words import format_number, say, say_many

_HEALTH_PX = 204  # the height of the preview on a wide page
_BAR_PARTS = 10_000


@fragment(parallel=True)
def draw_health(view: OpenedList, asked: RunRequest) -> None:
    """Draw the preview of the result; the rest of the page is drawn without waiting."""
    slot = st.empty()
    try:
        found = view.services.previews.recall(*view.reading, asked)
        if found is None:
            slot.skeleton(_HEALTH_PX)
            found = view.services.previews.look(*view.reading, asked)
        if view.keep_values(found):  # they, and the count of rows, are drawn above
            st.rerun()
    except EmailColumnMissing:  # the picker shows it already
        slot.empty()
        return
    except WinnowError as error:
        with slot.container():
            draw_error(
                error, kept=say("Correct this in the file first; it cannot be cleaned as it is.")
            )
        return
    with slot.container():
        _draw_preview(view, found, asked)


def _draw_preview(view: OpenedList, preview: Preview, asked: RunRequest) -> None:
    assert view.column is not None  # noqa: S101  # a preview has a column
    if not preview.judged:
        st.caption(say("This list has no preview; its rows are shown after cleaning."))
        return
    health, rows = preview.as_it_is, preview.rows
    if asked.deduplicate and preview.kept is not None:
        health, rows = preview.kept, rows - preview.duplicates
    shares = health.actions.items()
    counts = [(action, round(share * _BAR_PARTS)) for action, share in shares]
    legend = [
        (action, format_number(round(share * rows)), _show(share), word_meaning(action))
        if preview.is_exact
        else (action, _show(share), "", word_meaning(action))
        for action, share in shares
    ]
    lines = [
        word_duplicates(preview, deduplicate=asked.deduplicate),
        word_basis(preview, asks_dns=view.services.network.is_on("dns")),
    ]
    if _has_files(view):
        files = say("People on your do-not-mail files, bounces and never-mail list come on top.")
        lines.append(files)
    worded = ", ".join(f"{say_action(action)} {_show(share)}" for action, share in shares)
    st.html(
        f'<p class="w-understood w-bar-title">{escape(say("What to expect"))}</p>'
        + render_share_bar(counts, label=say("Expected: {shares}", shares=worded))
        + render_legend(legend)
        + "".join(f'<p class="w-health-line">{escape(line)}</p>' for line in lines)
    )
    if preview.torn:
        _draw_torn(view, preview, has_dates=asked.keep.keep_by is not None)
    cells = ("".join(row[view.column :][:1]) for row in view.head.sample_rows)
    invalid = health.invalid
    if invalid > TOO_MANY and is_only_miswritten(cells):
        st.warning(
            say(
                "{share} of the rows have no valid address, but most can be corrected below "
                "or after cleaning.",
                share=_show(invalid),
            )
        )
        invalid = 0
    duplicates = preview.duplicates / max(1, preview.read)
    draw_doubts(duplicates, invalid, distinguish_columns(view.head.columns)[view.column])


def _has_files(view: OpenedList) -> bool:
    """Return whether a file leaves people out, of the list or of all lists."""
    files, account = view.services.own_files, view.account
    return bool(
        files.list(account, OwnFileKind.DO_NOT_MAIL, view.upload.upload_id)
        or files.list(account, OwnFileKind.BOUNCES)
        or view.services.never_mail.list(account)
    )


def _draw_torn(view: OpenedList, preview: Preview, *, has_dates: bool) -> None:
    """Draw how many people say both in the rows that were read, and who decides."""
    usual = view.services.policies.find_default(view.account).choice.policy
    now = view.who_decides or usual.who_decides
    text = say_many(
        preview.torn,
        "**{count} person** says no in one row and yes in another:",
        "**{count} people** say no in one row and yes in another:",
    )
    draw_who_decides(text, now, view.let_decide, has_dates=has_dates)
    if not has_dates:
        st.caption(say("To let the newest row decide, choose a column of dates under Duplicates."))
    if not preview.is_whole:
        rows = show_count(preview.read)
        st.caption(say("Counted in the first {rows} rows; exact after cleaning.", rows=rows))
    if now is not WhoDecides.ANY_NO:
        st.caption(say("The shares above still leave them out."))


def _show(share: float) -> str:
    return show_share(round(share * 10**9), 10**9)


def word_duplicates(preview: Preview, *, deduplicate: bool) -> str:
    """Return in words how many duplicates there are, and how many rows are left without them."""
    count, rows = preview.duplicates, format_number(preview.read)
    if preview.kept is None and not count:
        return say("No duplicates among the {rows} rows looked at.", rows=rows)
    if preview.kept is None:
        found = say_many(
            count,
            "{count} duplicate among the {rows} rows looked at; there may be more.",
            "{count} duplicates among the {rows} rows looked at; there may be more.",
            rows=rows,
        )
        return f"{found} {say('The shares above count duplicates.')}"
    if not count:
        return say("No duplicates.")
    if not deduplicate:
        return say_many(count, "{count} duplicate is kept.", "{count} duplicates are kept.")
    gone = say_many(
        count, "{count} duplicate will be removed.", "{count} duplicates will be removed."
    )
    left = say_many(preview.rows - count, "{count} row is left.", "{count} rows are left.")
    return f"{gone} {left}"


def word_basis(preview: Preview, *, asks_dns: bool) -> str:
    """Return in words how much was read, and how reliable the preview is."""
    judged, read = format_number(preview.judged), format_number(preview.read)
    text = say("Shares of {judged} of the first {read} rows.", judged=judged, read=read)
    if preview.is_exact:
        text = say("Every row was checked.")
    elif preview.is_whole:
        text = say("Shares of {judged} rows picked from all over the list.", judged=judged)
    if not asks_dns:
        return text
    return f"{text} {say('DNS is on: cleaning may find more domains that take no mail.')}"


def is_only_miswritten(cells: Iterable[str]) -> bool:
    """Return whether most cells of a column hold addresses that can be corrected."""
    filled = [cell for cell in cells if cell.strip()]
    return 2 * sum(find_repair(cell) is not None for cell in filled) > len(filled)
