"""The judge of single checks, lists and the API: gathers facts once, then applies the policy."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Protocol

from winnow.core.addresses.address import EmailAddress, duplicate_key, local_flags, parse_address
from winnow.core.errors import AddressSyntaxError
from winnow.core.ports import AgeSource, DomainKnowledge, MailSource
from winnow.core.verdicts.evidence import find_fault
from winnow.core.verdicts.facts import (
    AddressFacts,
    DomainFacts,
    ListReach,
    LocalFlag,
    LocalWords,
    OwnEntry,
    add_age,
)
from winnow.core.verdicts.policy import (
    SANDBOX_DEFAULT,
    SANDBOX_VERDICTS,
    decide,
    overrule,
    view_domain,
)
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Verdict
from winnow.words import Sentence


class Judge(Protocol):
    """Source of verdicts for the batch engine and the single check.

    ``exact`` holds verdicts of whole addresses by their duplicate key (``address.duplicate_key`` of
    the unchanged text). They outrank all other verdicts, malformed or not.
    """

    @property
    def data_version(self) -> str:
        """The version of the domain data judged with."""

    @property
    def local_words(self) -> LocalWords:
        """Flags of whole local parts, such as those of role accounts."""

    @property
    def exact(self) -> Mapping[str, Verdict]:
        """Verdicts for whole addresses, by duplicate key."""

    @property
    def reach(self) -> ListReach:
        """The lists of disposable mail services that the judge searches."""

    @property
    def probabilities(self) -> Mapping[str, float]:
        """How likely a domain is disposable, by its group (``probability``)."""

    def prepare(self, domains: Iterable[str]) -> None:
        """Gather what look-ups need before many verdicts (DNS, RDAP); a no-op offline.

        ``domains`` can be iterated more than once, those of most rows first.
        """

    def facts(self, domain: str) -> DomainFacts:
        """Return all facts about a lower-case A-label domain."""

    def known(self, domain: str) -> DomainFacts:
        """Return what is known offline of a lower-case A-label domain."""

    def own_entry(self, text: str, domain: str) -> OwnEntry | None:
        """Return the entry of the own lists that decides for a well-formed address."""

    def decide(self, flags: LocalFlag, facts: DomainFacts) -> Verdict:
        """Decide for a well-formed address by its local part's flags and ``facts(domain)``."""

    def verdicts(self, flags: Sequence[LocalFlag], domain: str) -> list[Verdict]:
        """Decide for several addresses of one domain, which is looked up once."""

    def number_alike(self, domains: Sequence[str]) -> bytes:
        """Return one byte per domain: domains with the same verdicts share a number.

        0 for a domain that must be judged itself. Numbers mean the same in every call.
        """

    def invalid(self, fault: Reason) -> Verdict:
        """Decide for a value that fails format validation."""


class LiveJudge:
    """Judge by the one policy, the domain knowledge and, if given, the network."""

    def __init__(
        self,
        knowledge: DomainKnowledge,
        *,
        mail: MailSource | None = None,
        age: AgeSource | None = None,
    ) -> None:
        self._knowledge = knowledge
        self._mail = mail
        self._age = age
        self.data_version = knowledge.data_version
        self.local_words = knowledge.local_words
        self.exact: Mapping[str, Verdict] = {}
        self.reach = knowledge.reach
        self.probabilities = knowledge.probabilities
        self._decided: dict[tuple[object, ...], dict[LocalFlag, Verdict]] = {}

    @property
    def asks_network(self) -> bool:
        """Whether DNS or RDAP is asked."""
        return self._mail is not None or self._age is not None

    def prepare(self, domains: Iterable[str]) -> None:
        """Let the sources gather answers, DNS first; without sources nothing is asked."""
        if self._mail is not None:
            self._mail.look_up_many(domains)
        if self._age is not None:
            self._age.look_up_many(map(self._gather, domains))

    def facts(self, domain: str) -> DomainFacts:
        """Return the knowledge's facts, with those of the network where there is a source."""
        facts = self._gather(domain)
        return facts if self._age is None else add_age(facts, self._age.look_up(facts))

    def known(self, domain: str) -> DomainFacts:
        """Return the knowledge's facts alone."""
        return self._knowledge.look_up(domain)

    def _gather(self, domain: str) -> DomainFacts:
        facts = self._knowledge.look_up(domain)
        return facts if self._mail is None else replace(facts, mail=self._mail.look_up(domain))

    def own_entry(self, text: str, domain: str) -> OwnEntry | None:
        """Return None: it knows no own lists."""

    def decide(self, flags: LocalFlag, facts: DomainFacts) -> Verdict:
        """Apply the one policy."""
        return self._decide((flags,), facts)[0]

    def verdicts(self, flags: Sequence[LocalFlag], domain: str) -> list[Verdict]:
        """Apply the one policy to what is known of the domain."""
        return self._decide(flags, self.facts(domain))

    def _decide(self, flags: Sequence[LocalFlag], facts: DomainFacts) -> list[Verdict]:
        """Decide once for each view of a domain; there are few views."""
        decided = self._decided.setdefault(view_domain(facts), {})
        for flag in flags:
            if flag not in decided:
                decided[flag] = decide(AddressFacts(flags=flag, domain=facts))
        return [decided[flag] for flag in flags]

    def number_alike(self, domains: Sequence[str]) -> bytes:
        """Number as the knowledge does; where the network is asked, each domain is its own."""
        if self.asks_network:
            return bytes(len(domains))
        return self._knowledge.number_alike(domains)

    def invalid(self, fault: Reason) -> Verdict:
        """Apply the one policy to a malformed value."""
        return decide(AddressFacts(fault=fault))


class SandboxJudge:
    """Judge of sandbox keys: three test addresses, everything else white and unknown."""

    data_version = "sandbox"
    local_words: LocalWords = MappingProxyType({})
    exact: Mapping[str, Verdict] = SANDBOX_VERDICTS
    reach = ListReach()
    probabilities: Mapping[str, float] = {}

    def prepare(self, domains: Iterable[str]) -> None:
        """Do nothing: the sandbox never looks up domains."""

    def facts(self, domain: str) -> DomainFacts:
        """Return no facts."""
        return DomainFacts(domain)

    known = facts

    def own_entry(self, text: str, domain: str) -> OwnEntry | None:
        """Return None: own lists are not asked."""

    def decide(self, flags: LocalFlag, facts: DomainFacts) -> Verdict:
        """Answer white, unknown."""
        return SANDBOX_DEFAULT

    def verdicts(self, flags: Sequence[LocalFlag], domain: str) -> list[Verdict]:
        """Answer white, unknown, each time."""
        return [SANDBOX_DEFAULT] * len(flags)

    def number_alike(self, domains: Sequence[str]) -> bytes:
        """Number all domains alike."""
        return b"\1" * len(domains)

    def invalid(self, fault: Reason) -> Verdict:
        """Answer white, unknown, for malformed values too."""
        return SANDBOX_DEFAULT


@dataclass(frozen=True, slots=True)
class Judgement:
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
    verdict = judge.decide(local_flags(address.local_part, judge.local_words), facts)
    own = judge.own_entry(text, address.domain)
    return Judgement(address, facts, own, verdict if exact is None else overrule(exact, verdict))
