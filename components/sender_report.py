"""A sending domain's report: what is wrong, how to mend it, what is set."""

from collections.abc import Callable

import streamlit as st

from components import page_urls
from components.local_time import show_local
from components.markdown import escape_markdown
from winnow.core.sender.findings import (
    WORST_FIRST,
    Area,
    AreaReport,
    DnsRecord,
    Finding,
    Level,
    SenderReport,
)
from winnow.words import mark, say, say_many

_LOOKS = {  # colour, icon, word
    Level.PROBLEM: ("red", ":material/close:", mark("Wrong")),
    Level.UNKNOWN: ("gray", ":material/help:", mark("Open")),
    Level.ADVICE: ("yellow", ":material/contrast:", mark("Could be better")),
    Level.GOOD: ("green", ":material/check:", mark("Good")),
}
_TO_SET = mark("Set this {kind} record, named **{name}**:")
_IS_SET = mark("{kind} record named **{name}**")
_TITLES = {
    Area.SPF: (mark("SPF"), mark("SPF names the servers that may send mail for your domain.")),
    Area.DKIM: (mark("DKIM"), mark("DKIM lets mailboxes check that a mail is really yours.")),
    Area.DMARC: (
        mark("DMARC"),
        mark("DMARC says what mailboxes do with mail that only pretends to be yours."),
    ),
    Area.MX: (mark("MX"), mark("MX names where replies and bounces go.")),
}


def draw_sender_link() -> None:
    """Lead to the sender check."""
    st.page_link(
        page_urls.SENDER,
        label=say("Before you send: check your own domain"),
        icon=":material/outgoing_mail:",
    )


def draw_sender_form(*, can_ask: bool) -> tuple[str, str] | None:
    """Draw the form; return the domain and the selectors once they are sent off."""
    with (
        st.form("sender", border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        domain = st.text_input(
            say("Your sending domain"),
            key="sender_domain",
            placeholder="shop.example",
            help=say("What stands behind the @ of your sender address."),
        )
        selectors = st.text_input(
            say("DKIM selector, if you know it"),
            key="sender_selectors",
            help=say(
                "The usual ones of mail platforms are tried anyway. Yours stands as “s=…” in "
                "the line “DKIM-Signature” of a mail that you sent. Several: with commas."
            ),
        )
        pressed = st.form_submit_button(
            say("Check this domain"), type="primary", disabled=not can_ask
        )
    return (domain, selectors) if pressed else None


def draw_dns_off(*, is_allowed: bool, on_turn: Callable[[], None]) -> None:
    """Say that nothing is asked while DNS is off, and offer to turn it on."""
    if not is_allowed:
        st.info(
            say(
                "This check reads public DNS records, and the setting WINNOW_NETWORK locks DNS "
                "off: nothing is asked."
            ),
            icon=":material/wifi_off:",
        )
        return
    with st.container(border=True):
        st.markdown(
            say(
                "This check reads public DNS records, and DNS is off: nothing is asked before you "
                "turn it on. It then stays on for all checks, until you turn it off at the foot of "
                "the page. Only domain names are sent, never addresses."
            )
        )
        st.button(say("Turn DNS on"), key="sender_dns", icon=":material/wifi:", on_click=on_turn)


def draw_sender_report(report: SenderReport) -> None:
    """Draw a report, area by area."""
    st.header(escape_markdown(report.domain))
    st.markdown(_sum_up(report))
    st.caption(
        say(
            "Asked {moment}. Nothing of it is kept.", moment=show_local(report.asked_at, exact=True)
        )
    )
    for area in report.areas:
        _draw_area(area)
    if report.level is not Level.GOOD:
        st.caption(
            say(
                "DNS records are set where your domain is managed: often where you bought it, or "
                "by your IT department. A changed record shows here after a few minutes, at some "
                "providers after a day."
            )
        )


def _sum_up(report: SenderReport) -> str:
    wrong, open_ = report.count(Level.PROBLEM), report.count(Level.UNKNOWN)
    better = report.count(Level.ADVICE)
    parts = [
        say_many(wrong, "{count} thing is wrong", "{count} things are wrong") if wrong else "",
        say_many(better, "{count} could be better", "{count} could be better") if better else "",
        say_many(open_, "{count} is open", "{count} are open") if open_ else "",
    ]
    said = ", ".join(part for part in parts if part)
    return f"**{said}.**" if said else f"**{say('All four are set as they should be.')}**"


def _draw_area(area: AreaReport) -> None:
    title, meaning = _TITLES[area.area]
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.subheader(say(title), width="stretch")
            st.markdown(_write_badge(area.level), width="content")
        st.caption(say(meaning))
        findings = sorted(area.findings, key=lambda one: WORST_FIRST.index(one.level))
        for position, finding in enumerate(findings):
            _draw_finding(finding)
            later = {one.record for one in findings[position + 1 :]}
            if finding.record is not None and finding.record not in later:
                # Once, below the last finding that it mends.
                _draw_record(finding.record, _TO_SET)
        if area.records:
            with st.expander(
                say_many(
                    len(area.records), "What is set: {count} record", "What is set: {count} records"
                )
            ):
                for record in area.records:
                    _draw_record(record, _IS_SET)


def _draw_finding(finding: Finding) -> None:
    said = " ".join(part for part in (finding.said, finding.mend) if part)
    st.markdown(f"{_write_badge(finding.level)} {escape_markdown(said)}")


def _write_badge(level: Level) -> str:
    """Return a badge in Markdown: the word says it, shape and colour repeat it."""
    color, icon, word = _LOOKS[level]
    return f":{color}-badge[{icon} {say(word)}]"


def _draw_record(record: DnsRecord, label: str) -> None:
    st.caption(say(label, kind=record.kind, name=escape_markdown(record.name)))
    st.code(record.value, language=None, wrap_lines=True)
