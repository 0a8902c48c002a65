"""Pages to hand on: the report of a project, decision pages, and a letter about an address."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from winnow.core.addresses.address import find_address
from winnow.core.decisions import Decision, DecisionPage, RowDecision
from winnow.core.errors import ResultNotReady
from winnow.core.identities import Role
from winnow.core.judging.check_result import CheckResult
from winnow.core.lists.cleaning import Cleaning, CleaningPolicy
from winnow.core.lists.named_policy import say_policy
from winnow.core.tasks.task import Task
from winnow.lists.reports.decision_page import write_decision_page
from winnow.lists.reports.report_page import write_report_page
from winnow.lists.reports.review import NOTHING_SAID, SaidOfMail
from winnow.services.names import make_file_stem
from winnow.services.own.policies import Policies
from winnow.services.own.project_views import naming_loss
from winnow.services.results.person_requests import PersonRequests
from winnow.services.results.results import Results
from winnow.services.use_cases import use_case

MEDIA_TYPE = "text/html"


@dataclass(frozen=True, slots=True)
class Report:
    """A small file, whole in memory."""

    file_name: str
    media_type: str
    content: bytes


def make_report(
    task: Task, made_at: datetime, cleaning: Cleaning, said: SaidOfMail = NOTHING_SAID
) -> Report:
    """Return a project's counts as one self-contained HTML page; it contains no address.

    Args:
        task: As shown on the page, with the counts of the own lists.
        made_at: When it is made, in UTC.
        cleaning: Which rows are removed.
        said: What the list's columns say of mail.

    Raises:
        ResultNotReady: The task has no counts yet.
    """
    if task.summary is None:
        raise ResultNotReady("The project has no counts yet.")
    page = write_report_page(task, task.summary, made_at, cleaning, said)
    name = f"{make_file_stem(task.project_name)}-report.html"
    return Report(name, MEDIA_TYPE, page.encode("utf-8", "replace"))


@dataclass(frozen=True, slots=True)
class PersonLetter:
    """A letter to the owner of an address, and its content."""

    report: Report
    page: DecisionPage


@dataclass(eq=False, repr=False)
class Decisions:
    """Makes decision pages. Synchronous and thread-safe; pages are not stored."""

    results: Results
    requests: PersonRequests
    policies: Policies
    read_data_version: Callable[[], str]
    clock: Callable[[], datetime]

    @use_case(Role.READER)
    def report(self, task: Task, cleaning: Cleaning) -> Report:
        """Return the report of a finished project, with the own lists of now.

        Raises:
            TaskUnknown, Gone, ResultNotReady: As ``Results``.
        """
        import numpy as np

        from winnow.lists.result.row_index import RowIndex
        from winnow.lists.result.row_view import RowView

        stored = self.results.require_completed(task.account, task.task_id)
        with naming_loss():
            said = self.results.views.read_consent(stored)
            folder, view = self.results.fetch(stored), self.results.views.see(stored).view
            view = view or RowView.as_judged(RowIndex.open(folder))
            rows = {one: view.count_verdicts(found) for one, found in said.rows.items()}
        reasons = said.list_reasons().items()
        counts = {one: len(np.unique(np.concatenate(parts))) for one, parts in reasons}
        of_mail = SaidOfMail(said.columns, rows, counts)
        return make_report(self.results.views.present(task), self.clock(), cleaning, of_mail)

    @use_case(Role.READER)
    def explain_row(
        self, account: str, task_id: str, number: int, policy: CleaningPolicy, person: str
    ) -> Report:
        """Explain the verdict of a row of a finished project; the page contains its address.

        Raises:
            IndexError: There is no such row.
            TaskUnknown, Gone, ResultNotReady: As ``Results``.
        """
        stored = self.results.require_completed(account, task_id)
        row = self.results.row(account, task_id, number)
        address, own = find_address(row.email), None
        if address is not None:
            own = self.results.views.find_entry(stored.task, row.email, address.domain)
        decision = RowDecision(stored.task, stored.input_sha256, row, own)
        found = self.results.explain(account, task_id, row)
        reason = policy.find_reason(row.verdict)
        goes_for = None if reason is None else reason.value
        page = self._begin(decision, account, person, policy, goes_for)
        page = replace(page, evidence=found.evidence, not_black=found.not_black)
        stem = f"{make_file_stem(stored.task.project_name)}-row-{row.shown_number}"
        return self._finish(page, f"{stem}-decision-with-address.html")

    @use_case(Role.READER)
    def explain_check(self, account: str, result: CheckResult, person: str) -> Report:
        """Explain the verdict of a single check; the page contains the address."""
        page = self._begin(result, account, person, CleaningPolicy())
        page = replace(page, evidence=result.evidence, not_black=result.not_black)
        return self._finish(page, f"check-{page.made_at:%Y-%m-%d}-decision-with-address.html")

    @use_case(Role.READER)
    def answer_person(self, account: str, text: str, person: str) -> PersonLetter:
        """Write a letter to the owner of an address with all that is stored about it.

        Raises:
            BadField: The text is not an address.
        """
        answer, searched, unsearched = self.requests.gather(account, text)
        page = self._begin(answer, account, person, CleaningPolicy())
        page = replace(page, searched=searched, unsearched=unsearched)
        name = f"answer-{page.made_at:%Y-%m-%d}-with-address.html"
        return PersonLetter(self._finish(page, name), page)

    def _begin(
        self,
        decision: Decision,
        account: str,
        person: str,
        policy: CleaningPolicy,
        goes_for: str | None = None,
    ) -> DecisionPage:
        """Begin a page; the policy is named as the account's with the same choice, if any."""
        same = (one for one in self.policies.list(account) if one.choice.policy == policy)
        return DecisionPage(
            decision,
            self.clock(),
            person,
            self.read_data_version(),
            policy.to_json(),
            next(map(say_policy, same), ""),
            goes_for,
        )

    def _finish(self, page: DecisionPage, file_name: str) -> Report:
        """Write a page as a file; half a surrogate pair becomes a question mark."""
        return Report(file_name, MEDIA_TYPE, write_decision_page(page).encode("utf-8", "replace"))
