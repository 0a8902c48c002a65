"""Patterns of the account's own lists: parsing, validation and look-up.

An address entry names one address; a domain entry exactly one domain; a wildcard ``*.example.com``
every name below ``example.com`` at any depth, but not ``example.com`` itself; ``press@*`` every
address with this whole local part, tags included. An address comes before a domain, a domain before
a wildcard, the longer wildcard before the shorter, and a local part comes last.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import idna

from winnow.core.addresses.address import duplicate_key, find_address, to_a_label
from winnow.core.errors import BadField
from winnow.core.record_enum import RecordEnum
from winnow.core.verdicts.facts import AddressFacts, OwnEntry
from winnow.core.verdicts.policy import decide
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category, Verdict
from winnow.words import translatable

PATTERN_MAX_OCTETS = 254  # an address's own limit: RFC 5321, 4.5.3.1.3 with erratum 1690
WILDCARD_MARK = "*."
ANY_DOMAIN = "@*"
ANY_NAME = "a.de"  # a domain that is well formed

_URL = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)


class PatternKind(RecordEnum):
    """What an entry names; ``reason`` is that of what it decides."""

    reason: Reason

    ADDRESS = "address", Reason.OWN_ADDRESS
    DOMAIN = "domain", Reason.OWN_DOMAIN
    WILDCARD = "wildcard", Reason.OWN_WILDCARD
    LOCAL_PART = "local_part", Reason.OWN_LOCAL_PART


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern in its stored form.

    An address as its duplicate key, a domain as a lower-case A-label, a wildcard as one of these
    behind ``*.``, a local part in lower case before ``@*``.
    """

    text: str
    kind: PatternKind


def parse_pattern(text: str, is_public_suffix: Callable[[str], bool]) -> Pattern:
    """Read an address, a domain, a wildcard or a local part.

    Args:
        text: As typed: any case, Unicode or A-label domain; ``@example.com`` is a domain too.
        is_public_suffix: Returns whether anyone may register below a lower-case A-label name.

    Raises:
        BadField: It is none of them, or matches a whole public suffix.
    """
    text = text.strip()
    if not text:
        raise _refuse("is empty")
    if len(text.encode("utf-8", "replace")) > PATTERN_MAX_OCTETS:
        raise _refuse(translatable("is longer than {most} octets", most=PATTERN_MAX_OCTETS))
    head, slash, _ = text.partition("/")
    is_path = slash and ("@" not in text.lstrip("@") or find_address(f"a@{head}") is not None)
    if is_path or _URL.match(text):
        raise _refuse("is a web address", "Write the domain alone: example.com.")
    if text.endswith(ANY_DOMAIN) and "*" not in text[:-1]:
        local_part = _read_address(text.removesuffix("*") + ANY_NAME).rpartition("@")[0]
        return Pattern(local_part + ANY_DOMAIN, PatternKind.LOCAL_PART)
    if "@" in text.lstrip("@"):
        return Pattern(_read_address(text), PatternKind.ADDRESS)
    if text.startswith(WILDCARD_MARK):
        domain = _read_domain(text.removeprefix(WILDCARD_MARK), is_public_suffix)
        return Pattern(WILDCARD_MARK + domain, PatternKind.WILDCARD)
    if "*" in text:
        raise _refuse("has a star in a place where none may be", "A wildcard is *.example.com.")
    return Pattern(_read_domain(text.removeprefix("@"), is_public_suffix), PatternKind.DOMAIN)


def show_pattern(text: str) -> str:
    """Return a stored pattern for people: with the letters of a domain in another script."""
    if "xn--" not in text:
        return text
    head, mark, domain = text.rpartition("@")
    if not mark and text.startswith(WILDCARD_MARK):
        head, domain = WILDCARD_MARK, text.removeprefix(WILDCARD_MARK)
    try:
        return f"{text} ({head}{mark}{idna.decode(domain)})"
    except idna.IDNAError:
        return text


def _read_address(text: str) -> str:
    local_part, _, domain = text.rpartition("@")
    if "*" in domain or local_part.strip("*") == "":
        raise _refuse(
            "mixes an address and a wildcard", "For all addresses of a domain, write the domain."
        )
    address = find_address(text)
    if address is None:
        raise _refuse(
            "is no address that mail can be sent to",
            "Malformed addresses are invalid whatever a list says.",
        )
    return address.duplicate_key


def _read_domain(text: str, is_public_suffix: Callable[[str], bool]) -> str:
    domain = to_a_label(text.removesuffix(".")) if text else None
    if domain is not None and is_public_suffix(domain):
        raise _refuse(
            "is a public suffix, under which anyone can register",
            "Name the domains below it one by one.",
        )
    found = find_address(f"a@{domain}")
    if found is None:
        raise _refuse(
            "is neither an address nor a domain",
            "Write ana@example.com, example.com, *.example.com or press@*.",
        )
    return found.domain


def _refuse(problem: str, hint: str | None = None) -> BadField:
    return BadField("pattern", problem, hint=hint)


@dataclass(frozen=True, slots=True)
class OwnLists:
    """One account's lists at one moment, ready for look-ups.

    ``addresses`` are by duplicate key, ``domains`` and ``wildcards`` by lower-case A-label name
    (a wildcard's without ``*.``), ``local_parts`` in lower case; the values are indices in
    ``entries``. ``version`` changes with every change of the lists.
    """

    version: int = 0
    entries: tuple[OwnEntry, ...] = ()
    addresses: Mapping[str, int] = field(default_factory=dict)
    domains: Mapping[str, int] = field(default_factory=dict)
    wildcards: Mapping[str, int] = field(default_factory=dict)
    local_parts: Mapping[str, int] = field(default_factory=dict)
    exact: Mapping[str, Verdict] = field(default_factory=dict)  # of the addresses

    @classmethod
    def build(cls, version: int, entries: Iterable[OwnEntry]) -> "OwnLists":
        """Index entries; their patterns are in the form of ``Pattern.text``."""
        kept = tuple(entries)
        by_reason: dict[Reason, dict[str, int]] = {kind.reason: {} for kind in PatternKind}
        for place, entry in enumerate(kept):
            name = entry.pattern.removeprefix(WILDCARD_MARK).removesuffix(ANY_DOMAIN)
            by_reason[entry.reason][name] = place
        by_category = {category: judge_entry(category, Reason.OWN_ADDRESS) for category in Category}
        addresses = by_reason[Reason.OWN_ADDRESS]
        return cls(
            version,
            kept,
            addresses=addresses,
            domains=by_reason[Reason.OWN_DOMAIN],
            wildcards=by_reason[Reason.OWN_WILDCARD],
            local_parts=by_reason[Reason.OWN_LOCAL_PART],
            exact={key: by_category[kept[place].category] for key, place in addresses.items()},
        )

    def match_domain(self, domain: str) -> OwnEntry | None:
        """Return the entry that decides for a lower-case A-label domain."""
        place = self.domains.get(domain)
        parent = domain.partition(".")[2] if self.wildcards else ""
        while place is None and parent:
            place, parent = self.wildcards.get(parent), parent.partition(".")[2]
        return None if place is None else self.entries[place]

    def match(self, text: str, domain: str) -> OwnEntry | None:
        """Return the entry that decides for a well-formed address."""
        key = duplicate_key(text) if self.addresses or self.local_parts else ""
        place = self.addresses.get(key)
        named = self.match_domain(domain) if place is None else None
        if place is None and named is None:
            place = self.local_parts.get(key.rpartition("@")[0])
        return named if place is None else self.entries[place]


def judge_entry(category: Category, reason: Reason) -> Verdict:
    """Return the verdict that an entry gives."""
    return decide(AddressFacts(own=OwnEntry(category, "", reason)))
