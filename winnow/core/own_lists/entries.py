"""Entries of the own lists, and the judge that applies them first."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from winnow.core.own_lists.patterns import OwnLists, PatternKind, judge_entry
from winnow.core.verdicts.facts import DomainFacts, ListReach, LocalFlag, LocalWords, OwnEntry
from winnow.core.verdicts.judge import Judge
from winnow.core.verdicts.policy import overrule
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category, Verdict


@dataclass(frozen=True, slots=True)
class ListEntry:
    """One entry; ``pattern`` as ``own_lists.Pattern.text``, ``added_at`` in UTC."""

    pattern: str
    kind: PatternKind
    category: Category
    note: str
    added_at: datetime


@dataclass(frozen=True, slots=True)
class OwnChange:
    """One change of the own lists, which can be undone.

    ``added``, ``changed`` and ``removed`` count entries. For a change of one entry, ``before`` and
    ``after`` are that entry; None: it was or is on no list. ``made_at`` in UTC.
    """

    change_id: int
    made_at: datetime
    added: int
    changed: int
    removed: int
    before: ListEntry | None = None
    after: ListEntry | None = None


@dataclass(frozen=True, slots=True)
class Undone:
    """Result of an undo: entries put back, and those left because they changed since."""

    entries: int
    left: int


@dataclass(frozen=True, slots=True)
class EntryPage:
    """One page of the entries that match, how many match, and how many there are in all."""

    entries: tuple[ListEntry, ...]
    matching: int
    total: int


@dataclass(frozen=True, slots=True)
class RefusedLine:
    """A line of a file that was left out, and why; never its text."""

    line: int
    problem: str


@dataclass(frozen=True, slots=True)
class ImportReport:
    """Result of an import. ``refused`` holds the first lines left out, of ``refused_count``."""

    added: int
    changed: int
    refused: tuple[RefusedLine, ...]
    refused_count: int


@dataclass(frozen=True, slots=True)
class OwnReach:
    """Effect of an account's lists on its open projects.

    ``rows_changed`` counts rows with another category than without the lists, in
    ``projects_changed`` projects; ``hits`` the rows that each pattern decides. Only
    ``projects_measured`` of ``projects_open`` were counted, the newest.
    """

    rows_changed: int
    projects_changed: int
    projects_measured: int
    projects_open: int
    hits: Mapping[str, int]


def put_own_first(judge: Judge, own: OwnLists) -> Judge:
    """Return a judge that applies the own lists first; the same one where they are empty."""
    return OwnListsJudge(judge, own) if own.entries else judge


class OwnListsJudge:
    """Another judge's verdicts, overruled where the own lists have an entry.

    Each of their verdicts has the other judge's in ``overruled``, so that nothing has to be judged
    again when an entry is deleted.
    """

    def __init__(self, judge: Judge, own: OwnLists) -> None:
        self._judge = judge
        self._own = own
        self.exact: Mapping[str, Verdict] = own.exact

    @property
    def data_version(self) -> str:
        """The other judge's."""
        return self._judge.data_version

    @property
    def reach(self) -> ListReach:
        """The other judge's."""
        return self._judge.reach

    @property
    def probabilities(self) -> Mapping[str, float]:
        """The other judge's."""
        return self._judge.probabilities

    @property
    def local_words(self) -> LocalWords:
        """The other judge's."""
        return self._judge.local_words

    def prepare(self, domains: Iterable[str]) -> None:
        """Prepare all domains: the verdict without the own lists is needed as well."""
        self._judge.prepare(domains)

    def facts(self, domain: str) -> DomainFacts:
        """Return the other judge's facts, with the entry that names the domain."""
        facts = self._judge.facts(domain)
        own = self._own.match_domain(domain)
        return facts if own is None else replace(facts, own=own)

    def known(self, domain: str) -> DomainFacts:
        """Return what the other judge knows."""
        return self._judge.known(domain)

    def own_entry(self, text: str, domain: str) -> OwnEntry | None:
        """Return the entry of the address, or that of its domain."""
        return self._own.match(text, domain)

    def decide(self, flags: LocalFlag, facts: DomainFacts) -> Verdict:
        """Decide by the entry in the facts, with the other judge's verdict in ``overruled``."""
        own = facts.own
        if own is None:
            return self._judge.decide(flags, facts)
        beneath = self._judge.decide(flags, replace(facts, own=None))
        return overrule(judge_entry(own.category, own.reason), beneath)

    def verdicts(self, flags: Sequence[LocalFlag], domain: str) -> list[Verdict]:
        """Do the same for several addresses of one domain."""
        verdicts = self._judge.verdicts(flags, domain)
        own = self._own.match_domain(domain)
        if own is None:
            return verdicts
        entry = judge_entry(own.category, own.reason)
        return [overrule(entry, verdict) for verdict in verdicts]

    def number_alike(self, domains: Sequence[str]) -> bytes:
        """Number as the other judge does, except domains that the lists name."""
        match, numbers = self._own.match_domain, self._judge.number_alike(domains)
        return bytes(
            0 if match(domain) else number for domain, number in zip(domains, numbers, strict=True)
        )

    def invalid(self, fault: Reason) -> Verdict:
        """Answer as the other judge: no list applies to a malformed value."""
        return self._judge.invalid(fault)
