"""Single checks, with the evidence for each verdict."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import lru_cache, partial

from winnow.core.accounts import ApiKey, CheckResult, RecentCheck
from winnow.core.addresses.address import domain_as_given, normalise
from winnow.core.addresses.repairs import FindFacts, suggest_address
from winnow.core.own_lists.entries import put_own_first
from winnow.core.own_lists.patterns import OwnLists
from winnow.core.tasks.task import KeyType
from winnow.core.verdicts.evidence import collect_evidence, find_first_listed
from winnow.core.verdicts.facts import DomainFacts, Evidence, ListReach, MailRoute, OwnEntry
from winnow.core.verdicts.judge import Judge, Judgement, judge_text
from winnow.core.verdicts.not_black import explain_not_black
from winnow.core.verdicts.probability import find_probability
from winnow.core.verdicts.verdict import Category, Verdict
from winnow.services.accounts.usage import UsageCounter
from winnow.services.checks.bans import Bans
from winnow.storage.database.database import Database
from winnow.storage.repositories import single_checks as rows
from winnow.words import Sentence

UNKNOWN = "unknown"
NOT_ADDED = "not added"
FINDINGS_KEPT = 4096  # callers ask for few domains again and again; about 5 MB when full
CHECKED_AT_ONCE = 8  # of a few pasted addresses: each may wait seconds for DNS
REMEMBERED_CHARACTERS = 1000  # far more than an address can have
_NO_LISTS = OwnLists()


@dataclass(frozen=True, slots=True)
class Findings:
    """Fields of a single check as in the contract, and the evidence."""

    category: str
    domain_type: str
    mail_host: str
    premium: str
    date_added: str  # DD.MM.YYYY
    registered_on: date | None
    evidence: tuple[Evidence, ...]
    not_black: tuple[Evidence, ...]


def gather_findings(judged: Judgement, reach: ListReach) -> Findings:
    """Return the fields and evidence that a judgement gives for any address of its domain.

    ``reach`` is the lists that were searched.
    """
    return _gather(judged.verdict, judged.facts, judged.own_entry, reach, judged.fault)


@lru_cache(maxsize=FINDINGS_KEPT)
def _gather(
    verdict: Verdict,
    facts: DomainFacts | None,
    own: OwnEntry | None,
    reach: ListReach,
    fault: Sentence | None,
) -> Findings:
    listed_on = None if facts is None else find_first_listed(facts)
    return Findings(
        category=verdict.category.value,
        domain_type=verdict.domain_type.value,
        mail_host=UNKNOWN if facts is None else _name_mail_host(facts),
        premium=UNKNOWN if facts is None or facts.premium is None else str(facts.premium),
        date_added=NOT_ADDED if listed_on is None else f"{listed_on:%d.%m.%Y}",
        registered_on=None if facts is None else facts.registered_on,
        evidence=collect_evidence(verdict, facts, own, fault),
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


@dataclass(eq=False, repr=False)
class Checks:
    """Judges one address at a time. Synchronous, thread-safe; DNS only when it is on.

    Args:
        database: Stores recent checks.
        judge_for: Returns the judge of a key type.
        own_for: Returns an account's own lists.
        bans: Counts attempts.
        usage_counter: Counts charged checks.
        clock: Returns the time in UTC.
        cite_bounces: Returns an account's bounces of an address, as evidence; for pages.
    """

    database: Database
    judge_for: Callable[[KeyType], Judge]
    own_for: Callable[[str], OwnLists]
    bans: Bans
    usage_counter: UsageCounter
    clock: Callable[[], datetime]
    cite_bounces: Callable[[str, str], tuple[Evidence, ...]] = lambda account, text: ()

    def check(self, account: str, text: str) -> CheckResult:
        """Judge one address for a page: no charge, no ban, the full number of attempts.

        Imported bounces are the last evidence; they do not change the verdict.
        """
        result = self._judge(account, KeyType.LIVE, text, self.bans.threshold)
        said = self.cite_bounces(account, text)
        return replace(result, evidence=result.evidence + said) if said else result

    def check_for_key(self, key: ApiKey, client: str, text: str) -> CheckResult:
        """Judge one address for an API key.

        Args:
            key: From ``Keys.authenticate``; a sandbox key is never charged, counted or banned.
            client: The caller's address as the API sees it (behind a trusted proxy: forwarded).
            text: The address as the query has it.

        Raises:
            Banned: This client has no attempts left, also if other requests took the last one
            meanwhile; nothing is charged.
        """
        is_live = key.key_type is KeyType.LIVE
        left = self.bans.require_attempt(client) if is_live else self.bans.threshold
        result = self._judge(key.account, key.key_type, text, left)
        if not is_live or not result.verdict.is_charged:
            return result
        if result.verdict.category is Category.BLACK:
            left = self.bans.take_attempt(client)
            fields = {**result.fields, "remaining_attempts_before_ban": left}
            result = replace(result, fields=fields)
        self.usage_counter.count_check(key.account, self.clock())
        return result

    def check_many(self, account: str, texts: Sequence[str]) -> list[CheckResult]:
        """Judge a few addresses for a page, in their order; those that wait for DNS together."""
        distinct = list(dict.fromkeys(texts))
        with ThreadPoolExecutor(CHECKED_AT_ONCE, "check") as pool:
            results = pool.map(partial(self.check, account), distinct)
            found = dict(zip(distinct, results, strict=True))
        return [found[text] for text in texts]

    def remember(self, account: str, results: Sequence[CheckResult]) -> None:
        """Store checks made on a page until they are cleared; the oldest beyond 200 are removed."""
        emails = (str(result.fields["email"])[:REMEMBERED_CHARACTERS] for result in results)
        kept = [
            (email.encode("utf-8", "replace").decode(), result.verdict)
            for email, result in zip(emails, results, strict=True)
        ]
        rows.add_checks(self.database, account, kept, self.clock())

    def recent(self, account: str, limit: int = 20) -> tuple[RecentCheck, ...]:
        """Return the stored checks, the newest first."""
        return rows.list_checks(self.database, account, limit)

    def clear_recent(self, account: str) -> None:
        """Delete all stored checks of this account."""
        rows.clear_checks(self.database, account)

    def _judge(self, account: str, key_type: KeyType, text: str, attempts_left: int) -> CheckResult:
        is_sandbox = key_type is KeyType.SANDBOX
        own = _NO_LISTS if is_sandbox else self.own_for(account)
        judge = put_own_first(self.judge_for(key_type), own)
        judged = judge_text(judge, text)
        facts, verdict = judged.facts, judged.verdict
        if judged.address is None or facts is None:
            domain, suggestion = domain_as_given(text), suggest_address(text, judge.known)
        else:
            domain, suggestion = facts.domain, suggest_address(text, _recall(facts, judge.known))
        found = gather_findings(judged, judge.reach)
        return CheckResult(
            fields={
                "email": normalise(text),
                "domain": domain,
                "category": found.category,
                "mx_record": found.mail_host,
                "premium": found.premium,
                "domain_age": self._count_days(found.registered_on),
                "date_added": found.date_added,
                "type": found.domain_type,
                "remaining_attempts_before_ban": attempts_left,
            },
            verdict=verdict,
            evidence=found.evidence,
            suggestion=None if is_sandbox else suggestion,
            data_version=judge.data_version,
            not_black=found.not_black,
            disposable_probability=find_probability(verdict, facts, judge.probabilities),
        )

    def _count_days(self, registered_on: date | None) -> str:
        if registered_on is None:
            return UNKNOWN
        return str((self.clock().date() - registered_on).days)


def _recall(facts: DomainFacts, find_facts: FindFacts) -> FindFacts:
    """Return a lookup that gives the facts already found for a domain."""
    return lambda domain: facts if domain == facts.domain else find_facts(domain)
