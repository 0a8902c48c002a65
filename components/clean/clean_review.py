"""Step two of cleaning a list: how the file is read, choices to change it, the first rows."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from html import escape
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.clean.duplicates import draw_removal
from components.clean.opened_list import (
    OpenedList,
    clear_choices,
    open_list,
    read_choices,
    write_choices,
)
from components.frame.error_boundary import guard
from components.frame.html import escape_markdown
from components.frame.page_urls import page_params
from components.frame.session import set_widget, show_local_date
from components.kit.input_summary import (
    DELIMITERS,
    ESCAPES,
    awaits_column,
    describe_head,
    distinguish_columns,
    name_delimiter,
)
from components.kit.mail_choices import MailTable, draw_mail_choices
from components.kit.notices import draw_error, draw_loud_notices, draw_notices
from winnow.core.errors import MixedEscapes, WinnowError
from winnow.core.figures import show_count
from winnow.core.lists.input_head import ENCODINGS, Choices, Head, describe_encoding, doubt_column
from winnow.core.lists.upload import Upload
from winnow.core.meaning.columns import read_columns
from winnow.core.tasks.run_request import RunRequest
from winnow.services.services import Services
from winnow.words import format_number, say, say_many

_FIRST_ROWS = 6
_CHANGE_COLUMNS = {"sheet", "delimiter", "escape", "first_row"}
_LAST_FIRST_ROW = 1_000  # a header is not looked for below these rows
_MOST_COLUMNS = 100  # in the preview; Excel has up to 16,384
_MARKED = "rgba(56, 134, 178, 0.16)"
_ROW_PX, _HEAD_PX = 33, 50  # half of the seventh row shows that there are more


def draw_review(
    services: Services, account: str, upload: Upload
) -> tuple[OpenedList, RunRequest | None, DeltaGenerator, DeltaGenerator] | None:
    """Draw step two: how the list is read, the preview, duplicates.

    Returns:
        The list with what is asked of the run, as ``draw_removal``, and the places of the last list
        and of the preview; None if it cannot be read.
    """
    st.header(say("2 · Check what was read"))
    try:
        view = open_list(services, account, upload)
    except WinnowError as error:
        _draw_unreadable(error)
        return None
    head = view.head
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(f'<p class="w-understood">{escape(describe_head(head, view.column))}</p>')
        _draw_reading_choices(view)
    last = st.container()  # drawn once all choices of the page are known
    with st.container():  # the pickers below keep their place, and the keyboard's
        _draw_doubts(view)
    _draw_column_pickers(view)
    if view.can_be_judged:
        with st.container(key="who"):
            _draw_consent(view)
    _draw_first_rows(view)
    with st.container():
        draw_notices(head.notices, head.file_format)
    health = st.container(key="health")
    with st.container(key="duplicates"):
        removal = draw_removal(view)
    return view, removal, last, health


def draw_last_list(view: OpenedList, *, is_open: bool) -> None:
    """Draw the last list with the same headings, and offer its settings; open: one is missing."""
    if not view.head.has_header:
        return
    found = view.services.mail_choices.find_last(view.account, view.head.columns)
    if found is None:
        return
    last, wanted = found
    text = say(
        "This looks like your list of {day}: {rows}, {count} said no or bounced.",
        day=show_local_date(last.cleaned_at),
        rows=say_many(last.rows, "{count} row", "{count} rows"),
        count=show_count(last.noes),
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="last_list"):
        st.markdown(f":material/history: {text}", width="content")
        if is_open or not view.has_settings(wanted):
            st.button(
                say("Use its settings"),
                key="last_settings",
                on_click=guard(partial(view.take_settings, wanted)),
                help=say("Columns, duplicates, corrections and who decides, as chosen then."),
            )


def _draw_unreadable(error: WinnowError) -> None:
    """Draw why the list cannot be read, and the choices that may help."""
    draw_error(error, kept=say("Nothing was cleaned yet."))
    if isinstance(error, MixedEscapes):
        _draw_answers(
            (),
            "escape",
            {
                say("Backslashes are ordinary text"): "",
                say("A backslash escapes the next character"): "\\",
            },
        )
    if read_choices(page_params) != Choices() and st.button(
        say("Undo my changes"), key="look_afresh"
    ):
        clear_choices()
        st.rerun()


@guard
def _choose(sheets: Sequence[str], field: str, value: Any) -> None:
    """Write a choice into the URL; without those of columns where the columns may change."""
    choices = replace(read_choices(page_params, sheets), **{field: value})
    if field in _CHANGE_COLUMNS:
        choices = replace(choices, email_column=None, second_email_column=None)
        page_params.put({"silent": None, "order": None})
    elif choices.second_email_column == choices.email_column:
        choices = replace(choices, second_email_column=None)
    write_choices(choices, sheets)


@guard
def _take(view: OpenedList, field: str) -> None:
    """Write the choice of a widget into the URL."""
    _choose(view.head.sheets, field, st.session_state[f"look_{field}"])


def _draw_answers(sheets: Sequence[str], field: str, answers: Mapping[str, Any]) -> None:
    """Draw a button for each answer to a question, with the choice that it makes."""
    with st.container(horizontal=True):
        for words, value in answers.items():
            st.button(
                words,
                key=f"look_{field}_{value}",
                on_click=_choose,
                args=(sheets, field, value),
            )


def _draw_consent(view: OpenedList) -> None:
    """Draw who may be mailed, by the columns of the list."""
    head, column = view.head, -1 if view.column is None else view.column
    values, row_count, is_whole = view.find_values()
    decisions = view.recall_mail(read_columns(head.columns, values, column))
    table = MailTable(
        head.columns,
        read_columns(head.columns, values, column, decisions),
        decisions,
        row_count,
        is_whole,
        change=view.keep_mail,
        key="mail",
    )
    draw_mail_choices(table)


def _draw_reading_choices(view: OpenedList) -> None:
    """Draw the choices of how the file is read; their values are under the keys ``look_…``."""
    head = view.head
    if head.file_format.traits.names_columns:
        return
    with st.popover(
        say("Change how it is read"), icon=":material/tune:", key="reading", on_change="rerun"
    ) as menu:
        if not menu.open:  # a closed menu's widgets would send former values
            return
        if head.file_format.traits.has_sheets:
            _draw_pick(view, "sheet", say("Sheet"), head.sheets, head.sheet)
        if head.file_format.traits.is_text:
            _draw_pick(
                view,
                "encoding",
                say("Encoding"),
                ENCODINGS,
                head.encoding,
                lambda codec: say(describe_encoding(codec)),
            )
            _draw_pick(
                view, "delimiter", say("Delimiter"), DELIMITERS, head.delimiter, name_delimiter
            )
            _draw_pick(
                view,
                "escape",
                say("Quotation marks in a cell"),
                ESCAPES,
                head.escape,
                lambda sign: say(ESCAPES[sign]),
            )
        set_widget("look_has_header", head.has_header)
        st.toggle(
            say("The list has a header row"),
            key="look_has_header",
            on_change=_take,
            args=(view, "has_header"),
        )
        set_widget("look_first_row", head.first_row)
        st.number_input(
            say("The header is in row") if head.has_header else say("The list begins in row"),
            min_value=1,
            max_value=max(_LAST_FIRST_ROW, head.first_row),
            key="look_first_row",
            on_change=_take,
            args=(view, "first_row"),
            help=say("Rows above it are not checked; the result has them unchanged."),
        )


def _draw_pick(
    view: OpenedList,
    field: str,
    label: str,
    known: Iterable[Any],
    now: Any,
    name: Callable[[Any], str] = str,
    **options: Any,
) -> None:
    """Draw one choice of how the file is read; what was recognised may be an unusual value.

    ``options`` are those of ``st.selectbox``.
    """
    values = list(known)
    set_widget(f"look_{field}", now)
    st.selectbox(
        label,
        values if now is None or now in values else [now, *values],
        format_func=name,
        key=f"look_{field}",
        on_change=_take,
        args=(view, field),
        **options,
    )


def _draw_doubts(view: OpenedList) -> None:
    """Draw questions and notes about the header and the email column."""
    head, email_column = view.head, view.column
    if head.headerless_guess:
        st.warning(say("The first row looks like a row of the list. Is there a header row?"))
        answers = {
            say("No, there is no header row"): False,
            say("Yes, this is the header row"): True,
        }
        _draw_answers(head.sheets, "has_header", answers)
    if awaits_column(head):
        _ask_for_column(head)
    elif not head.email_columns and head.has_header and not head.headerless_guess:
        if head.suggested_column is None and not head.address_columns:
            st.warning(say("No column is named email, and the first rows hold no addresses."))
        elif head.suggested_column is not None and head.chosen_column is None and not head.is_named:
            name = escape_markdown(distinguish_columns(head.columns)[head.suggested_column])
            st.info(
                say(
                    "No column is named email. {name} holds addresses, so it will be checked.",
                    name=name,
                )
            )
    if email_column is not None:
        draw_loud_notices(doubt_column(head, email_column))


def _draw_column_pickers(view: OpenedList) -> None:
    head, email_column = view.head, view.column
    names = distinguish_columns(head.columns)
    others = [place for place in range(len(names)) if place != email_column]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _draw_pick(
            view,
            "email_column",
            say("Email column"),
            range(len(names)),
            email_column,
            names.__getitem__,
            index=None,
            placeholder=say("Choose the column that holds the addresses"),
        )
        if email_column is None or not others:
            return
        second = head.second_column if head.second_column in others else None
        _draw_pick(
            view,
            "second_email_column",
            say("Second email column (optional)"),
            others,
            second,
            names.__getitem__,
            index=None,
            placeholder=say("None"),
            help=say(
                "For lists with two addresses in a row, such as work and private; a new column, "
                "email_used, has the one that was checked."
            ),
        )
    likely = [place for place in head.address_columns if place in others]
    if second is None and likely:
        st.caption(
            say(
                "{second} holds addresses too. To use them as well, choose it as the second email "
                "column.",
                second=escape_markdown(names[likely[0]]),
            )
        )


def _ask_for_column(head: Head) -> None:
    """Draw why the email column is to be chosen, in the field below."""
    count = format_number(len({*head.email_columns, *head.address_columns}))
    if len(head.address_columns) > 1:
        text = say("{count} columns hold addresses. Which one should be checked?", count=count)
    else:
        text = say("{count} columns are named email. Which one should be checked?", count=count)
    st.warning(text)


def _draw_first_rows(view: OpenedList) -> None:
    """Draw the first rows, those above the header too, with the email column marked."""
    import pandas as pd

    head, email_column = view.head, view.column
    names = distinguish_columns(head.columns)
    positions = list(range(len(names)))[:_MOST_COLUMNS]
    if email_column is not None and email_column not in positions:
        positions.append(email_column)
    marked = [place for place in (email_column, head.second_column) if place in positions]
    numbered = [*head.rows_above, *zip(head.row_numbers, head.sample_rows, strict=True)]
    numbers = [number for number, _ in numbered]
    frame = pd.DataFrame(
        [["".join(row[place : place + 1]) for place in positions] for _, row in numbered],
        columns=[str(position) for position in positions],
        index=pd.Index(numbers, name="row"),
    )
    config = {
        str(position): st.column_config.TextColumn(
            f"▸ {names[position]}" if position in marked else names[position],
            help=say("The addresses to check") if position in marked else None,
        )
        for position in positions
    }
    shown = frame.style
    if email_column is not None:
        shown = shown.set_properties(
            subset=[str(place) for place in marked],
            **{"background-color": _MARKED},
        )
    with st.container(key="first_rows"):
        st.dataframe(
            shown,
            height=_FIRST_ROWS * _ROW_PX + _HEAD_PX if len(numbers) > _FIRST_ROWS else "content",
            column_config={
                "_index": st.column_config.NumberColumn(say("Row"), format="%d"),
                **config,
            },
            alt=say("The first rows of the list, with the email column marked"),
            key="look_rows",
        )
        if len(names) > len(positions):
            st.caption(
                say(
                    "{shown} of {count} columns are shown here; the result has all of them.",
                    shown=format_number(len(positions)),
                    count=format_number(len(names)),
                )
            )
        if head.rows_above:
            row = format_number(head.first_row)
            st.caption(
                say("Rows above row {row} are not checked; the result has them unchanged.", row=row)
            )
