"""Mail facts for single checks, and for one list at a time."""

from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta

from winnow.core.verdicts.facts import MailFacts, MailRoute
from winnow.network.dns.mail_look_up import MailLookUp
from winnow.network.network_use import NetworkUse

SINGLE_BUDGET_SECONDS = 2.0
BATCH_BUDGET_SECONDS = 900.0
UNKNOWN_LIFE = timedelta(seconds=30)  # a single check does not wait for silence twice


class SingleMail:
    """Mail facts for single checks, each within a short time (``core.ports.MailSource``)."""

    def __init__(self, look_up: MailLookUp) -> None:
        self._look_up = look_up

    def look_up(self, domain: str) -> MailFacts:
        """Ask for one domain, unless the answer is cached."""
        facts, _ = self._look_up.gather(
            (domain,),
            budget_seconds=SINGLE_BUDGET_SECONDS,
            tick=lambda share: None,
            unknown_life=UNKNOWN_LIFE,
        )
        return facts[domain]

    def look_up_many(self, domains: Iterable[str]) -> None:
        """Do nothing: single checks come one by one."""


class BatchMail:
    """Mail facts for one task, gathered once and stored with it (``core.ports.MailSource``)."""

    def __init__(
        self,
        look_up: MailLookUp,
        tick: Callable[[float], None],
        budget_seconds: float = BATCH_BUDGET_SECONDS,
    ) -> None:
        self._look_up = look_up
        self._budget_seconds = budget_seconds
        self._tick = tick
        self.facts: Mapping[str, MailFacts] = {}
        self.use = NetworkUse()

    def look_up(self, domain: str) -> MailFacts:
        """Return the gathered facts; unknown for other domains."""
        return self.facts.get(domain, MailFacts(MailRoute.UNKNOWN))

    def look_up_many(self, domains: Iterable[str]) -> None:
        """Gather the list's domains."""
        self.facts, self.use = self._look_up.gather(
            domains, budget_seconds=self._budget_seconds, tick=self._tick
        )
