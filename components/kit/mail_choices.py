"""Who may be mailed: the columns that say so, each value with its rows, and what was decided."""

import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from components.frame.error_boundary import guard
from components.frame.html import escape_markdown
from components.frame.session import set_widget
from components.kit.input_summary import distinguish_columns
from winnow.core.figures import show_count
from winnow.core.lists.cleaning import WhoDecides
from winnow.core.lists.own_columns import show_own_text
from winnow.core.meaning.columns import NO_DECISIONS, ColumnMeaning, MailDecisions, WordMet
from winnow.core.meaning.outcomes import Outcome
from winnow.core.verdicts.verdict import Action, name_action
from winnow.words import say, say_many, translatable

_FEW = 8  # values of a column, shown without a click
_HALF = 0.5
_VALUE_PX, _COUNT_PX = 250, 70
Change = Callable[[MailDecisions], None]
_DECIDERS = {
    WhoDecides.ANY_NO: translatable("left out"),
    WhoDecides.NEWEST: translatable("the newest row decides"),
    WhoDecides.KEPT: translatable("only the kept row counts"),
}


@dataclass(frozen=True, slots=True)
class MailTable:
    """What a list's columns say of mail, with what was decided.

    Attributes:
        headings: Of all columns.
        columns: Those that say, or may say, who may be mailed.
        decisions: So far.
        row_count: The rows in which the values were counted.
        is_whole: Whether these are all rows of the list.
        change: Stores more decisions; only those that were made.
        key: Of the widgets.
        may_change: Whether the person may decide.
        removed: Removed duplicates, which are not counted.
    """

    headings: Sequence[str]
    columns: Sequence[ColumnMeaning]
    decisions: MailDecisions
    row_count: int
    is_whole: bool
    change: Change
    key: str
    may_change: bool = True
    removed: int = 0

    def may_mail(self, column: ColumnMeaning, word: WordMet) -> bool:
        """Return whether people with a value are mailed: by decision, else by the tables."""
        decided = self.decisions.find_value(column.name, word.value)
        return not word.outcome.forbids if decided is None else decided

    def is_open(self, column: ColumnMeaning, word: WordMet) -> bool:
        """Return whether a value is neither known nor decided."""
        decided = self.decisions.find_value(column.name, word.value)
        return column.applied and not word.is_known and decided is None

    def count_forbidden(self, column: ColumnMeaning) -> int:
        """Return how many rows a column leaves out, or would."""
        return sum(word.count for word in column.words if not self.may_mail(column, word))

    def awaits_decision(self, column: ColumnMeaning) -> bool:
        """Return whether a column asks for a look: unknown values, or most rows left out."""
        has_open = any(self.is_open(column, word) for word in column.words)
        leaves_most = self.count_forbidden(column) > _HALF * self.row_count
        is_decided = bool(self.decisions.values.keys() | self.decisions.columns.keys())
        return has_open or (column.applied and leaves_most and not is_decided)


def draw_mail_choices(table: MailTable) -> None:
    """Draw the columns that say who may be mailed, and who waits; one line where all is decided."""
    shown = [column for column in table.columns if column.words]
    waiting = [column for column in shown if table.awaits_decision(column)]
    with st.container(key=f"{table.key}_box", gap="small"):
        st.html(f'<p class="w-understood">{say("Who may be mailed?")}</p>')
        st.markdown(_word_summary(table, shown, waiting))
        with (
            st.expander(
                say("Values and columns"),
                expanded=bool(waiting),
                key=f"{table.key}_values_{table.row_count}",
            ),
            st.container(gap="small"),
        ):
            for column in sorted(shown, key=lambda one: (one not in waiting, not one.applied)):
                _draw_column(table, column)
            _draw_another(table)
    _draw_waiting_people(table)


def _word_summary(
    table: MailTable, shown: Sequence[ColumnMeaning], waiting: Sequence[ColumnMeaning]
) -> str:
    """Return in a line or two what the columns leave out, and what is to be decided."""
    names = distinguish_columns(table.headings)
    applied = [column for column in shown if column.applied]
    if not applied:
        return say("No column is read as saying who may be mailed.")
    said = [
        say_many(
            table.count_forbidden(column),
            "**{column}** says no in {count} row.",
            "**{column}** says no in {count} rows.",
            column=escape_markdown(names[column.position]),
        )
        for column in applied
    ]
    if not table.is_whole:
        rows = show_count(table.row_count)
        said.append(say("Counted in the first {rows} rows; exact after cleaning.", rows=rows))
    if table.removed:
        said.append(
            say_many(
                table.removed,
                "{count} removed duplicate is not counted: a no that you choose here holds for it "
                "once the list is cleaned again.",
                "{count} removed duplicates are not counted: a no that you choose here holds for "
                "them once the list is cleaned again.",
            )
        )
    if waiting:
        said.append(say("Please look at the marked values."))
    return " ".join(said)


def _draw_column(table: MailTable, column: ColumnMeaning) -> None:
    """Draw a column: whether it counts, and its values."""
    name = distinguish_columns(table.headings)[column.position]
    about = NO_DECISIONS.decide_column(column.name, not column.applied)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        said = say("counts") if column.applied else say("does not count")
        st.markdown(f"**{escape_markdown(name)}** · {said}", width="content")
        st.button(
            say("It is not about mail") if column.applied else say("It says who may be mailed"),
            key=f"{table.key}_about_{column.position}",
            type="tertiary",
            disabled=not table.may_change,
            on_click=guard(partial(table.change, about)),
        )
    few = column.words[:_FEW]
    marked = [word for word in column.words[_FEW:] if table.is_open(column, word)]
    rest = [word for word in column.words[_FEW:] if word not in marked]
    for word in (*few, *marked):
        _draw_word(table, column, word)
    if rest:
        label = say_many(len(rest), "Show {count} more value", "Show {count} more values")
        if st.toggle(label, key=f"{table.key}_rest_{column.position}"):
            for word in rest:
                _draw_word(table, column, word)


def _draw_word(table: MailTable, column: ColumnMeaning, word: WordMet) -> None:
    """Draw a value, its rows, and whether these people are mailed."""
    number = zlib.crc32(word.value.encode("utf-8", "replace"))
    is_open = table.is_open(column, word)
    key = f"{table.key}_{'open' if is_open else 'word'}_{column.position}_{number}"
    set_widget(f"{key}_mail", table.may_mail(column, word))

    def changed() -> None:
        chosen = st.session_state[f"{key}_mail"]  # None: the shown choice was clicked, so it holds
        is_mailed = table.may_mail(column, word) if chosen is None else chosen
        table.change(NO_DECISIONS.decide_value(column.name, word.value, is_mailed))

    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"mail_{key}"):
        badge = f" :yellow-badge[{say('decide')}]" if is_open else ""
        st.markdown(f"{escape_markdown(show_own_text(word.value))}{badge}", width=_VALUE_PX)
        st.markdown(show_count(word.count), width=_COUNT_PX, text_alignment="right")
        st.segmented_control(
            say("People with {value}", value=show_own_text(word.value)),
            [True, False],
            format_func=lambda one: say("mail") if one else name_action(Action.DO_NOT_MAIL),
            key=f"{key}_mail",
            on_change=guard(changed),
            label_visibility="collapsed",
            disabled=not (column.applied and table.may_change),
        )
        if is_open:
            st.caption(say("mailed until you decide"))


def _draw_another(table: MailTable) -> None:
    """Draw the choice of a column that is not listed."""
    listed = {column.position for column in table.columns}
    names = distinguish_columns(table.headings)
    others = [place for place in range(len(names)) if place not in listed]
    key = f"{table.key}_another"

    def changed() -> None:
        place = st.session_state[key]
        if place is not None:
            heading = table.headings[place]
            table.change(NO_DECISIONS.decide_column(heading, is_about_mail=True))

    if others and table.may_change:
        st.selectbox(
            say("Another column says it"),
            others,
            index=None,
            format_func=names.__getitem__,
            key=key,
            on_change=guard(changed),
            placeholder=say("Choose a column"),
            width=320,
        )


def _draw_waiting_people(table: MailTable) -> None:
    """Draw a line each for people who wait for a confirmation, and who never subscribed."""
    for outcome in (Outcome.PENDING, Outcome.NEVER):
        words = [
            (column, word)
            for column in table.columns
            if column.applied
            for word in column.words
            if word.outcome is outcome
        ]
        if words:
            _draw_people(table, outcome, words)


def _draw_people(
    table: MailTable, outcome: Outcome, words: Sequence[tuple[ColumnMeaning, WordMet]]
) -> None:
    """Draw how many rows an outcome has, whether they are mailed, and the other choice."""
    count = sum(word.count for _, word in words)
    is_mailed = all(table.may_mail(column, word) for column, word in words)
    rows = say_many(count, "{count} row", "{count} rows")
    who = say("pending or unconfirmed") if outcome is Outcome.PENDING else say("never subscribed")
    text = say("**{rows}** {ground}: kept.", rows=rows, ground=who)
    if not is_mailed:
        text = say("**{rows}** {ground}: left out.", rows=rows, ground=who)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(text, width="content")
        st.button(
            say("Leave them out") if is_mailed else say("Keep them"),
            type="tertiary",
            disabled=not table.may_change,
            key=f"{table.key}_{outcome.name.lower()}",
            on_click=guard(partial(table.change, _decide(words, not is_mailed))),
        )


def _decide(words: Iterable[tuple[ColumnMeaning, WordMet]], is_mailed: bool) -> MailDecisions:
    decisions = NO_DECISIONS
    for column, word in words:
        decisions = decisions.decide_value(column.name, word.value, is_mailed)
    return decisions


def draw_who_decides(
    text: str, now: WhoDecides | None, change: Callable[[WhoDecides], None], *, has_dates: bool
) -> None:
    """Draw how many people say both, and who decides; the newest row only where rows have dates."""
    options = [one for one in WhoDecides if has_dates or one is not WhoDecides.NEWEST]
    set_widget("torn_people", now if now in options else None)

    def changed() -> None:
        chosen = st.session_state["torn_people"]
        if chosen is not None:
            change(chosen)

    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="torn"):
        st.markdown(text, width="content")
        st.segmented_control(
            say("Who decides"),
            options,
            format_func=lambda one: say(_DECIDERS[one]),
            key="torn_people",
            on_change=guard(changed),
            label_visibility="collapsed",
            wrap=True,
        )
