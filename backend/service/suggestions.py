"""Corrected addresses for the rows of a finished project, by the knowledge of today."""

from collections.abc import Callable
from functools import lru_cache

from backend.core.evidence import suggest_address
from backend.core.facts import DomainFacts
from backend.core.judge import Judge
from backend.core.tasks import KeyType

_DOMAINS_REMEMBERED = 65_536


class Suggestions:
    """Makes the same suggestions as a single check; never applied by anybody but the analyst."""

    def __init__(self, judge_for: Callable[[KeyType], Judge]) -> None:
        self._judge_for = judge_for

    def open(self, key_type: KeyType) -> Callable[[str], str]:
        """Return what gives the suggestion for an email cell, ``""`` for none.

        The sandbox suggests nothing.
        """
        if key_type is KeyType.SANDBOX:
            return lambda text: ""
        judge = self._judge_for(key_type)

        @lru_cache(maxsize=_DOMAINS_REMEMBERED)
        def find_facts(domain: str) -> DomainFacts:
            return judge.facts(domain)

        return lambda text: suggest_address(text, find_facts) or ""
