"""Addresses of one mailbox: tags after a plus sign, and dots at Gmail."""

from collections.abc import Callable

GMAIL = "gmail.com"
MAILBOX_DOMAINS = {"googlemail.com": GMAIL}
"""Domains that deliver to the mailboxes of another: Gmail Help, "Differences between gmail.com and
googlemail.com" (support.google.com/mail/answer/10313)."""

HasPlusTags = Callable[[str], bool]
"""Returns whether a lower-case A-label domain is known to deliver ``user+tag@`` to ``user@``."""


def ignores_dots(domain: str) -> bool:
    """Return whether dots make no difference (support.google.com/mail/answer/7436150)."""
    return MAILBOX_DOMAINS.get(domain, domain) == GMAIL


def find_base(local_part: str, domain: str, has_plus_tags: HasPlusTags) -> str:
    """Return the local part that names the mailbox of an address; its case stays."""
    if local_part.startswith('"') or not has_plus_tags(domain):
        return local_part
    plus = local_part.find("+")
    base = local_part[:plus] if plus > 0 else local_part
    return base.replace(".", "") if ignores_dots(domain) else base
