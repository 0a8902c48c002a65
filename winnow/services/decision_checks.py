"""Checking a decision page: is it unaltered, and does the stored project still say the same?"""

import json
from collections.abc import Mapping
from typing import Any

from winnow.core.decisions.canonical import to_plain
from winnow.core.decisions.facts import DecisionKind
from winnow.core.decisions.verification import PageOutcome, Verification
from winnow.core.errors import BadField, Gone, ResultNotReady, TaskUnknown
from winnow.core.figures import count_things
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.lists.reports.decision_markup import read_sealed
from winnow.services.decision_seals import DecisionSeals, Seal
from winnow.services.decisions import FORMAT, Decisions
from winnow.services.person_requests import PersonRequests

_WORDS = {
    "verdict": "the decision",
    "own": "the entry of your own lists",
    "email": "the address",
    "project": "the project",
    "result_sha256": "the checked list",
    "policy": "what goes",
    "lost": "how many rows go",
    "rows": "the rows",
    "entries": "your own lists",
}


class DecisionChecks:
    """Checks pages. Synchronous and thread-safe."""

    def __init__(
        self, decisions: Decisions, requests: PersonRequests, seals: DecisionSeals
    ) -> None:
        self._decisions = decisions
        self._requests = requests
        self._seals = seals

    def verify(self, data: bytes) -> Verification:
        """Check a page against itself, then against what is stored; never raises for bad bytes."""
        sealed = read_sealed(data)
        if sealed is None:
            return _cannot("This is no decision page of Winnow, or it is cut off.")
        seal = Seal(**sealed.seal)
        if not self._seals.is_ours(seal):
            return _cannot(
                "This page was not sealed by this data folder, or its key was renewed since. Only "
                "the data folder that made it can check it."
            )
        if not self._seals.holds_facts(seal, sealed.facts):
            return _no("Altered: the facts in this page are not those that were sealed.")
        if not self._seals.holds_page(seal, sealed.page):
            return _no(
                "Altered: the facts are those that were sealed, but not what the page shows. A "
                'browser\'s "Save page as" alters a page too; check the file that was downloaded.'
            )
        facts = json.loads(sealed.facts)
        if facts["format"] != FORMAT:
            return _cannot("Unaltered, but made by another version of Winnow: not compared.")
        return self._compare(facts)

    def _compare(self, facts: Mapping[str, Any]) -> Verification:
        made = f"Unaltered, made {facts['made_at'][:16].replace('T', ' ')} UTC"
        if facts["kind"] == DecisionKind.CHECK:
            return _yes(f"{made}. A single check is not stored, so there is nothing to compare.")
        try:
            if facts["kind"] == DecisionKind.PERSON:
                return self._compare_person(facts, made)
            now = self._rebuild(facts)
        except (TaskUnknown, Gone):
            return _cannot(
                f"{made}. The project has been deleted since: there is nothing left to compare."
            )
        except (ResultNotReady, IndexError):
            return _no(f"{made}, but the project has no such row any more.")
        changed = _list_changes(facts["decision"], now)
        if changed:
            return _no(f"{made}, but today the project says otherwise: {', '.join(changed)}.")
        return _yes(f"{made}, and the stored project still says the same.")

    def _rebuild(self, facts: Mapping[str, Any]) -> Mapping[str, Any]:
        told = facts["decision"]
        account, task_id = facts["account"], told["project"]["task_id"]
        if facts["kind"] == DecisionKind.ROW:
            now: object = self._decisions.build_row(account, task_id, told["number"])
        else:
            policy = CleaningPolicy.from_json(told["policy"])
            now = self._decisions.build_list(account, task_id, policy)
        plain: Mapping[str, Any] = to_plain(now)
        return plain

    def _compare_person(self, facts: Mapping[str, Any], made: str) -> Verification:
        told = facts["decision"]
        deleted, changed = 0, []
        for project in told["projects"]:
            task_id = project["project"]["task_id"]
            try:
                now = self._requests.search_project(facts["account"], task_id, told["address"])
            except (TaskUnknown, Gone, ResultNotReady):
                deleted += 1
                continue
            if to_plain(now) != project:
                changed.append(f"the project {project['project']['name']}")
        try:
            entries = self._requests.find_entries(facts["account"], told["address"])
        except BadField:
            entries = []
        if to_plain(entries) != told["entries"]:
            changed.append(_WORDS["entries"])
        if changed:
            return _no(f"{made}, but today it says otherwise: {', '.join(changed)}.")
        if deleted:
            return _cannot(
                f"{made}. Deleted since: {deleted} of "
                f"{count_things(len(told['projects']), 'project')}; the rest still says the same."
            )
        return _yes(f"{made}, and what is stored still says the same.")


def _list_changes(told: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    return [_WORDS.get(name, name) for name in told if told[name] != now.get(name)]


def _yes(said: str) -> Verification:
    return Verification(PageOutcome.HOLDS, said)


def _no(said: str) -> Verification:
    return Verification(PageOutcome.DOES_NOT_HOLD, said)


def _cannot(said: str) -> Verification:
    return Verification(PageOutcome.CANNOT_BE_TOLD, said)
