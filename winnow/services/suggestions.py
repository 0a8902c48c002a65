"""Corrected addresses and rated domains of a finished project, by the knowledge of today."""

from collections.abc import Callable, Sequence
from functools import lru_cache

from winnow.core.addresses.repairs import suggest_address
from winnow.core.tasks.task import KeyType
from winnow.core.verdicts.judge import Judge
from winnow.core.verdicts.probability import rate_domain
from winnow.lists.result.advice import Advice, Rate, Suggest

_DOMAINS_REMEMBERED = 65_536


class Suggestions:
    """Makes the same suggestions as a single check; never applied by anybody but the analyst."""

    def __init__(self, judge_for: Callable[[KeyType], Judge]) -> None:
        self._judge_for = judge_for

    def advise(self, key_type: KeyType) -> Advice:
        """Return what corrects a list's addresses and rates its domains; for one reader alone."""
        return Advice(self._open_suggesting(key_type), self._open_rating(key_type))

    def _open_suggesting(self, key_type: KeyType) -> Suggest:
        """Return what gives the suggestion for an email cell, ``""`` for none.

        The sandbox suggests nothing.
        """
        if key_type is KeyType.SANDBOX:
            return lambda text: ""
        find_facts = lru_cache(maxsize=_DOMAINS_REMEMBERED)(self._judge_for(key_type).known)
        return lambda text: suggest_address(text, find_facts) or ""

    def _open_rating(self, key_type: KeyType) -> Rate:
        """Return what says of domains how likely each is disposable, ``""``: unknown.

        The sandbox knows of none.
        """
        if key_type is KeyType.SANDBOX:
            return lambda domains: [""] * len(domains)
        judge = self._judge_for(key_type)

        def word(domain: str) -> str:
            likely = rate_domain(judge.known(domain), judge.probabilities)
            return "" if likely is None else str(likely)

        def rate(domains: Sequence[str]) -> Sequence[str]:
            alike: dict[int, str] = {}
            found = []
            for number, domain in zip(judge.number_alike(domains), domains, strict=True):
                if not number:
                    found.append(word(domain))
                    continue
                if number not in alike:
                    alike[number] = word(domain)
                found.append(alike[number])
            return found

        return rate
