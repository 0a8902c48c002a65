"""The address that a malformed value seems to mean: to offer, never to apply."""

import re
import unicodedata
from collections.abc import Callable

from winnow.core.addresses.address import (
    TEXT_MAX_CHARACTERS,
    EmailAddress,
    drop_unseen,
    normalise,
    parse_address,
    unwrap,
)
from winnow.core.errors import AddressSyntaxError
from winnow.core.verdicts.facts import DomainFacts
from winnow.core.verdicts.reasons import Origin, Reason

CORRECTABLE = frozenset(
    {
        *(reason for reason in Reason if reason.origin is Origin.FORMAT),
        Reason.CLOSE_MISSPELLING,
        Reason.CONFUSABLE_SCRIPT,
    }
) - {Reason.EMPTY}
"""The deciding reasons of values that an address may be suggested for."""

FindFacts = Callable[[str], DomainFacts]

GLUED_DOMAIN_MAX_LETTERS = 24  # the longest provider's name with its suffix is shorter

_QUOTES = "'\"`\u00b4\u00ab\u00bb\u2018\u2019\u201a\u201c\u201d\u201e\u2039\u203a"
_OUTER_MARKS = f" \t\r\n.,;:()[]{{}}<>|{_QUOTES}"
_BLANKS_AT_MARKS = re.compile(r"\s*([@.,])\s*")
_DOTS = re.compile(r"[.,]+")


def suggest_repair(text: str, find_facts: FindFacts) -> str | None:
    """Return the address that a malformed value seems to mean, rightly spelt, or None.

    Mended are unseen characters, what stands around an address (``Ana <ana@x.de>``, ``mailto:``,
    quotes, a final dot), blanks beside the at-sign or a dot, commas and doubled dots in the domain,
    full-width letters, and a dot that a mailbox provider's name has lost (``gmailcom``).

    Args:
        text: One value that fails format validation.
        find_facts: What is known of a lower-case A-label name, without asking anybody.
    """
    if len(text) > TEXT_MAX_CHARACTERS:
        return None
    text = normalise(drop_unseen(text))
    text = unwrap(text) or text
    text = unicodedata.normalize("NFKC", text).strip(_OUTER_MARKS)
    local_part, at_sign, domain = _BLANKS_AT_MARKS.sub(r"\1", text).rpartition("@")
    if not at_sign or "@" in local_part:
        return None
    address = _parse(local_part, _DOTS.sub(".", domain), find_facts)
    if address is None:
        return None
    return suggest_spelling(address, find_facts(address.domain)) or str(address)


def suggest_spelling(address: EmailAddress, facts: DomainFacts) -> str | None:
    """Return a well-formed address at the domain that its own seems to mean, or None."""
    target = facts.imitates or facts.misspells
    return None if target is None else f"{address.local_part}@{target}"


def _parse(local_part: str, domain: str, find_facts: FindFacts) -> EmailAddress | None:
    try:
        return parse_address(f"{local_part}@{domain}")
    except AddressSyntaxError as error:
        if error.reason is not Reason.NO_TLD or len(domain) > GLUED_DOMAIN_MAX_LETTERS:
            return None
    for place in range(len(domain) - 2, 1, -1):
        try:
            address = parse_address(f"{local_part}@{domain[:place]}.{domain[place:]}")
        except AddressSyntaxError:
            continue
        if find_facts(address.domain).free is not None:
            return address
    return None
