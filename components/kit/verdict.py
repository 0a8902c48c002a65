"""Answer to a single check: verdict, evidence, its page to share, the fields for developers."""

import json
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

import streamlit as st

from components.frame.session import show_local
from components.kit.html import escape_markdown, render_chip
from winnow.core.accounts import CheckResult
from winnow.core.figures import cut_text, show_date
from winnow.core.own_lists.patterns import show_pattern
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.facts import Evidence
from winnow.core.verdicts.reasons import Origin, Reason
from winnow.core.verdicts.verdict import Category, name_action
from winnow.services.results.reports import Report
from winnow.words import mark, say, say_many

ADVICE: Mapping[Category, str] = {
    Category.WHITE: mark(
        "Winnow does not ask mailboxes: only a sent mail shows whether one exists or is full."
    ),
    Category.GREY: mark("Ask for confirmation, or look at it by hand."),
    Category.BLACK: mark("Remove it from the list and do not let it sign up."),
}
NOT_REMOVED = mark("Why not remove it?")
_LONGEST_ANSWER, _ANSWER_PX = 1_200, 360  # of a possible address
_VERDICT_PX = 105  # the widest badge


def draw_verdict(result: CheckResult, draw_more: Callable[[], object] = lambda: None) -> str | None:
    """Draw one answer in full; return the suggested address when it was chosen, else None.

    ``draw_more`` draws further actions, inside the card.
    """
    with st.container(border=True, key="verdict"):
        draw_verdict_head(result)
        chosen = None
        if result.suggestion and st.button(
            say("Did you mean {address}?", address=escape_markdown(result.suggestion)),
            key="suggestion",
            type="secondary",
        ):
            chosen = result.suggestion
        draw_more()
    st.header(say("Evidence"))
    draw_evidence(result.evidence)
    draw_not_removed(result.not_black)
    with st.expander(say("For developers")):
        _draw_fields(result)
    return chosen


def _draw_fields(result: CheckResult) -> None:
    answer = json.dumps(dict(result.fields), indent=1, ensure_ascii=False)
    is_long = len(answer) > _LONGEST_ANSWER
    st.code(answer, language="json", wrap_lines=True, height=_ANSWER_PX if is_long else "content")
    st.caption(say("This is what the API answers. The button in the corner copies it."))


def draw_verdict_head(result: CheckResult) -> None:
    """Draw a verdict: action, address, domain type, reason in a sentence, advice."""
    category = result.verdict.category
    advice = say(ADVICE[category])
    shown = cut_text(str(result.fields["email"]))
    st.html(
        '<div class="w-verdict" role="status">'
        + render_chip(category)
        + f'<span class="w-address">{escape(shown or say("(empty)"))}</span>'
        + f'<span class="w-quiet">{escape(say(result.verdict.domain_type.words))}</span></div>'
        + f'<p class="w-sentence">{escape(cut_text(write_sentence(result), 600))}</p>'
        + f'<p class="w-advice">{escape(advice)}</p>'
    )


def draw_evidence(evidence: Sequence[Evidence]) -> None:
    """Draw the evidence of each reason: the fact, its sources and their dates."""
    if not evidence:
        st.caption(say("No evidence."))
        return
    by_rule: dict[str, list[Evidence]] = {}
    for found in evidence:
        by_rule.setdefault(found.rule, []).append(found)
    items = "".join(
        f"<li>{_render_sentence(found[0])}{''.join(map(_render_source, found))}"
        f"{_render_detail(found[0])}</li>"
        for found in by_rule.values()
    )
    st.html(f'<ul class="w-evidence">{items}</ul>')


def draw_not_removed(findings: Sequence[Evidence]) -> None:
    """Draw the facts that were not enough to remove the address; nothing without any."""
    if not findings:
        return
    items = "".join(
        f"<li>{_render_sentence(found)}{_render_finding(found)}{_render_detail(found)}</li>"
        for found in findings
    )
    with st.expander(say(NOT_REMOVED)):
        st.html(f'<ul class="w-evidence">{items}</ul>')


def _render_sentence(found: Evidence) -> str:
    sentence = found.sentence.say()
    if found.note:
        sentence = f"{sentence} {say('Note: {note}', note=found.note)}"
    return escape(sentence)


def _render_detail(found: Evidence) -> str:
    if not found.detail:
        return ""
    summary = escape(say("Details"))
    return f"<details><summary>{summary}</summary>{escape(found.detail)}</details>"


def _render_finding(found: Evidence) -> str:
    when = _show_when(found)
    if found.dated and found.source and ", " in found.source:
        when = say("the newest of {date}", date=when)
    parts = (found.source, when, found.matched)
    line = " · ".join(part for part in parts if part)
    return f'<span class="w-source">{escape(line)}</span>' if line else ""


def _render_source(evidence: Evidence) -> str:
    parts = [
        say(evidence.source or mark("from the address itself")),
        _show_when(evidence),
        _show_match(evidence) if evidence.source and evidence.matched else "",
        evidence.matched or "" if not evidence.source else "",
    ]
    line = " · ".join(part for part in parts if part)
    return f'<span class="w-source">{escape(line)}</span>'


def _show_match(evidence: Evidence) -> str:
    if evidence.reason is Reason.NEWLY_REGISTERED:
        return say("registered on {date}", date=evidence.matched)
    return say("names {domain}", domain=evidence.matched)


def _show_when(evidence: Evidence) -> str:
    """Return the moment of an answer from the network, the day of a list, or an empty text."""
    if evidence.asked_at is not None:
        return say("asked {moment}", moment=show_local(evidence.asked_at))
    return "" if evidence.dated is None else show_date(evidence.dated)


def verdict_column(label: str | None = None) -> Any:
    """Return the column of verdicts as badges: shape, action and colour."""
    return st.column_config.MultiselectColumn(
        label or say("Verdict"),
        options=[name_action(category) for category in Category],
        color=["green", "yellow", "red"],
        width=_VERDICT_PX,
    )


def write_sentence(result: CheckResult) -> str:
    """Return the finding of a single check: one sentence, or more where lists are cited."""
    verdict, reason = result.verdict, result.verdict.reasons[0]
    text = reason.sentence or verdict.domain_type.sentence
    if reason.origin is Origin.LOCAL_PART:
        text = mark("This address deserves a second look: {reason}.")
    found = say(
        text,
        domain=show_pattern(str(result.fields["domain"])),
        reason=say(reason.words),
        matched=_find_match(result.evidence, reason) or say("a well-known domain"),
    )
    lists = _cite_lists(result.evidence) if verdict.domain_type is DomainType.DISPOSABLE else ""
    return f"{found} {lists}".rstrip()


def _find_match(evidence: tuple[Evidence, ...], reason: Reason) -> str | None:
    return next((found.matched for found in evidence if found.reason is reason), None)


def _cite_lists(evidence: tuple[Evidence, ...]) -> str:
    lists = {found.source: found.dated for found in evidence if found.source is not None}
    if not lists:
        return ""
    dates = [dated for dated in lists.values() if dated is not None]
    if not dates:
        return say_many(len(lists), "It is on {count} list.", "It is on {count} lists.")
    return say_many(
        len(lists),
        "It is on {count} list, of {date}.",
        "It is on {count} lists, the newest of {date}.",
        date=show_date(max(dates)),
    )


def draw_explanation(make: Callable[[], Report], *, key: str) -> None:
    """Draw the download button of the page that explains an address's verdict.

    Args:
        make: Makes the page; it holds the address.
        key: The button's key.
    """
    report = make()
    st.download_button(
        say("Explain this decision"),
        report.content,
        file_name=report.file_name,
        mime=report.media_type,
        icon=":material/description:",
        on_click="ignore",
        key=key,
        help=say(
            "A page with the decision and its evidence; it contains the address, so give it only "
            "to people who may see it."
        ),
    )
