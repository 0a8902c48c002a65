"""The most doubtful verdicts: black ones on honest sets, the weakest evidence first."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from winnow.core.verdicts.facts import AddressFacts, DomainFacts
from winnow.core.verdicts.policy import decide, list_offline_signs
from winnow.core.verdicts.verdict import Category, Verdict
from winnow.domain_data.look_up.look_up import Knowledge


@dataclass(frozen=True, slots=True)
class Doubt:
    """A verdict with what speaks for it; ``where`` is the set of honest names that has it."""

    where: str
    facts: DomainFacts
    verdict: Verdict

    @property
    def strength(self) -> tuple[int, int, int, int, str]:
        """How strong the evidence is; doubtful verdicts are the first in this order."""
        listings = self.facts.listings
        return (
            sum(found.reviewed for found in listings),
            len({found.family for found in listings}),
            len(listings),
            len(list_offline_signs(self.facts)),
            self.facts.domain,
        )

    def describe(self) -> str:
        """Return a row of a table in Markdown."""
        lists = "; ".join(
            f"{found.source} ({found.listed_on or 'undated'})" for found in self.facts.listings
        )
        signs = ", ".join(list_offline_signs(self.facts)) or "none"
        cells = (self.facts.domain, self.where, self.verdict.reasons[0], lists, signs)
        return f"| {' | '.join(cells)} |"


def find_doubts(knowledge: Knowledge, sets: Iterable[tuple[str, Iterable[str]]]) -> list[Doubt]:
    """Return every honest name called black, the most doubtful first; each once."""
    found: dict[str, Doubt] = {}
    for where, names in sets:
        for doubt in _judge(knowledge, where, names):
            found.setdefault(doubt.facts.domain, doubt)
    return sorted(found.values(), key=lambda doubt: doubt.strength)


def _judge(knowledge: Knowledge, where: str, names: Iterable[str]) -> Iterator[Doubt]:
    for name in names:
        facts = knowledge.look_up(name)
        verdict = decide(AddressFacts(domain=facts))
        if verdict.category is Category.BLACK:
            yield Doubt(where, facts, verdict)
