"""One plain sentence that says why an address got its verdict."""

from winnow.core.accounts import CheckResult
from winnow.core.figures import show_date
from winnow.core.own_lists.patterns import show_pattern
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.facts import Evidence
from winnow.core.verdicts.reasons import Origin, Reason


def write_sentence(result: CheckResult) -> str:
    """Return the sentence for a single check."""
    verdict, reason = result.verdict, result.verdict.reasons[0]
    domain = show_pattern(str(result.fields["domain"])) or "it"
    if verdict.domain_type is DomainType.SUSPICIOUS and reason.origin is Origin.LOCAL_PART:
        domain = "This address"
    return verdict.domain_type.sentence.format(
        domain=domain,
        reason=reason.words,
        matched=_find_match(result.evidence, reason) or "a well-known domain",
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
