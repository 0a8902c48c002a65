"""Never-mail list: its switch, what each list said, a search, and what matches no one any more."""

from functools import partial

import streamlit as st

from components.frame.error_boundary import guard
from components.frame.html import escape_markdown
from components.frame.session import may, set_widget, show_local
from components.rules.side_files import describe_counts, word_outcomes
from winnow.core.lists.side_files import OwnFile, OwnFileKind
from winnow.services.own.never_mail import NeverMail
from winnow.services.services import Services
from winnow.words import format_day, say, say_many, translatable

WHAT_IT_DOES = translatable(
    "Everyone who said no or bounced for good in one of your lists, or is on its do-not-mail "
    "files, is then left out of all of them. Only hashes and days are stored."
)
_SWITCH = "never_mail_on"


def draw_never_mail(services: Services, account: str) -> None:
    """Draw the switch, the search and each list and file that said no, the newest first."""
    never_mail = services.never_mail
    set_widget(_SWITCH, bool(never_mail.is_on(account)))
    st.toggle(
        say("Remember who said no"),
        key=_SWITCH,
        disabled=not may(never_mail.turn),
        on_change=guard(lambda: never_mail.turn(account, is_on=st.session_state[_SWITCH])),
    )
    st.caption(say(WHAT_IT_DOES))
    draw_lost_noes(services, account)
    files = never_mail.list(account)
    if not files:
        st.markdown(say("Nothing is remembered yet."))
        return
    count = never_mail.count(account)
    said = say_many(count, "{count} entry is remembered.", "{count} entries are remembered.")
    st.markdown(f"**{said}**")
    _draw_search(never_mail, account)
    for file in reversed(files):
        _draw_source(never_mail, account, file)


def draw_lost_noes(services: Services, account: str) -> None:
    """Draw how many noes match no one since the pepper was renewed, until that is dismissed."""
    never_mail = services.never_mail
    lost = sum(file.counts.noes for file in never_mail.list_lost(account))
    if not lost:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="lost_noes"):
        st.warning(
            say_many(
                lost,
                "{count} stored address matches no one any more, because the secret of this data "
                "folder was renewed. Clean the list or add the file again that has it.",
                "{count} stored addresses match no one any more, because the secret of this data "
                "folder was renewed. Clean the lists or add the files again that have them.",
            )
        )
        st.button(
            say("Dismiss"),
            key="lost_noes_dismiss",
            disabled=not may(never_mail.forget_lost),
            on_click=guard(partial(never_mail.forget_lost, account)),
        )


def _draw_search(never_mail: NeverMail, account: str) -> None:
    """Draw the search for an address, and who said no for it."""
    text = st.text_input(
        say("Is an address on it?"),
        type="search",
        key="never_mail_search",
        placeholder="ana@shop.example",
        width=340,
    )
    if not text:
        return
    found, is_left_out = never_mail.find_noes(account, text.strip())
    lines = (
        escape_markdown(one.source or "") + (f", {format_day(one.dated)}" if one.dated else "")
        for one in found
    )
    said = say("It is not remembered.")
    if found:
        said = say("It is mailed again; this is what was said:")
    if is_left_out:
        said = say("It is remembered; this is who said no:")
    st.markdown("\n- ".join([f"{said}\n", *lines]))


def _draw_source(never_mail: NeverMail, account: str, file: OwnFile) -> None:
    """Draw what one list or do-not-mail file said, and the button that takes it back."""
    name, said = escape_markdown(file.file_name), " ".join(describe_counts(file.counts))
    if file.kind is OwnFileKind.MAIL_AGAIN:
        name, said = say("Mail again"), say("People who said yes after that, as you confirmed.")
    elif file.kind is OwnFileKind.SAID_NO:
        said = f"{word_outcomes(file.counts)}."
        if file.counts.rows:
            rows = say_many(file.counts.rows, "{count} row", "{count} rows")
            name = f"{name}, {show_local(file.created_at)}, {rows}"
    if day := file.counts.first_day or file.created_at.date():
        said = f"{said} {say('Since {day}.', day=format_day(day))}"
    icon = "block" if file.kind is OwnFileKind.DO_NOT_MAIL else "event_busy"
    with st.container(horizontal=True, vertical_alignment="center", border=True):
        st.markdown(f":material/{icon}: **{name}**  \n{said}", width="stretch")
        st.button(
            say("Take back what it added"),
            key=f"never_mail_back_{file.file_id}",
            disabled=not may(never_mail.take_back),
            on_click=guard(partial(never_mail.take_back, account, file.file_id)),
        )
