"""The answer to a single check: verdict, evidence, the nine fields."""

import json
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import streamlit as st

from components.html import render_chip
from components.local_time import show_local
from components.sentences import write_sentence
from components.words import ADVICE
from winnow.core.accounts import CheckResult
from winnow.core.figures import cut_text, show_date
from winnow.core.verdicts.facts import Evidence
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import RECOMMENDED_ACTIONS, Category
from winnow.core.verdicts.words import name_action, name_category

NOT_BLACK = "Why is it not black?"
_LONGEST_ANSWER, _ANSWER_PX = 1_200, 360  # of an address that can be one


def draw_verdict(result: CheckResult, draw_more: Callable[[], object] = lambda: None) -> str | None:
    """Draw one answer in full; return the suggested address when it was chosen, else None.

    ``draw_more`` draws what else may be done, inside the card.
    """
    with st.container(border=True, key="verdict"):
        draw_verdict_head(result)
        chosen = None
        if result.suggestion and st.button(
            f"Did you mean {result.suggestion}?", key="suggestion", type="secondary"
        ):
            chosen = result.suggestion
        draw_more()
    evidence, fields = st.columns([3, 2], gap="large")
    with evidence:
        st.header("Evidence")
        draw_evidence(result.evidence)
        draw_not_black(result.not_black)
    with fields:
        st.header("Fields")
        answer = json.dumps(dict(result.fields), indent=1, ensure_ascii=False)
        is_long = len(answer) > _LONGEST_ANSWER
        st.code(
            answer, language="json", wrap_lines=True, height=_ANSWER_PX if is_long else "content"
        )
        st.caption("As the API answers. The button in the corner copies it.")
    return chosen


def draw_verdict_head(result: CheckResult) -> None:
    """Draw the verdict itself: category, address, domain type, one sentence, what to do."""
    category = result.verdict.category
    advice = ADVICE[RECOMMENDED_ACTIONS[category]]
    shown = cut_text(str(result.fields["email"]))
    st.html(
        '<div class="w-verdict" role="status">'
        + render_chip(category)
        + f'<span class="w-address">{escape(shown) or "(empty)"}</span>'
        + f'<span class="w-quiet">{escape(result.verdict.domain_type.value)}</span></div>'
        + f'<p class="w-sentence">{escape(cut_text(write_sentence(result), 600))}</p>'
        + f'<p class="w-advice"><strong>{escape(name_action(category))}</strong> '
        + f"{escape(advice)}</p>"
    )


def draw_evidence(evidence: Sequence[Evidence]) -> None:
    """Draw what stands behind each reason: the fact, its sources and their dates."""
    if not evidence:
        st.caption("There is nothing to show beside the verdict itself.")
        return
    by_rule: dict[str, list[Evidence]] = {}
    for found in evidence:
        by_rule.setdefault(found.rule, []).append(found)
    items = "".join(
        f"<li>{escape(rule)}{''.join(map(_render_source, found))}</li>"
        for rule, found in by_rule.items()
    )
    st.html(f'<ul class="w-evidence">{items}</ul>')


def draw_not_black(findings: Sequence[Evidence]) -> None:
    """Draw what was looked at and was not enough for black; nothing where there is nothing."""
    if not findings:
        return
    items = "".join(f"<li>{escape(found.rule)}{_render_finding(found)}</li>" for found in findings)
    with st.expander(NOT_BLACK):
        st.html(f'<ul class="w-evidence">{items}</ul>')


def _render_finding(found: Evidence) -> str:
    newest = "newest of " if found.dated and found.source and ", " in found.source else ""
    parts = (
        found.source,
        newest + _show_when(found),
        found.matched,
    )
    line = " · ".join(part for part in parts if part)
    return f'<span class="w-source">{escape(line)}</span>' if line else ""


def _render_source(evidence: Evidence) -> str:
    parts = [
        evidence.source or "from the address itself",
        _show_when(evidence),
        _show_match(evidence) if evidence.source and evidence.matched else "",
        evidence.matched or "" if not evidence.source else "",
    ]
    line = " · ".join(part for part in parts if part)
    return f'<span class="w-source">{escape(line)}</span>'


def _show_match(evidence: Evidence) -> str:
    verb = "registered on" if evidence.reason is Reason.NEWLY_REGISTERED else "names"
    return f"{verb} {evidence.matched}"


def _show_when(evidence: Evidence) -> str:
    """Return the moment of an answer from the network, the day of a list, or nothing."""
    if evidence.asked_at is not None:
        return f"asked {show_local(evidence.asked_at, exact=True)}"
    return "" if evidence.dated is None else show_date(evidence.dated)


def category_column(label: str = "Category") -> Any:
    """Return the column of categories as badges: shape, word and colour."""
    return st.column_config.MultiselectColumn(
        label,
        options=[name_category(category) for category in Category],
        color=["green", "yellow", "red"],
        width="small",
    )
