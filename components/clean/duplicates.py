"""Duplicates in step two of cleaning a list: removal, which row is kept, some examples."""

from collections.abc import Sequence

import streamlit as st

from components.clean.opened_list import OpenedList
from components.frame.error_boundary import fragment
from components.frame.html import escape_markdown
from components.kit.input_summary import distinguish_columns
from components.kit.notices import draw_error
from winnow.core.errors import WinnowError
from winnow.core.lists.notices import DATES_READ
from winnow.core.lists.previews import DuplicatePreview
from winnow.core.tasks.keep_rule import Keep, KeepRule
from winnow.core.tasks.run_request import RunRequest
from winnow.words import format_number, say, say_many

_MOST_COLUMNS = 30  # of the list, next to those that a rule uses
_TINT = "rgba(56, 134, 178, 0.16)"
_ROW_PX, _HEAD_PX, _MOST_SHOWN = 33, 37, 12
_GROUPS_PX = 320  # the height of a few groups on a wide page


def draw_removal(view: OpenedList) -> RunRequest | None:
    """Draw the choices about duplicates, with some groups on request.

    Returns:
        The choices; None while the column of dates is missing.
    """
    request = _choose_removal(view)
    if (
        request is not None
        and request.deduplicate
        and view.can_be_judged
        and st.toggle(say("Show some duplicates"), key="look_duplicates")
    ):
        _draw_groups(view, request.keep)
    return request


def _choose_removal(view: OpenedList) -> RunRequest | None:
    first = view.recall_request()
    st.html(f'<p class="w-understood">{say("Duplicates")}</p>')
    deduplicate = st.toggle(
        say("Remove duplicates"),
        value=first.deduplicate,
        key=view.name_widget("go_deduplicate"),
        help=say(
            "Addresses that differ only in capital letters or in spaces around them count as "
            "the same."
        ),
    )
    if not deduplicate:
        st.caption(say("Every row is kept, even if its address appears more than once."))
        return RunRequest(deduplicate=False)
    key = view.name_widget(f"go_{view.upload.upload_id}")
    rule = draw_rule(distinguish_columns(view.head.columns), key=key, now=first.keep)
    return None if rule is None else RunRequest(keep=rule)


@fragment(parallel=True)
def _draw_groups(view: OpenedList, keep: KeepRule) -> None:
    """Draw some groups of duplicates; the rest of the page is drawn without waiting."""
    *_, head, column = view.reading
    slot = st.empty()
    slot.skeleton(_GROUPS_PX)
    try:
        found = view.services.duplicates.look(*view.reading, keep)
    except WinnowError as error:
        with slot.container():
            draw_error(error, kept=say("Your file is still here."))
        return
    with slot.container():
        columns = (column,) if head.second_column is None else (column, head.second_column)
        draw_duplicates(found, distinguish_columns(head.columns), columns, keep)


def draw_rule(names: Sequence[str], *, key: str, now: KeepRule) -> KeepRule | None:
    """Draw the choice of the row to keep; return it, None while the column of dates is missing.

    Args:
        names: The columns, as they are shown.
        key: What the widgets' keys begin with.
        now: What is chosen at first.
    """
    rules, column = list(Keep), None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        keep = st.selectbox(
            say("Which row of each address to keep"),
            rules,
            index=rules.index(now.keep),
            format_func=lambda keep: say(keep.words),
            key=f"{key}_keep",
            width=340,
        )
        if keep.has_dates:
            column = st.selectbox(
                say("Date column"),
                range(len(names)),
                index=now.date_column if now.date_column in range(len(names)) else None,
                format_func=lambda place: names[place],
                key=f"{key}_keep_by",
                placeholder=say("Choose the column with the dates"),
                width=340,
            )
    if keep.of_equals:
        st.caption(say(keep.of_equals))
    joins_aliases = st.toggle(
        say("Treat aliases of a mailbox as duplicates"),
        value=now.joins_aliases,
        key=f"{key}_join_aliases",
        help=say(
            "Plus tags are ignored where the provider is known for them (ana+shop@gmail.com), and "
            "at Gmail dots as well; googlemail.com is gmail.com."
        ),
    )
    return KeepRule.of(keep, column, joins_aliases)


def draw_duplicates(
    preview: DuplicatePreview, names: Sequence[str], email_columns: Sequence[int], rule: KeepRule
) -> None:
    """Draw some groups of duplicates, with the row of each that is kept.

    Args:
        preview: What was found.
        names: The columns, as they are shown.
        email_columns: Those with the addresses, from 0.
        rule: Which row is kept.
    """
    for notice in preview.notices:
        is_loud = preview.is_guess and notice.code == DATES_READ
        (st.warning if is_loud else st.caption)(escape_markdown(say(notice.text)))
    st.caption(word_groups(preview))
    if preview.groups:
        _draw_table(preview, names, email_columns, rule)


def word_groups(preview: DuplicatePreview) -> str:
    """Return how many duplicates were searched, and how many are shown."""
    where = (
        ""
        if preview.is_whole
        else say_many(
            preview.row_count,
            "This is a sample: the first {count} row of the list. ",
            "This is a sample: the first {count} rows of the list. ",
        )
    )
    if not preview.groups:
        return where + say("There are no duplicates.")
    found = say_many(
        preview.group_count,
        "{count} address appears more than once.",
        "{count} addresses appear more than once.",
    )
    shown = len(preview.groups)
    if preview.group_count > shown:
        found += " " + say("The first {shown} are shown.", shown=format_number(shown))
    return where + found


def _draw_table(
    preview: DuplicatePreview, names: Sequence[str], email_columns: Sequence[int], rule: KeepRule
) -> None:
    import pandas as pd

    first = [*email_columns]
    if rule.date_column is not None and rule.date_column not in first:
        first.append(rule.date_column)
    places = [*first, *(place for place in range(len(names)) if place not in first)]
    places = places[: _MOST_COLUMNS + len(first)]
    title = rule.keep.rank_title
    no_rank = say("no date") if rule.keep.has_dates else ""
    rows: list[list[str | int]] = []
    tinted: list[int] = []
    for number, group in enumerate(preview.groups):
        for row in group.rows:
            tinted += [len(rows)] if number % 2 == 0 else []
            words = say("is kept") if row.stays else say("is removed")
            ranks = [row.rank or no_rank] if title else []
            cells = ["".join(row.cells[place : place + 1]) for place in places]
            rows.append([row.number, words, *ranks, *cells])
    ranked = ["rank"] if title else []
    frame = pd.DataFrame(rows, columns=["row", "fate", *ranked, *map(str, places)])
    shown = frame.style.set_properties(
        subset=pd.IndexSlice[tinted, :], **{"background-color": _TINT}
    )
    config = {
        "row": st.column_config.NumberColumn(say("Row"), format="localized", width=72),
        "fate": st.column_config.TextColumn(say("What happens"), width=190),
        **{str(place): st.column_config.TextColumn(names[place]) for place in places},
    }
    if ranked:
        config["rank"] = st.column_config.TextColumn(say(title), width=150)
    st.dataframe(
        shown,
        hide_index=True,
        height=min(len(rows), _MOST_SHOWN) * _ROW_PX + _HEAD_PX,
        column_config=config,
        alt=say("Some groups of duplicates: each row, and whether it is kept"),
        key="duplicate_rows",
    )
