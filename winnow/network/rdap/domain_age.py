"""Age look-up of domains: from the cache, then from registries within the time limit."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from math import inf

from winnow.core.network_answers import RDAP, AgeAnswers, StoredAge
from winnow.core.ports import Registries
from winnow.core.verdicts.facts import (
    AddressFacts,
    AgeFacts,
    AgeState,
    DomainFacts,
    MailRoute,
)
from winnow.core.verdicts.policy import decide
from winnow.core.verdicts.reasons import Reason
from winnow.network.network_use import NetworkUse

NEW_LIFE = timedelta(days=30)  # a decision: disposable domains are mostly used in their first month
SINGLE_BUDGET_SECONDS = 3.0
BATCH_BUDGET_SECONDS = 60.0  # at a question a second that is some 60 domains of one registry
MOST_DOMAINS = 5_000  # asked for in one list; far more than the time allows
MOST_CONSIDERED = 50_000  # of one list, those of most rows
ANSWERS_A_COMMIT = 20
LIVES = {
    AgeState.KNOWN: timedelta(days=180),
    AgeState.NOT_SAID: timedelta(days=1),
    AgeState.UNKNOWN: timedelta(hours=1),
}
OPEN_REASONS = frozenset({Reason.UNLISTED, Reason.WORKING_MAIL})  # an age may still be a sign


@dataclass(eq=False, repr=False)
class AgeLookUp:
    """Gathers ages. Thread-safe; network errors never raise."""

    kept: AgeAnswers
    registries: Registries
    is_public_suffix: Callable[[str], bool]
    clock: Callable[[], datetime]

    def find_registrable(self, facts: DomainFacts) -> str | None:
        """Return the registrable name of a domain, or None where there is none.

        A name below a suffix that a company lends out (``github.io``) is in no registry.
        """
        name = facts.registrable
        if name is None or not self.is_public_suffix(name.partition(".")[2]):
            return None
        return name

    def gather(
        self, domains: Iterable[str], *, budget_seconds: float, tick: Callable[[float], None]
    ) -> tuple[dict[str, AgeFacts], NetworkUse]:
        """Look registrable domains up; those of unknown age are not returned.

        Args:
            domains: Lower-case A-labels, each once, those to ask for first in front.
            budget_seconds: For the network; unanswered domains are unknown.
            tick: Called several times a second with the share done, 0 to 1; what it raises ends
                the look-up; answers that came by then are kept.
        """
        names = list(domains)
        now = self.clock()
        stored = self.kept.read_ages(names, now)
        use = NetworkUse(remembered_count=len(stored))
        missing = [name for name in names if name not in stored]
        if missing:
            stored |= self._ask(missing, use, budget_seconds, tick)
        ages = {
            name: AgeFacts(
                age.registered_at.date(),
                is_new=now - age.registered_at < NEW_LIFE,
                registry=self.registries.name_registry(age.domain),
                asked_at=age.asked_at,
            )
            for name, age in stored.items()
            if age.registered_at is not None
        }
        return ages, use

    def _ask(
        self,
        names: list[str],
        use: NetworkUse,
        budget_seconds: float,
        tick: Callable[[float], None],
    ) -> dict[str, StoredAge]:
        found: dict[str, StoredAge] = {}
        fresh: list[StoredAge] = []
        answers = self.registries.ask_ages(
            names, budget_seconds=budget_seconds, tick=lambda done: tick(done / len(names))
        )
        try:
            for name, answer in answers:
                if answer.state is AgeState.NOT_ASKED:
                    use.unasked_count += 1
                    continue
                use.asked_count += 1
                use.unknown_count += answer.state is AgeState.UNKNOWN
                now = self.clock()
                found[name] = StoredAge(name, answer.registered_at, now, now + LIVES[answer.state])
                fresh.append(found[name])
                if len(fresh) == ANSWERS_A_COMMIT:
                    self._keep(fresh)
                    fresh = []
        finally:
            self._keep(fresh)
        return found

    def _keep(self, ages: list[StoredAge]) -> None:
        if ages:
            self.kept.keep_ages(ages)
            self.kept.add_use(RDAP, len(ages), self.clock())


@dataclass(eq=False, repr=False)
class AgeAsker:
    """Ages for single checks, or gathered once for a task (``core.ports.AgeSource``).

    ``tick`` and ``most_seconds`` are of a task; ``facts`` are those gathered, by registrable
    domain.
    """

    source: AgeLookUp
    tick: Callable[[float], None] = lambda share: None
    most_seconds: float = inf
    facts: Mapping[str, AgeFacts] | None = None
    use: NetworkUse = field(default_factory=NetworkUse)

    def look_up(self, facts: DomainFacts) -> AgeFacts:
        """Return the gathered age; before any are gathered, ask for this domain, known or not."""
        if self.facts is not None:
            return self.facts.get(facts.registrable or "", AgeFacts())
        name = self.source.find_registrable(facts)
        if name is None or facts.mail.route is MailRoute.NOT_FOUND:
            return AgeFacts()
        ages, _ = self.source.gather(
            (name,), budget_seconds=SINGLE_BUDGET_SECONDS, tick=lambda share: None
        )
        return ages.get(name, AgeFacts())

    def look_up_many(self, domains: Iterable[DomainFacts]) -> None:
        """Gather the ages of domains without other facts, where an age may be a sign."""
        names: dict[str, None] = {}
        for facts in islice(domains, MOST_CONSIDERED):
            if len(names) == MOST_DOMAINS:
                break
            if decide(AddressFacts(domain=facts)).reasons[0] not in OPEN_REASONS:
                continue
            name = self.source.find_registrable(facts)
            if name is not None:
                names[name] = None
        self.facts, self.use = self.source.gather(
            names, budget_seconds=min(self.most_seconds, BATCH_BUDGET_SECONDS), tick=self.tick
        )
