"""Decisions told on a dated page: of a row, a single check, a list; and all about one address."""

import hashlib
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import datetime

from cachetools import LRUCache

from winnow.core.accounts import CheckResult
from winnow.core.addresses.address import parse_address
from winnow.core.decisions.canonical import to_plain, write_canonical
from winnow.core.decisions.facts import (
    CheckDecision,
    Decision,
    DecisionPage,
    ListDecision,
    RowDecision,
    ToldProject,
)
from winnow.core.errors import AddressSyntaxError, BadField
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.release import VERSION
from winnow.core.verdicts.facts import OwnEntry
from winnow.lists.reports.decision_markup import put_seal
from winnow.lists.reports.decision_page import write_decision_page
from winnow.lists.reports.hidden_addresses import hide_addresses
from winnow.services.decision_seals import DecisionSeals
from winnow.services.names import make_file_stem
from winnow.services.own_effects import OwnEffects
from winnow.services.person_requests import PersonRequests
from winnow.services.policies import Policies
from winnow.services.reports import Report
from winnow.services.results import Results
from winnow.storage.repositories.tasks import StoredTask
from winnow.words import say

FORMAT = 1  # of the facts in a page
MEDIA_TYPE = "text/html"
DIGESTS_KEPT = 256


@dataclass(frozen=True, slots=True)
class PersonLetter:
    """A letter to the owner of an address, and what it says."""

    report: Report
    page: DecisionPage


class Decisions:
    """Makes decision pages. Synchronous and thread-safe; nothing of a page is kept."""

    def __init__(
        self,
        results: Results,
        own_effects: OwnEffects,
        requests: PersonRequests,
        policies: Policies,
        read_data_version: Callable[[], str],
        seals: DecisionSeals,
        clock: Callable[[], datetime],
    ) -> None:
        self._results = results
        self._own_effects = own_effects
        self._requests = requests
        self._policies = policies
        self._read_data_version = read_data_version
        self._seals = seals
        self._clock = clock
        self._guard = threading.Lock()
        self._digests: LRUCache[str, str] = LRUCache(DIGESTS_KEPT)

    def explain_row(
        self, account: str, task_id: str, number: int, policy: CleaningPolicy, person: str
    ) -> Report:
        """Tell why a row of a finished project was judged as it was; its address stands in it.

        Raises:
            IndexError: There is no such row.
            TaskUnknown, Gone, ResultNotReady: As ``Results``.
        """
        decision = self.build_row(account, task_id, number)
        row = self._results.row(account, task_id, number)
        found = self._results.explain(account, task_id, row)
        reason = policy.find_reason(row.verdict)
        page = self._begin(
            decision, account, person, policy, None if reason is None else reason.value
        )
        page = replace(page, evidence=found.evidence, not_black=found.not_black)
        stem = f"{make_file_stem(decision.project.name)}-row-{row.shown_number}"
        return self._finish(page, f"{stem}-decision-with-address.html")

    def explain_check(self, account: str, result: CheckResult, person: str) -> Report:
        """Tell why a single check came out as it did; the address stands in it."""
        email = str(result.fields["email"])
        decision = CheckDecision(email, result.verdict, result.data_version)
        page = self._begin(decision, account, person, CleaningPolicy())
        page = replace(page, evidence=result.evidence, not_black=result.not_black)
        return self._finish(page, f"check-{page.made_at:%Y-%m-%d}-decision-with-address.html")

    def explain_list(
        self, account: str, task_id: str, policy: CleaningPolicy, person: str
    ) -> Report:
        """Tell what was decided about a whole list; no address stands in it.

        Reads the whole stored result once, for its hash.

        Raises:
            TaskUnknown, Gone, ResultNotReady: As ``Results``.
        """
        decision = self.build_list(account, task_id, policy)
        page = self._begin(decision, account, person, policy)
        return self._finish(page, f"{make_file_stem(decision.project.name)}-decision.html")

    def answer_person(self, account: str, text: str, person: str) -> PersonLetter:
        """Tell the owner of an address all that is kept about it, as a letter.

        Raises:
            BadField: The text is no address.
        """
        answer, searched, unsearched = self._requests.gather(account, text)
        page = self._begin(answer, account, person, CleaningPolicy())
        page = replace(page, searched=searched, unsearched=unsearched)
        name = f"answer-{page.made_at:%Y-%m-%d}-with-address.html"
        return PersonLetter(self._finish(page, name), page)

    def build_row(self, account: str, task_id: str, number: int) -> RowDecision:
        """Return what is stored of a row, as the own lists show it now."""
        stored = self._results.require_completed(account, task_id)
        row = self._results.row(account, task_id, number)
        return RowDecision(
            ToldProject.of(stored.task, stored.input_sha256),
            number,
            row.email,
            row.verdict,
            self._find_own(account, task_id, row.email),
            row.file_number,
        )

    def build_list(self, account: str, task_id: str, policy: CleaningPolicy) -> ListDecision:
        """Return what is stored of a list, as the own lists show it now."""
        stored = self._results.require_completed(account, task_id)
        task = self._own_effects.present(stored.task)
        summary = task.summary
        if summary is None:
            raise BadField("task", "has no counts")
        effect = self._results.weigh(account, task_id, policy)
        return ListDecision(
            project=_hide_names(ToldProject.of(task, stored.input_sha256)),
            rows_in=summary.rows_in,
            duplicates_removed=summary.duplicates_removed,
            rows_out=summary.rows_out,
            invalid=summary.invalid,
            by_category=dict(summary.by_category),
            by_type=[list(entry) for entry in summary.by_category_and_type],
            by_reason=dict(summary.by_reason),
            policy=policy.to_json(),
            kept=effect.kept,
            lost=effect.lost,
            review=effect.review,
            lost_by_reason={reason.value: n for reason, n in effect.lost_by_reason.items()},
            result_sha256=self._hash_result(stored),
            notices=[hide_addresses(notice.text) for notice in task.notices],
        )

    def _hash_result(self, stored: StoredTask) -> str:
        """Return the SHA-256 of a stored result, read once: it never changes."""
        path = self._results.fetch_list(stored)
        name = stored.result_key.name
        with self._guard:
            known = self._digests.get(name)
        if known is None:
            with path.open("rb") as file:
                known = hashlib.file_digest(file, "sha256").hexdigest()
            with self._guard:
                self._digests[name] = known
        return known

    def _find_own(self, account: str, task_id: str, email: str) -> OwnEntry | None:
        try:
            domain = parse_address(email).domain
        except AddressSyntaxError:
            return None
        task = self._results.require_completed(account, task_id).task
        return self._own_effects.find_entry(task, email, domain)

    def _begin(
        self,
        decision: Decision,
        account: str,
        person: str,
        policy: CleaningPolicy,
        goes_for: str | None = None,
    ) -> DecisionPage:
        return DecisionPage(
            decision,
            self._clock(),
            person,
            account,
            VERSION,
            self._read_data_version(),
            policy.to_json(),
            self._name_policy(account, policy),
            goes_for,
        )

    def _name_policy(self, account: str, policy: CleaningPolicy) -> str:
        """Return the name of the account's policy that takes the same, "" where none does."""
        same = (one for one in self._policies.list(account) if one.choice.policy == policy)
        return next((say(one.name) for one in same), "")

    def _finish(self, page: DecisionPage, file_name: str) -> Report:
        """Draw a page and seal it: what is sealed is what a reader gets, line ends aside."""
        facts = write_canonical({"format": FORMAT, "kind": page.kind.value, **to_plain(page)})
        text = write_decision_page(page, facts).replace("\r\n", "\n")
        text = text.encode("utf-8", "replace").decode()
        sealed = put_seal(text, asdict(self._seals.make(facts, text)))
        return Report(file_name, MEDIA_TYPE, sealed.encode())


def _hide_names(project: ToldProject) -> ToldProject:
    """Return a project without what looks like an address in its names."""
    return replace(
        project,
        name=hide_addresses(project.name),
        file_name=hide_addresses(project.file_name),
    )
