"""The judge of single checks, lists and the API: gathers facts once, then applies the policy."""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import NamedTuple

from winnow.core.addresses.address import EmailAddress, duplicate_key, local_flags, parse_address
from winnow.core.errors import AddressSyntaxError
from winnow.core.judging.evidence import find_fault
from winnow.core.own_lists.patterns import OwnLists, judge_entry
from winnow.core.ports import AgeSource, DomainKnowledge, MailSource, StaticKnowledge
from winnow.core.verdicts.facts import AddressFacts, DomainFacts, LocalFlag, OwnEntry
from winnow.core.verdicts.policy import (
    SANDBOX_DEFAULT,
    SANDBOX_VERDICTS,
    decide,
    overrule,
    view_domain,
)
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category, Verdict
from winnow.words import Sentence


class Judge:
    """Judge by the own lists, the one policy, the domain knowledge and, if given, the network.

    ``exact`` has the verdicts of whole addresses by their duplicate key (``address.duplicate_key``
    of the unchanged text). They outrank all other verdicts, malformed or not. ``local_parts`` has
    the categories of those in lower case that own lists name, where no other entry decides.
    """

    def __init__(
        self,
        knowledge: DomainKnowledge,
        *,
        mail: MailSource | None = None,
        age: AgeSource | None = None,
    ) -> None:
        self.knowledge = knowledge
        self.exact: Mapping[str, Verdict] = {}
        self.local_parts: Mapping[str, Category] = {}
        self._mail = mail
        self._age = age
        self._own = OwnLists()
        self._decided: dict[tuple[object, ...], dict[LocalFlag, Verdict]] = {}

    def put_own_first(self, own: OwnLists) -> "Judge":
        """Return a judge that applies own lists first; this one where they are empty.

        Its verdicts by an entry have the verdict without the entry in ``overruled``.
        """
        if not own.entries:
            return self
        judge = copy(self)
        judge.exact, judge._own = own.exact, own
        judge.local_parts = {
            name: own.entries[place].category for name, place in own.local_parts.items()
        }
        return judge

    @property
    def needs_keys(self) -> bool:
        """Whether a verdict depends on more of an address than its domain and its flags."""
        return bool(self.exact or self.local_parts)

    @property
    def asks_network(self) -> bool:
        """Whether DNS or RDAP is asked."""
        return self._mail is not None or self._age is not None

    def prepare(self, domains: Iterable[str]) -> None:
        """Gather what look-ups need before many verdicts, DNS first; a no-op offline.

        ``domains`` can be iterated more than once, those of most rows first.
        """
        if self._mail is not None:
            self._mail.look_up_many(domains)
        if self._age is not None:
            self._age.look_up_many(map(self._gather, domains))

    def facts(self, domain: str) -> DomainFacts:
        """Return all facts about a lower-case A-label domain, with the entry that names it."""
        facts = self._ask(domain)
        own = self._own.match_domain(domain)
        return facts if own is None else facts._replace(own=own)

    def _ask(self, domain: str) -> DomainFacts:
        facts = self._gather(domain)
        return facts if self._age is None else facts._replace(age=self._age.look_up(facts))

    def _gather(self, domain: str) -> DomainFacts:
        facts = self.knowledge.look_up(domain)
        return facts if self._mail is None else facts._replace(mail=self._mail.look_up(domain))

    def own_entry(self, text: str, domain: str) -> OwnEntry | None:
        """Return the entry of the own lists that decides for a well-formed address."""
        return self._own.match(text, domain)

    def decide(self, flags: LocalFlag, facts: DomainFacts) -> Verdict:
        """Decide for a well-formed address by its local part's flags and ``facts(domain)``."""
        if facts.own is None:
            return self._decide((flags,), facts)[0]
        return self._overrule(facts.own, self._decide((flags,), facts._replace(own=None)))[0]

    def verdicts(self, flags: Sequence[LocalFlag], domain: str) -> list[Verdict]:
        """Decide for several addresses of one domain, which is looked up once."""
        verdicts = self._decide(flags, self._ask(domain))
        return self._overrule(self._own.match_domain(domain), verdicts)

    def _overrule(self, own: OwnEntry | None, verdicts: list[Verdict]) -> list[Verdict]:
        if own is None:
            return verdicts
        entry = judge_entry(own.category, own.reason)
        return [overrule(entry, verdict) for verdict in verdicts]

    def _decide(self, flags: Sequence[LocalFlag], facts: DomainFacts) -> list[Verdict]:
        """Decide once for each view of a domain; there are few views."""
        decided = self._decided.setdefault(view_domain(facts), {})
        for flag in flags:
            if flag not in decided:
                decided[flag] = decide(AddressFacts(flags=flag, domain=facts))
        return [decided[flag] for flag in flags]

    def number_alike(self, domains: Sequence[str]) -> bytes:
        """Return one byte per domain: domains with the same verdicts share a number.

        0 for a domain that must be judged itself: one that the own lists name, or any where the
        network is asked. Numbers mean the same in every call.
        """
        if self.asks_network:
            return bytes(len(domains))
        numbers = self._number(domains)
        if not self._own.entries:
            return numbers
        match = self._own.match_domain
        return bytes(
            0 if match(domain) else number for domain, number in zip(domains, numbers, strict=True)
        )

    def _number(self, domains: Sequence[str]) -> bytes:
        return self.knowledge.number_alike(domains)

    def invalid(self, fault: Reason) -> Verdict:
        """Decide for a value that fails format validation: no own list applies to it."""
        return decide(AddressFacts(fault=fault))


class SandboxJudge(Judge):
    """Judge of sandbox keys: three test addresses, everything else white and unknown."""

    def __init__(self) -> None:
        super().__init__(StaticKnowledge(data_version="sandbox"))
        self.exact = SANDBOX_VERDICTS

    def _decide(self, flags: Sequence[LocalFlag], facts: DomainFacts) -> list[Verdict]:
        return [SANDBOX_DEFAULT] * len(flags)

    def invalid(self, fault: Reason) -> Verdict:
        """Answer white, unknown, for malformed values too."""
        return SANDBOX_DEFAULT


class Judgement(NamedTuple):
    """A judged value: the verdict, and the facts that decided it.

    ``address`` and ``facts`` are None for a value that fails format validation. ``own_entry`` is
    the entry of the own lists that decided, where one did. ``fault`` names the offending character
    of a malformed value.
    """

    address: EmailAddress | None
    facts: DomainFacts | None
    own_entry: OwnEntry | None
    verdict: Verdict
    fault: Sentence | None = None


def judge_text(judge: Judge, text: str) -> Judgement:
    """Judge one value of a cell or a request; the batch engine must give the same verdict.

    The facts are gathered once, so that they are the facts of the decision even if answers change a
    moment later.
    """
    exact = judge.exact.get(duplicate_key(text)) if judge.exact else None
    try:
        address = parse_address(text)
    except AddressSyntaxError as error:
        fault = find_fault(text, error.reason)
        return Judgement(None, None, None, exact or judge.invalid(error.reason), fault)
    facts = judge.facts(address.domain)
    verdict = judge.decide(local_flags(address.local_part, judge.knowledge.local_words), facts)
    own = judge.own_entry(text, address.domain)
    if own is not None:
        exact = judge_entry(own.category, own.reason)
    return Judgement(address, facts, own, verdict if exact is None else overrule(exact, verdict))
