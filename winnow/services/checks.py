"""Single checks: for the pages, and for API keys with charge and ban."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date, datetime
from functools import partial

from winnow.core.accounts import ApiKey, CheckResult, RecentCheck
from winnow.core.addresses.address import domain_as_given, normalise
from winnow.core.addresses.repairs import FindFacts, suggest_address
from winnow.core.own_lists.own_judge import put_own_first
from winnow.core.own_lists.patterns import OwnLists
from winnow.core.tasks.task import KeyType
from winnow.core.verdicts.facts import DomainFacts, Evidence
from winnow.core.verdicts.judge import Judge, judge_text
from winnow.core.verdicts.probability import find_probability
from winnow.core.verdicts.verdict import Category
from winnow.services.bans import Bans
from winnow.services.evidence_cache import UNKNOWN, gather_findings
from winnow.services.usage_counter import UsageCounter
from winnow.storage.database.database import Database
from winnow.storage.repositories import recent_checks as rows

CHECKED_AT_ONCE = 8  # of a few pasted addresses: each may wait seconds for DNS
REMEMBERED_CHARACTERS = 1000  # far more than an address can have

_NO_LISTS = OwnLists()


class Checks:
    """Judges one address at a time. Synchronous, thread-safe; DNS only when it is on."""

    def __init__(
        self,
        database: Database,
        judge_for: Callable[[KeyType], Judge],
        own_for: Callable[[str], OwnLists],
        bans: Bans,
        usage_counter: UsageCounter,
        clock: Callable[[], datetime],
        cite_bounces: Callable[[str, str], tuple[Evidence, ...]] = lambda account, text: (),
    ) -> None:
        """Wire the checks.

        Args:
            database: Keeps recent checks.
            judge_for: Gives the judge of a kind of key.
            own_for: Gives an account's own lists.
            bans: Counts attempts.
            usage_counter: Counts charged checks.
            clock: Gives the time in UTC.
            cite_bounces: Tells what an account's imported bounces say of an address; for pages.
        """
        self._cite_bounces = cite_bounces
        self._database = database
        self._judge_for = judge_for
        self._own_for = own_for
        self._bans = bans
        self._usage_counter = usage_counter
        self._clock = clock

    def check(self, account: str, text: str) -> CheckResult:
        """Judge one address for a page: no charge, no ban, the full number of attempts.

        What imported bounces say of it comes last of the evidence; it decides nothing.
        """
        result = self._judge(account, KeyType.LIVE, text, self._bans.threshold)
        said = self._cite_bounces(account, text)
        return replace(result, evidence=result.evidence + said) if said else result

    def check_for_key(self, key: ApiKey, client: str, text: str) -> CheckResult:
        """Judge one address for an API key.

        Args:
            key: From ``Keys.authenticate``; a sandbox key is never charged, counted or banned.
            client: The caller's address as the API sees it (behind a trusted proxy: forwarded).
            text: The address as the query has it.

        Raises:
            Banned: This client has no attempts left, also where others took the last one while
                this was judged; nothing is charged.
        """
        is_live = key.key_type is KeyType.LIVE
        left = self._bans.require_attempt(client) if is_live else self._bans.threshold
        result = self._judge(key.account, key.key_type, text, left)
        if not is_live or not result.verdict.is_charged:
            return result
        if result.verdict.category is Category.BLACK:
            left = self._bans.take_attempt(client)
            fields = {**result.fields, "remaining_attempts_before_ban": left}
            result = replace(result, fields=fields)
        self._usage_counter.count_check(key.account, self._clock())
        return result

    def check_many(self, account: str, texts: Sequence[str]) -> list[CheckResult]:
        """Judge a few addresses for a page, in their order; those that wait for DNS together."""
        distinct = list(dict.fromkeys(texts))
        with ThreadPoolExecutor(CHECKED_AT_ONCE, "check") as pool:
            results = pool.map(partial(self.check, account), distinct)
            found = dict(zip(distinct, results, strict=True))
        return [found[text] for text in texts]

    def remember(self, account: str, results: Sequence[CheckResult]) -> None:
        """Keep checks made on a page, until they are cleared; the oldest beyond 200 go."""
        emails = (str(result.fields["email"])[:REMEMBERED_CHARACTERS] for result in results)
        kept = [
            (email.encode("utf-8", "replace").decode(), result.verdict)
            for email, result in zip(emails, results, strict=True)
        ]
        rows.add_checks(self._database, account, kept, self._clock())

    def recent(self, account: str, limit: int = 20) -> tuple[RecentCheck, ...]:
        """Return the checks remembered, the newest first."""
        return rows.list_checks(self._database, account, limit)

    def clear_recent(self, account: str) -> None:
        """Forget every check of this account."""
        rows.clear_checks(self._database, account)

    def _judge(self, account: str, key_type: KeyType, text: str, attempts_left: int) -> CheckResult:
        is_sandbox = key_type is KeyType.SANDBOX
        own = _NO_LISTS if is_sandbox else self._own_for(account)
        judge = put_own_first(self._judge_for(key_type), own)
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
        return str((self._clock().date() - registered_on).days)


def _recall(facts: DomainFacts, find_facts: FindFacts) -> FindFacts:
    """Return what knows the domain that was just looked up without looking again."""
    return lambda domain: facts if domain == facts.domain else find_facts(domain)
