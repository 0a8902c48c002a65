"""Corrected addresses and rated domains of a finished project, by the knowledge of today."""

from collections.abc import Sequence
from functools import lru_cache

from winnow.core.addresses.repairs import suggest_address
from winnow.core.tasks.task import KeyType
from winnow.core.verdicts.judge import Judge
from winnow.core.verdicts.probability import rate_domain
from winnow.lists.result.advice import Advice

_DOMAINS_REMEMBERED = 65_536


def make_advice(judge: Judge, key_type: KeyType) -> Advice:
    """Return functions that correct addresses and rate domains of a list; for one reader.

    The suggestions are those of a single check; only the analyst applies them. The sandbox
    suggests nothing and rates no domain.
    """
    if key_type is KeyType.SANDBOX:
        return Advice(lambda text: "", lambda domains: [""] * len(domains))
    find_facts = lru_cache(maxsize=_DOMAINS_REMEMBERED)(judge.known)
    return Advice(
        lambda text: suggest_address(text, find_facts) or "",
        lambda domains: _rate(judge, domains),
    )


def _rate(judge: Judge, domains: Sequence[str]) -> Sequence[str]:
    """Return how likely each domain is disposable as text, ``""``: unknown."""
    alike: dict[int, str] = {}
    found = []
    for number, domain in zip(judge.number_alike(domains), domains, strict=True):
        if not number:
            found.append(_rate_one(judge, domain))
            continue
        if number not in alike:
            alike[number] = _rate_one(judge, domain)
        found.append(alike[number])
    return found


def _rate_one(judge: Judge, domain: str) -> str:
    likely = rate_domain(judge.known(domain), judge.probabilities)
    return "" if likely is None else str(likely)
