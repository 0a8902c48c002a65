"""Public suffixes: where a registrable domain begins, and who may register below a suffix."""

from collections.abc import Iterable
from functools import cache

from publicsuffixlist import PublicSuffixList


class SuffixRules:
    """The rules of the Public Suffix List (publicsuffix.org/list, "Algorithm")."""

    def __init__(self, rules: Iterable[str]) -> None:
        self._exact: set[str] = set()
        self._wildcard: set[str] = set()
        self._exception: set[str] = set()
        tlds: set[str] = set()
        for rule in rules:
            tlds.add(rule.rpartition(".")[2].removeprefix("!"))
            if rule.startswith("!"):
                self._exception.add(rule[1:])
            elif rule.startswith("*."):
                self._wildcard.add(rule[2:])
            else:
                self._exact.add(rule)
        self.tlds = frozenset(tlds)
        """Top-level domains that a registry runs: some rule ends in them, as in ``co.za``."""

    def split(self, domain: str) -> tuple[str | None, str]:
        """Return the registrable domain and the public suffix of a lower-case A-label name.

        The registrable domain is None where the name is itself a public suffix. A top-level
        domain that no rule names is a public suffix (rule ``*``).
        """
        above: str | None = None  # the last candidate, one label longer than this one
        candidate = domain
        while True:
            _, dot, rest = candidate.partition(".")
            if candidate in self._exception:
                return candidate, rest
            if candidate in self._exact or not dot or rest in self._wildcard:
                return above, candidate
            if candidate in self._wildcard:  # *.ck makes ck a public suffix as well
                return above, candidate
            above, candidate = candidate, rest


def is_public_suffix(domain: str) -> bool:
    """Return whether anyone may register below a lower-case A-label name.

    Suffixes of companies that lend names below their own (``github.io``) do not count.
    """
    return bool(_open_list().is_public(domain))


def find_registrable(domain: str) -> str | None:
    """Return the registrable domain of a lower-case A-label name; None for a public suffix."""
    found: str | None = _open_list().privatesuffix(domain)
    return found


@cache
def _open_list() -> PublicSuffixList:
    return PublicSuffixList(only_icann=True)
