"""Answer of a single check: the nine fields of the contract, and the evidence for them."""

from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any

from winnow.core.addresses.address import domain_as_given, normalise
from winnow.core.addresses.repairs import suggest_address
from winnow.core.judging.check_result import CheckResult
from winnow.core.judging.evidence import collect_evidence, find_first_listed
from winnow.core.judging.judge import Judge, Judgement, judge_text
from winnow.core.judging.not_black import explain_not_black
from winnow.core.verdicts.facts import DomainFacts, Evidence, ListReach, MailRoute, OwnEntry
from winnow.core.verdicts.probability import find_measured_group
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Verdict
from winnow.words import Sentence

UNKNOWN = "unknown"
NOT_ADDED = "not added"
FINDINGS_KEPT = 4096  # callers ask for few domains again and again; about 5 MB when full


@dataclass(frozen=True, slots=True)
class Findings:
    """The evidence for a verdict, why it is not black, when lists began to name the domain.

    ``group`` has the domain's probability; None: that is not known.
    """

    evidence: tuple[Evidence, ...]
    not_black: tuple[Evidence, ...]
    listed_on: date | None = None
    group: str | None = None


def gather_findings(judged: Judgement, reach: ListReach) -> Findings:
    """Return the evidence that a judgement gives for any address of its domain.

    ``reach`` is the lists that were searched.
    """
    verdict, facts, given = judged.verdict, judged.facts, (judged.own_entry, reach, judged.fault)
    if facts is None or facts.protection is not None:
        return _gather(verdict, facts, *given)
    return _gather_alike(verdict, facts.tld, facts.registrable is None, facts[2:], *given)


@lru_cache(maxsize=FINDINGS_KEPT)
def _gather_alike(
    verdict: Verdict, tld: str, is_suffix: bool, unnamed: tuple[Any, ...], *given: Any
) -> Findings:
    """Return the findings of all domains of which only ``domain`` and ``registrable`` differ."""
    return _gather(verdict, DomainFacts(tld, None if is_suffix else tld, *unnamed), *given)


@lru_cache(maxsize=FINDINGS_KEPT)
def _gather(
    verdict: Verdict,
    facts: DomainFacts | None,
    own: OwnEntry | None,
    reach: ListReach,
    fault: Sentence | None,
) -> Findings:
    return Findings(
        collect_evidence(verdict, facts, own, fault),
        explain_not_black(verdict, facts, reach),
        None if facts is None else find_first_listed(facts),
        find_measured_group(verdict, facts),
    )


def _name_mail_host(facts: DomainFacts) -> str:
    match facts.mail.route:
        case MailRoute.NOT_LOOKED_UP | MailRoute.UNKNOWN:
            return UNKNOWN
        case MailRoute.MX:
            return facts.mail.mx_host or ""
        case _:
            return ""


def answer_check(judge: Judge, text: str, attempts_left: int, today: date) -> CheckResult:
    """Judge one address.

    Args:
        judge: Applies own lists first, where there are any.
        text: The address as written.
        attempts_left: Black answers until the caller is banned, as the answer says it.
        today: The date in UTC, for the age of the domain.
    """
    judged = judge_text(judge, text)
    domain = domain_as_given(text) if judged.facts is None else judged.facts.domain
    suggestion = suggest_address(text, judge.knowledge.look_up, judged.facts)
    return _answer(judge, judged, normalise(text), domain, suggestion, attempts_left, today)


def answer_no_text(judge: Judge, attempts_left: int, today: date) -> CheckResult:
    """Return the answer to a value that is no text, for the same arguments."""
    judged = Judgement(None, None, None, judge.invalid(Reason.NOT_TEXT))
    return _answer(judge, judged, "", "", None, attempts_left, today)


def _answer(
    judge: Judge,
    judged: Judgement,
    email: str,
    domain: str,
    suggestion: str | None,
    attempts_left: int,
    today: date,
) -> CheckResult:
    facts, verdict = judged.facts, judged.verdict
    found = gather_findings(judged, judge.knowledge.reach)
    listed_on, likely = found.listed_on, judge.knowledge.probabilities
    registered_on = None if facts is None else facts.age.registered_on
    return CheckResult(
        fields={
            "email": email,
            "domain": domain,
            "category": verdict.category,
            "mx_record": UNKNOWN if facts is None else _name_mail_host(facts),
            "premium": UNKNOWN if facts is None or facts.premium is None else str(facts.premium),
            "domain_age": UNKNOWN if registered_on is None else str((today - registered_on).days),
            "date_added": NOT_ADDED if listed_on is None else f"{listed_on:%d.%m.%Y}",
            "type": verdict.domain_type,
            "remaining_attempts_before_ban": attempts_left,
        },
        verdict=verdict,
        evidence=found.evidence,
        suggestion=suggestion,
        data_version=judge.knowledge.data_version,
        not_black=found.not_black,
        disposable_probability=None if found.group is None else likely.get(found.group),
    )
