"""Single checks, with the evidence for each verdict."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from winnow.core.addresses.address import parse_address
from winnow.core.errors import AddressSyntaxError
from winnow.core.identities import ApiKey, Role
from winnow.core.judging.check_result import CheckResult, RecentCheck
from winnow.core.judging.judge import Judge
from winnow.core.judging.single_check import answer_check, answer_no_text
from winnow.core.own_lists.patterns import OwnLists
from winnow.core.tasks.task import KeyType
from winnow.core.verdicts.verdict import Category
from winnow.services.accounts.usage import UsageCounter
from winnow.services.checks.bans import Bans
from winnow.services.checks.judges import Judges
from winnow.services.own.file_store import FileStore
from winnow.services.own.own_lists import OwnListBook
from winnow.services.use_cases import use_case
from winnow.storage.database.database import Database
from winnow.storage.repositories import single_checks as check_rows

CHECKED_AT_ONCE = 8  # of a few pasted addresses: each may wait seconds for DNS
REMEMBERED_CHARACTERS = 1000  # far more than an address can have
_NO_LISTS = OwnLists()


@dataclass(eq=False, repr=False)
class Checks:
    """Judges one address at a time. Synchronous, thread-safe; DNS only when it is on."""

    database: Database
    judges: Judges
    own_lists: OwnListBook
    store: FileStore
    bans: Bans
    usage_counter: UsageCounter
    clock: Callable[[], datetime]

    @use_case(Role.READER)
    def check_address(self, account: str, text: str) -> CheckResult:
        """Judge one address for a page: no charge, no ban, the full number of attempts.

        Imported bounces and remembered noes are the last evidence; they do not change the verdict.
        """
        result = self._judge(account, KeyType.LIVE, text, self.bans.threshold)
        files = [one for one in self.store.list_files(account) if one.counts_for_all]
        said, reasons = self.store.find_noes(files, text)
        return result._replace(evidence=result.evidence + said, mail_reasons=reasons)

    @use_case(Role.READER)
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
            result = result._replace(fields=fields)
        self.usage_counter.count_checks(key, self.clock())
        return result

    @use_case(Role.READER)
    def check_array_for_key(
        self, key: ApiKey, client: str, values: Sequence[str | None]
    ) -> list[CheckResult]:
        """Judge many addresses for an API key, in their order; None is a value that is no text.

        Each is judged and charged as a single check is, but no attempt is taken.

        Raises:
            Banned: This client has no attempts left; nothing is charged.
        """
        is_live = key.key_type is KeyType.LIVE
        left = self.bans.require_attempt(client) if is_live else self.bans.threshold
        judge = self.judges.judge_array(key.key_type, lambda: _list_domains(values))
        answer = self._make_answer(key.account, key.key_type, judge)
        results = [answer(text, left) for text in values]
        charged = sum(result.verdict.is_charged for result in results) if is_live else 0
        if charged:
            self.usage_counter.count_checks(key, self.clock(), charged)
        return results

    @use_case(Role.READER)
    def check_many(self, account: str, texts: Sequence[str]) -> list[CheckResult]:
        """Judge a few addresses for a page, in their order; those that wait for DNS together."""
        distinct = list(dict.fromkeys(texts))
        with ThreadPoolExecutor(CHECKED_AT_ONCE, "check") as pool:
            results = pool.map(partial(self.check_address, account), distinct)
            found = dict(zip(distinct, results, strict=True))
        return [found[text] for text in texts]

    @use_case(Role.MEMBER)
    def remember(self, account: str, results: Sequence[CheckResult]) -> None:
        """Store checks made on a page until they are cleared; the oldest beyond 200 are removed."""
        emails = (str(result.fields["email"])[:REMEMBERED_CHARACTERS] for result in results)
        kept = [
            (email.encode("utf-8", "replace").decode(), result.row_verdict)
            for email, result in zip(emails, results, strict=True)
        ]
        check_rows.add_checks(self.database, account, kept, self.clock())

    @use_case(Role.READER)
    def recent(self, account: str, limit: int = 20) -> tuple[RecentCheck, ...]:
        """Return the stored checks, the newest first."""
        return check_rows.list_checks(self.database, account, limit)

    @use_case(Role.MEMBER)
    def clear_recent(self, account: str) -> None:
        """Delete all stored checks of this account."""
        check_rows.clear_checks(self.database, account)

    def _judge(self, account: str, key_type: KeyType, text: str, attempts_left: int) -> CheckResult:
        return self._make_answer(account, key_type, self.judges.judge_for(key_type))(
            text, attempts_left
        )

    def _make_answer(
        self, account: str, key_type: KeyType, judge: Judge
    ) -> Callable[[str | None, int], CheckResult]:
        """Return what answers for a text, or None, and the attempts left, with one judge."""
        is_sandbox, today = key_type is KeyType.SANDBOX, self.clock().date()
        own_first = judge.put_own_first(
            _NO_LISTS if is_sandbox else self.own_lists.current(account)
        )

        def answer(text: str | None, attempts_left: int) -> CheckResult:
            if text is None:
                return answer_no_text(own_first, attempts_left, today)
            result = answer_check(own_first, text, attempts_left, today)
            return result._replace(suggestion=None) if is_sandbox else result

        return answer


def _list_domains(values: Sequence[str | None]) -> list[str]:
    """Return the distinct domains of well-formed addresses."""
    found: dict[str, None] = {}
    for text in filter(None, values):
        with suppress(AddressSyntaxError):
            found[parse_address(text).domain] = None
    return list(found)
