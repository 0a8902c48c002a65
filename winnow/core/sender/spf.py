"""SPF records (RFC 7208): parsing one, and walking all that it leads to."""

import ipaddress
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from winnow.core.sender.answers import SenderFacts, TextAnswer
from winnow.core.verdicts.facts import MailRoute

VERSION = "v=spf1"
LOOKUPS_MOST = 10  # RFC 7208, 4.6.4
VOIDS_MOST = 2  # RFC 7208, 4.6.4
LENGTH_MOST = 450  # RFC 7208, 3.4: so that an answer stays within 512 octets
_WALKED_MOST = 40  # lookups of a record that leads on and on; far past what any receiver asks
_MECHANISMS = frozenset({"all", "include", "a", "mx", "ptr", "ip4", "ip6", "exists"})
_LOOKED_UP = frozenset({"include", "a", "mx", "ptr", "exists"})
_DOMAIN_NEEDED = frozenset({"include", "exists"})
_TERM = re.compile(
    r"(?P<sign>[+\-~?]?)(?P<name>[a-z][a-z0-9_.-]*)(?P<rest>[:/].*)?\Z", re.IGNORECASE
)
_MODIFIER = re.compile(r"(?P<name>[a-z][a-z0-9_.-]*)=(?P<value>.*)\Z", re.IGNORECASE)
_LENGTHS = re.compile(r"(?:/(\d{1,2}))?(?://(\d{1,3}))?\Z")  # RFC 7208, 5.6
_ADDRESSES = {"ip4": ipaddress.IPv4Network, "ip6": ipaddress.IPv6Network}


@dataclass(frozen=True, slots=True)
class SpfTerm:
    """One mechanism: ``sign`` is one of ``+-~?``, ``value`` its domain or network, ``""`` none."""

    sign: str
    name: str
    value: str
    text: str


@dataclass(frozen=True, slots=True)
class SpfRecord:
    """One record; ``faults`` are the terms that no receiver can read."""

    text: str
    terms: tuple[SpfTerm, ...]
    redirect: str = ""
    faults: tuple[str, ...] = ()

    @property
    def all_term(self) -> SpfTerm | None:
        """The term ``all``; what stands behind it has no effect."""
        return next((term for term in self.terms if term.name == "all"), None)

    @property
    def reached(self) -> Iterator[SpfTerm]:
        """The terms before ``all``."""
        for term in self.terms:
            if term.name == "all":
                return
            yield term


@dataclass(slots=True)
class SpfWalk:
    """What a receiver would have to look up for a sender that nothing names.

    ``wanted`` is what must be asked before the walk can go on.
    """

    lookups: int = 0
    voids: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)  # included, without one readable record
    circular: list[str] = field(default_factory=list)
    open_to_all: list[str] = field(default_factory=list)  # included, and lets everybody send
    unanswered: list[str] = field(default_factory=list)
    crowded: list[str] = field(default_factory=list)  # "mx" of more than ten hosts
    costs: dict[str, int] = field(default_factory=dict)  # of what the record itself names
    has_macros: bool = False
    wanted_texts: set[str] = field(default_factory=set)
    wanted_hosts: set[str] = field(default_factory=set)
    wanted_mail: set[str] = field(default_factory=set)

    @property
    def is_waiting(self) -> bool:
        """Whether something must still be asked."""
        return bool(self.wanted_texts or self.wanted_hosts or self.wanted_mail)


def is_spf(text: str) -> bool:
    """Tell whether a text record is an SPF record (RFC 7208, 4.5)."""
    return text.lower() == VERSION or text.lower().startswith(f"{VERSION} ")


def parse_spf(text: str) -> SpfRecord:
    """Parse a record that ``is_spf``; what cannot be read is told in ``faults``."""
    terms: list[SpfTerm] = []
    faults: list[str] = []
    modifiers: dict[str, list[str]] = {"redirect": [], "exp": []}
    for word in text.split(" ")[1:]:
        if not word:
            continue
        modifier = _MODIFIER.match(word)
        if modifier is not None:
            known = modifiers.get(modifier["name"].lower(), [])  # RFC 7208, 6: others are ignored
            known.append(modifier["value"].lower().removesuffix("."))
            continue
        term = _parse_term(word)
        if term is None:
            faults.append(word)
        else:
            terms.append(term)
    faults += (
        f"{name}=" for name, given in modifiers.items() if len(given) > 1 or "" in given
    )  # RFC 7208, 6: once, and never empty
    return SpfRecord(text, tuple(terms), next(iter(modifiers["redirect"]), ""), tuple(faults))


def _parse_term(word: str) -> SpfTerm | None:
    found = _TERM.match(word)
    if found is None or found["name"].lower() not in _MECHANISMS:
        return None
    name, rest = found["name"].lower(), found["rest"] or ""
    value = rest[1:] if rest.startswith(":") else ""
    if name in _ADDRESSES:
        try:
            _ADDRESSES[name](value, strict=False)
        except ValueError:
            return None
    elif name == "all":
        if rest:
            return None
    elif name in _DOMAIN_NEEDED:
        if not value:
            return None
    elif rest.startswith(":") and not value:
        return None
    if name in {"a", "mx"}:
        value, slash, lengths = value.partition("/") if value else ("", "", rest)
        if not _is_prefix(slash + lengths) or (rest.startswith(":") and not value):
            return None
    elif name == "ptr" and rest.startswith("/"):
        return None
    return SpfTerm(found["sign"] or "+", name, value.lower().removesuffix("."), word)


def _is_prefix(text: str) -> bool:
    """Tell whether a text is what may stand behind an address: ``""``, ``/24``, ``/24//64``."""
    found = _LENGTHS.match(text)
    return found is not None and int(found[1] or 0) <= 32 and int(found[2] or 0) <= 128


def find_spf(answer: TextAnswer) -> tuple[str, ...]:
    """Return the SPF records among a name's text records."""
    return tuple(text for text in answer.texts or () if is_spf(text))


def walk_spf(record: SpfRecord, facts: SenderFacts) -> SpfWalk:
    """Follow a record through all that it includes, as far as ``facts`` tell."""
    walk = SpfWalk()
    for term in record.reached:
        before = walk.lookups
        _follow(walk, term, (facts.domain,), facts, passes=True)
        if walk.lookups > before:
            walk.costs[term.text] = walk.lookups - before
    if record.redirect and record.all_term is None:  # RFC 7208, 6.1
        before = walk.lookups
        _enter(walk, record.redirect, (facts.domain,), facts, passes=True)
        walk.costs[f"redirect={record.redirect}"] = walk.lookups - before
    return walk


def _follow(
    walk: SpfWalk, term: SpfTerm, path: tuple[str, ...], facts: SenderFacts, *, passes: bool
) -> None:
    """Follow one term of the record of the path's last name.

    ``passes``: what the record lets send may send for the domain as well.
    """
    if term.name not in _LOOKED_UP or walk.lookups >= _WALKED_MOST:
        return
    if term.name == "include":
        _enter(walk, term.value, path, facts, passes=passes and term.sign == "+")
        return
    walk.lookups += 1
    name = term.value or path[-1]
    if "%" in name:
        walk.has_macros = True
    elif term.name == "mx":
        _count_exchangers(walk, name, facts)
    elif term.name in {"a", "exists"}:
        _count_addresses(walk, name, facts)


def _enter(
    walk: SpfWalk, name: str, path: tuple[str, ...], facts: SenderFacts, *, passes: bool
) -> None:
    """Go into an included record, or into one that takes this one's place."""
    walk.lookups += 1
    if walk.lookups >= _WALKED_MOST:
        return
    if "%" in name:
        walk.has_macros = True
        return
    if name in path:
        walk.circular.append(name)
        return
    answer = facts.texts.get(name)
    if answer is None:
        walk.wanted_texts.add(name)
        return
    if answer.texts is None:
        walk.unanswered.append(name)
        return
    if not answer.texts:
        walk.voids.append(name)
    records = find_spf(answer)
    parsed = parse_spf(records[0]) if len(records) == 1 else None
    if parsed is None or parsed.faults:
        walk.broken.append(name)
        return
    if passes and parsed.all_term is not None and parsed.all_term.sign == "+":
        walk.open_to_all.append(name)
    for term in parsed.reached:
        _follow(walk, term, (*path, name), facts, passes=passes)
    if parsed.redirect and parsed.all_term is None:
        _enter(walk, parsed.redirect, (*path, name), facts, passes=passes)


def _count_exchangers(walk: SpfWalk, name: str, facts: SenderFacts) -> None:
    answer = facts.mail.get(name)
    if answer is None:
        walk.wanted_mail.add(name)
    elif answer.route in {MailRoute.UNKNOWN, MailRoute.NOT_LOOKED_UP}:
        walk.unanswered.append(name)
    elif answer.route is not MailRoute.MX:
        walk.voids.append(name)


def _count_addresses(walk: SpfWalk, name: str, facts: SenderFacts) -> None:
    answer = facts.hosts.get(name)
    if answer is None:
        walk.wanted_hosts.add(name)
    elif answer.addresses is None:
        walk.unanswered.append(name)
    elif not answer.addresses:
        walk.voids.append(name)
