"""Whom checks and tasks may ask beyond this machine, as the switches stand."""

from collections.abc import Callable
from dataclasses import dataclass

from winnow.core.network_answers import DNS, RDAP
from winnow.core.ports import AgeSource, MailSource
from winnow.network.dns.mail_look_up import MailLookUp
from winnow.network.dns.mail_sources import BatchMail, SingleMail
from winnow.network.rdap.domain_age import AgeLookUp, BatchAge, SingleAge
from winnow.services.network import Network

Tick = Callable[[float], None]
"""Called with the share of look-ups done, 0 to 1; what it raises ends them."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Whom single checks may ask; None is nobody."""

    mail: MailSource | None = None
    age: AgeSource | None = None


@dataclass(frozen=True, slots=True)
class TaskSources:
    """Whom one task may ask; None is nobody."""

    mail: BatchMail | None = None
    age: BatchAge | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nobody may be asked."""
        return self.mail is None and self.age is None


class NetworkSources:
    """Opens what the switches allow; nothing is opened before it is switched on and needed."""

    def __init__(
        self,
        network: Network,
        open_mail: Callable[[], MailLookUp],
        open_age: Callable[[], AgeLookUp],
    ) -> None:
        self._network = network
        self._open_mail = open_mail
        self._open_age = open_age

    def choose(self) -> Sources:
        """Return the sources of one single check."""
        return Sources(
            mail=SingleMail(self._open_mail()) if self._network.is_on(DNS) else None,
            age=SingleAge(self._open_age()) if self._network.is_on(RDAP) else None,
        )

    def open_for_task(self, tick: Tick) -> TaskSources:
        """Return the sources of one task; DNS is asked first, then the registries."""
        asks_dns, asks_registries = self._network.is_on(DNS), self._network.is_on(RDAP)
        if asks_dns and asks_registries:
            return TaskSources(
                BatchMail(self._open_mail(), lambda share: tick(share / 2)),
                BatchAge(self._open_age(), lambda share: tick((1 + share) / 2)),
            )
        return TaskSources(
            mail=BatchMail(self._open_mail(), tick) if asks_dns else None,
            age=BatchAge(self._open_age(), tick) if asks_registries else None,
        )
