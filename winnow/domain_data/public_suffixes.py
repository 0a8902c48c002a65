"""Public suffixes of registries, which belong to no user and may not be on own lists."""

from functools import cache

from publicsuffixlist import PublicSuffixList


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
