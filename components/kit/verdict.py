"""Verdict on an address: its head, its evidence, the page that explains it, its column."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

import streamlit as st

from components.frame.html import render_chip
from components.frame.session import show_local
from winnow.core.figures import cut_text, show_date
from winnow.core.judging.check_result import CheckResult
from winnow.core.own_lists.patterns import show_pattern
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.facts import Evidence
from winnow.core.verdicts.reasons import Origin, Reason
from winnow.core.verdicts.verdict import Action, Category, Verdict, name_action
from winnow.services.results.reports import Report
from winnow.words import say, say_many, translatable

ADVICE: Mapping[Category, str] = {
    Category.WHITE: translatable(
        "Winnow does not ask mailboxes: only a sent mail shows whether one exists or is full."
    ),
    Category.GREY: translatable("Ask for confirmation, or look at it by hand."),
    Category.BLACK: translatable("Remove it from the list and do not let it sign up."),
}
NOT_REMOVED = translatable("Why not remove it?")
_VERDICT_PX = 150  # the widest badge of any language


def draw_verdict_head(
    verdict: Verdict,
    address: str,
    sentence: str,
    advice: str | None = None,
    action: Action | None = None,
) -> None:
    """Draw a verdict: action, address, domain type, its reason as a sentence, advice."""
    st.html(
        f'<div class="w-verdict" role="status">{render_chip(action or verdict.category.action)}'
        f'<span class="w-address">{escape(cut_text(address) or say("(empty)"))}</span>'
        f'<span class="w-quiet">{escape(say(verdict.domain_type.words))}</span></div>'
        f'<p class="w-sentence">{escape(cut_text(sentence, 600))}</p>'
        f'<p class="w-advice">{escape(advice or say(ADVICE[verdict.category]))}</p>'
    )


def draw_evidence(evidence: Sequence[Evidence], not_black: Sequence[Evidence]) -> None:
    """Draw the evidence of each reason: the fact, its sources and their dates.

    ``not_black`` are the facts that were not enough to remove the address.
    """
    by_rule: dict[str, list[Evidence]] = {}
    for found in evidence:
        by_rule.setdefault(found.rule, []).append(found)
    if evidence:
        _draw_facts(_render_fact(found[0], map(_word_source, found)) for found in by_rule.values())
    else:
        st.caption(say("No evidence."))
    if not_black:
        with st.expander(say(NOT_REMOVED)):
            _draw_facts(_render_fact(found, [_word_finding(found)]) for found in not_black)


def _draw_facts(items: Iterable[str]) -> None:
    st.html(f'<ul class="w-evidence">{"".join(items)}</ul>')


def _render_fact(found: Evidence, sources: Iterable[str]) -> str:
    sentence, detail = found.sentence.say(), ""
    if found.note:
        sentence = f"{sentence} {say('Note: {note}', note=found.note)}"
    if found.detail:
        summary = escape(say("Details"))
        detail = f"<details><summary>{summary}</summary>{escape(found.detail)}</details>"
    lines = "".join(f'<span class="w-source">{escape(line)}</span>' for line in sources if line)
    return f"<li>{escape(sentence)}{lines}{detail}</li>"


def _word_finding(found: Evidence) -> str:
    when = _show_when(found)
    if found.dated and found.source and ", " in found.source:
        when = say("the newest of {date}", date=when)
    return " · ".join(part for part in (found.source, when, found.matched) if part)


def _word_source(found: Evidence) -> str:
    source = say(found.source or translatable("from the address itself"))
    matched = found.matched
    if found.source and matched and found.reason is Reason.NEWLY_REGISTERED:
        matched = say("registered on {date}", date=matched)
    elif found.source and matched:
        matched = say("names {domain}", domain=matched)
    return " · ".join(part for part in (source, _show_when(found), matched) if part)


def _show_when(evidence: Evidence) -> str:
    """Return the moment of an answer from the network, the day of a list, or an empty text."""
    if evidence.asked_at is not None:
        return say("asked {moment}", moment=show_local(evidence.asked_at))
    return "" if evidence.dated is None else show_date(evidence.dated)


def verdict_column(label: str | None = None) -> Any:
    """Return the column of verdicts, or of actions, as badges: shape, action and colour."""
    return st.column_config.MultiselectColumn(
        label or say("Verdict"),
        options=[name_action(action) for action in Action],
        color=["green", "yellow", "blue", "red", "gray"],
        width=_VERDICT_PX,
    )


def write_sentence(result: CheckResult) -> str:
    """Return the finding of a single check: one sentence, or more where lists are cited."""
    verdict, reason = result.verdict, result.verdict.reasons[0]
    text = reason.sentence or verdict.domain_type.sentence
    if reason.origin is Origin.LOCAL_PART:
        text = translatable("This address deserves a second look: {reason}.")
    matches = (one.matched for one in result.evidence if one.reason is reason)
    found = say(
        text,
        domain=show_pattern(str(result.fields["domain"])),
        reason=say(reason.words),
        matched=next(matches, None) or say("a well-known domain"),
    )
    lists = _cite_lists(result.evidence) if verdict.domain_type is DomainType.DISPOSABLE else ""
    return f"{found} {lists}".rstrip()


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


def draw_explanation(report: Report, *, key: str) -> None:
    """Draw the download button of the page that explains an address's verdict."""
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
