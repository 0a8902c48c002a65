"""Network switches, use, and the sources (DNS, RDAP) that they allow."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from winnow.core.errors import BadField
from winnow.core.identities import Event, Role
from winnow.core.network_answers import DNS, HOOKS, RDAP, REFRESH
from winnow.core.settings import Settings
from winnow.network.dns.mail_look_up import MailAsker, MailLookUp
from winnow.network.rdap.domain_age import AgeAsker, AgeLookUp
from winnow.services.use_cases import use_case
from winnow.storage.database import tables
from winnow.storage.database.database import Database
from winnow.storage.database.query_cache import QueryCache
from winnow.storage.repositories import network_answers as answer_rows
from winnow.words import say, say_many, translatable

LABELS = {"DNS": DNS, "RDAP": RDAP}


@dataclass(eq=False, repr=False)
class Network:
    """Network switches, and how much was asked today. Synchronous, thread-safe."""

    database: Database
    settings: Settings
    clock: Callable[[], datetime]

    def __post_init__(self) -> None:
        self._turned = QueryCache[None, dict[str, tuple[bool, datetime]]](
            self.database.changes_of(tables.switches)
        )

    @use_case(Role.READER)
    def is_allowed(self, switch: str) -> bool:
        """Return whether the setting lets the pages turn this switch on."""
        return switch in self.settings.network

    @use_case(Role.READER)
    def is_on(self, switch: str) -> bool:
        """Return whether a switch is on and allowed; a choice of the pages outranks the setting."""
        return self.list_on((switch,)) != []

    def list_on(self, switches: Iterable[str]) -> list[str]:
        """Return those of some switches that are on and allowed, at one moment."""
        turned = self._turned.get(None, lambda _: answer_rows.read_switches(self.database))
        starting = self.settings.network_on
        return [
            switch
            for switch in switches
            if self.is_allowed(switch) and turned.get(switch, (switch in starting,))[0]
        ]

    @property
    def is_asking(self) -> bool:
        """Whether a live check may wait for an answer from the network."""
        return self.list_on(LABELS.values()) != []

    @use_case(Role.ADMIN, Event.NETWORK_CHANGED, subject="switch")
    def turn(self, switch: str, is_on: bool) -> None:
        """Turn a switch, durably and for every page, key and worker.

        Raises:
            BadField: The setting locks it off.
        """
        if is_on and not self.is_allowed(switch):
            raise BadField(
                "network",
                "is switched off on this server",
                hint="WINNOW_NETWORK says what may be turned on.",
            )
        answer_rows.turn_switch(self.database, switch, self.clock(), is_on=is_on)

    @use_case(Role.READER)
    def status_text(self) -> str:
        """Return one line that names what leaves this machine."""
        lists = [say("lists refreshed weekly")] if self.is_on(REFRESH) else []
        on = {label: name for label, name in LABELS.items() if self.is_on(name)}
        now = self.clock()
        asked = [
            say_many(
                answer_rows.read_use(self.database, name, now),
                "{network} on: {count} domain asked today",
                "{network} on: {count} domains asked today",
                network=label,
            )
            for label, name in on.items()
        ]
        if self.is_on(HOOKS):
            count = answer_rows.read_use(self.database, HOOKS, now)
            asked.append(
                say_many(count, "hooks on: {count} call today", "hooks on: {count} calls today")
            )
        if not asked:
            off = translatable("Network: off, nothing leaves this machine")
            quiet = translatable("Network: nothing of yours is sent")
            return ", ".join((say(quiet if lists else off), *lists))
        return ", ".join((*asked, say("no addresses"), *lists))


Tick = Callable[[float], None]
"""Called with the share of look-ups done, 0 to 1; an error that it raises ends them."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Network sources of one check or one task; None: not asked."""

    mail: MailAsker | None = None
    age: AgeAsker | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is no source."""
        return self.mail is None and self.age is None


def open_sources(
    network: Network,
    open_mail: Callable[[], MailLookUp],
    open_age: Callable[[], AgeLookUp],
    tick: Tick,
    most_seconds: float,
) -> Sources:
    """Return the sources that are on, for one check or task; DNS is asked before registries.

    For a task each takes ``most_seconds`` at most, and no longer than it usually may.
    """
    on = network.list_on((DNS, RDAP))
    asks_dns, asks_registries = DNS in on, RDAP in on
    half = 0.5 if asks_dns and asks_registries else 1.0
    mail = age = None
    if asks_dns:
        mail = MailAsker(open_mail(), lambda share: tick(half * share), most_seconds)
    if asks_registries:
        age = AgeAsker(open_age(), lambda share: tick(1 - half + half * share), most_seconds)
    return Sources(mail, age)
