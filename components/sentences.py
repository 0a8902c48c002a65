"""One plain sentence that says why an address got its verdict."""

from collections.abc import Mapping

from winnow.core.accounts import CheckResult
from winnow.core.figures import show_date
from winnow.core.own_lists.patterns import show_pattern
from winnow.core.verdicts.facts import Evidence
from winnow.core.verdicts.verdict import DomainType, Reason
from winnow.core.verdicts.words import REASON_WORDS

_SENTENCES: Mapping[DomainType, str] = {
    DomainType.INVALID: "Mail cannot be sent to this: {reason}.",
    DomainType.DISPOSABLE: "{domain} is a throw-away mail service{lists}.",
    DomainType.NO_WEBSITE: "No mail can reach {domain}: {reason}.",
    DomainType.MULTI_ALIAS: "{domain} is a relay or alias service; real people stand behind it.",
    DomainType.MASKED: "{domain} imitates {matched}: {reason}.",
    DomainType.SUSPICIOUS: "{domain} deserves a second look: {reason}.",
    DomainType.FREE: "{domain} is a public mailbox provider; no known problem.",
    DomainType.EDUCATION: "{domain} belongs to an academic body; no known problem.",
    DomainType.GOVERNMENT: "{domain} belongs to a public body; no known problem.",
    DomainType.BUSINESS: "{domain} belongs to a company or popular site; no known problem.",
    DomainType.UNLISTED: "No known problem: {domain} is on no list, for or against it.",
    DomainType.WHITE: "Your own list says white: {reason}.",
    DomainType.GREY: "Your own list says grey: {reason}.",
    DomainType.BLACK: "Your own list says black: {reason}.",
    DomainType.UNKNOWN: "Not judged: this is a sandbox answer.",
}

_OF_THE_LOCAL_PART = frozenset({Reason.PLUS_TAG, Reason.MANY_DOTS})
"""Signs that say nothing of the domain, which may be the best known of all."""


def write_sentence(result: CheckResult) -> str:
    """Return the sentence for a single check."""
    verdict = result.verdict
    domain = show_pattern(str(result.fields["domain"])) or "it"
    if verdict.domain_type is DomainType.SUSPICIOUS and verdict.reasons[0] in _OF_THE_LOCAL_PART:
        domain = "This address"
    return _SENTENCES[verdict.domain_type].format(
        domain=domain,
        reason=REASON_WORDS[verdict.reasons[0]],
        matched=_find_match(result.evidence, verdict.reasons[0]) or "a well-known domain",
        lists=_cite_lists(result.evidence),
    )


def _find_match(evidence: tuple[Evidence, ...], reason: Reason) -> str | None:
    return next((found.matched for found in evidence if found.reason is reason), None)


def _cite_lists(evidence: tuple[Evidence, ...]) -> str:
    lists = {found.source: found.dated for found in evidence if found.source is not None}
    if not lists:
        return ""
    dates = [dated for dated in lists.values() if dated is not None]
    newest = f", newest of {show_date(max(dates))}" if dates else ""
    return f": on {len(lists)} {'list' if len(lists) == 1 else 'lists'}{newest}"
