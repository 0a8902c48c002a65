"""Judge of one run over many columns, which caches domains that repeat."""

from collections.abc import Sequence

from winnow.core.ports import DomainKnowledge
from winnow.core.verdicts.judge import LiveJudge

MOST_DOMAINS = 1 << 18  # some 40 MB
_UNKNOWN = -1


class RunJudge(LiveJudge):
    """Caches the facts of domains' names during a run. Thread-safe.

    A new judge finds them for each column, which is more than half of the work on a short one.
    """

    def __init__(self, knowledge: DomainKnowledge, most_domains: int = MOST_DOMAINS) -> None:
        super().__init__(knowledge)
        self._most_domains = most_domains
        self._numbers: dict[str, int] = {}

    def number_alike(self, domains: Sequence[str]) -> bytes:
        """Number as ``LiveJudge`` does."""
        known = self._numbers
        numbers = [known.get(domain, _UNKNOWN) for domain in domains]
        new = [place for place, number in enumerate(numbers) if number == _UNKNOWN]
        if new:
            texts = [domains[place] for place in new]
            found = super().number_alike(texts)
            if len(known) + len(new) > self._most_domains:
                known = self._numbers = {}
            known.update(zip(texts, found, strict=True))
            for place, number in zip(new, found, strict=True):
                numbers[place] = number
        return bytes(numbers)
