"""Sentences that explain a verdict."""

from winnow.core.accounts import CheckResult
from winnow.core.figures import show_date
from winnow.core.own_lists.patterns import show_pattern
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.facts import Evidence
from winnow.core.verdicts.reasons import Reason
from winnow.words import say, say_many


def write_sentence(result: CheckResult) -> str:
    """Return the finding of a single check: one sentence, or more where lists are cited."""
    verdict, reason = result.verdict, result.verdict.reasons[0]
    is_misspelt = verdict.domain_type is DomainType.MASKED
    is_suspicious = verdict.domain_type is DomainType.SUSPICIOUS
    text = verdict.domain_type.sentence
    if reason.sentence and (is_misspelt or is_suspicious):
        text = reason.sentence
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
