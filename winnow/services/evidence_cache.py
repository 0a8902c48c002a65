"""What stands behind a verdict, gathered once for the many addresses that share it."""

from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from winnow.core.verdicts.evidence import collect_evidence, find_first_listed
from winnow.core.verdicts.facts import DomainFacts, Evidence, ListReach, MailRoute, OwnEntry
from winnow.core.verdicts.judge import Judgement
from winnow.core.verdicts.not_black import explain_not_black
from winnow.core.verdicts.verdict import Verdict

UNKNOWN = "unknown"
NOT_ADDED = "not added"
FINDINGS_KEPT = 4096  # callers ask for few domains again and again; about 5 MB when full


@dataclass(frozen=True, slots=True)
class Findings:
    """Fields of a single check as the contract words them, and the evidence."""

    category: str
    domain_type: str
    mail_host: str
    premium: str
    date_added: str  # DD.MM.YYYY
    registered_on: date | None
    evidence: tuple[Evidence, ...]
    not_black: tuple[Evidence, ...]


def gather_findings(judged: Judgement, reach: ListReach) -> Findings:
    """Return what follows from a judgement, whichever address of the domain it is of.

    ``reach`` is the lists that were gone through.
    """
    return _gather(judged.verdict, judged.facts, judged.own_entry, reach)


@lru_cache(maxsize=FINDINGS_KEPT)
def _gather(
    verdict: Verdict, facts: DomainFacts | None, own: OwnEntry | None, reach: ListReach
) -> Findings:
    listed_on = None if facts is None else find_first_listed(facts)
    return Findings(
        category=verdict.category.value,
        domain_type=verdict.domain_type.value,
        mail_host=UNKNOWN if facts is None else _name_mail_host(facts),
        premium=UNKNOWN if facts is None or facts.premium is None else str(facts.premium),
        date_added=NOT_ADDED if listed_on is None else f"{listed_on:%d.%m.%Y}",
        registered_on=None if facts is None else facts.registered_on,
        evidence=collect_evidence(verdict, facts, own),
        not_black=explain_not_black(verdict, facts, reach),
    )


def _name_mail_host(facts: DomainFacts) -> str:
    match facts.mail.route:
        case MailRoute.NOT_LOOKED_UP | MailRoute.UNKNOWN:
            return UNKNOWN
        case MailRoute.MX:
            return facts.mail.mx_host or ""
        case _:
            return ""
