"""Decision page: a dated HTML page, no script that runs, no requests, prints on A4 and Letter.

It contains addresses because they are asked for; the file's name says so. The texts are in the
templates ``decision*.html``.
"""

from collections.abc import Mapping
from typing import Any

from winnow.core.decisions import (
    DecisionPage,
    PersonAnswer,
    PersonProject,
    RowDecision,
)
from winnow.core.figures import cut_text, show_count, show_date, show_moment
from winnow.core.judging.check_result import CheckResult
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.silence import word_silence
from winnow.core.own_lists.entries import ListEntry
from winnow.core.own_lists.patterns import PatternKind, show_pattern
from winnow.core.release import VERSION
from winnow.core.verdicts.domain_types import Ground
from winnow.core.verdicts.facts import Evidence, OwnEntry
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import name_action, name_ground, phrase_reasons
from winnow.lists.reports.templates import open_template
from winnow.words import current_language, say

THIS_MACHINE = "local"  # the person in local use (core.identities)


def write_decision_page(page: DecisionPage) -> str:
    """Return the whole document."""
    decision = page.decision
    facts: Mapping[str, Any]
    match decision:
        case RowDecision():
            summary = decision.project.summary
            name, facts = "decision_row.html", {
                "email": decision.row.email, "verdict": decision.row.verdict,
                "judged_by": "" if summary is None else summary.data_version,
                "own_entry": decision.own and _word_own(decision.own), "fate": _word_fate(page),
            }  # fmt: skip
        case CheckResult():
            name, facts = "decision_row.html", {
                "email": decision.fields["email"], "verdict": decision.verdict,
                "judged_by": decision.data_version,
            }  # fmt: skip
        case PersonAnswer():
            name, facts = "decision_letter.html", _list_holdings(decision)
    itself = say("the address itself")
    return open_template(name).render(
        page=page,
        version=VERSION,
        decision=decision,
        is_letter=isinstance(decision, PersonAnswer),
        language=current_language(),
        policy=CleaningPolicy.from_json(page.policy),
        made_by=say("this machine's user") if page.made_by == THIS_MACHINE else page.made_by,
        chosen=_name_chosen(page),
        evidence=[_cite(found, itself) for found in page.evidence],
        not_black=[_cite(found, "") for found in page.not_black],
        unsearched=[(one.name, show_moment(one.kept_until)) for one in page.unsearched],
        **facts,
    )


def _word_own(own: OwnEntry) -> str:
    said = say("your lists, by the entry {entry}", entry=show_pattern(own.pattern))
    if own.added_on is not None:
        said = say("{said}, added on {day}", said=said, day=show_date(own.added_on))
    return say("{said}. Note: {note}", said=said, note=own.note) if own.note else said


def _word_fate(page: DecisionPage) -> str:
    chosen = _name_chosen(page)
    if page.goes_for is None:
        return say("The row is kept. Removed are: {chosen}.", chosen=chosen)
    reason = say(Reason(page.goes_for).words)
    return say(
        "The row is removed for: {reason}. Removed are: {chosen}.", reason=reason, chosen=chosen
    )


def _name_chosen(page: DecisionPage) -> str:
    policy = CleaningPolicy.from_json(page.policy)
    names = [name_ground(ground) for ground in Ground if ground.value in page.policy]
    chosen = ", ".join([*names, *word_silence(policy.silent_months)]) or say("nothing")
    if not page.policy_name:
        return chosen
    return say("{chosen} (policy “{name}”)", chosen=chosen, name=page.policy_name)


def _cite(found: Evidence, otherwise: str) -> tuple[str, str, str, str]:
    when = "" if found.dated is None else show_date(found.dated)
    if found.asked_at is not None:
        when = show_moment(found.asked_at)
    source = say(found.source) if found.source else otherwise
    sentence = found.sentence.say()
    if found.note:
        sentence = f"{sentence} {say('Note: {note}', note=found.note)}"
    return sentence, source, when, cut_text(found.matched or "")


def _list_holdings(answer: PersonAnswer) -> dict[str, Any]:
    """Return the rows of the tables of a letter."""
    return {
        "projects": [_word_project(found) for found in answer.projects],
        "entries": [
            (
                show_pattern(entry.pattern),
                _name_reach(entry),
                entry.note,
                show_date(entry.added_at.date()),
            )
            for entry in answer.entries
        ],
        "files": [
            (
                file.sentence.say(),
                file.source or "",
                "" if file.dated is None else show_date(file.dated),
                project or say("all lists"),
            )
            for file, project in answer.files
        ],
        "checks": [
            (
                show_moment(check.checked_at),
                name_action(CleaningPolicy().find_action(check.verdict)),
                phrase_reasons(check.verdict.reasons),
            )
            for check in answer.checks
        ],
    }


def _name_reach(entry: ListEntry) -> str:
    action = name_action(entry.category)
    if entry.kind is PatternKind.ADDRESS:
        return say("this address: {action}", action=action)
    if entry.kind is PatternKind.LOCAL_PART:
        return say("every address with this part before the @: {action}", action=action)
    return say("every address of the domain: {action}", action=action)


def _word_project(found: PersonProject) -> tuple[str, ...]:
    decisions = {
        name_action(CleaningPolicy().find_action(row.verdict)): None
        for row in found.rows
        if row.is_email and row.verdict is not None
    }
    return (
        found.project.project_name,
        found.project.file_name,
        show_count(found.row_count),
        ", ".join(decisions) or say("none: another address in the row decided"),
        show_date((found.project.completed_at or found.project.submitted_at).date()),
        show_date(found.project.expires_at.date()),
    )
