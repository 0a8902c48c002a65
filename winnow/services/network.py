"""The network switch: off until somebody turns it on, and never beyond the setting."""

from collections.abc import Callable
from datetime import datetime

from winnow.core.errors import BadField
from winnow.core.network_answers import DNS, RDAP
from winnow.core.settings import Settings
from winnow.storage.database.database import Database
from winnow.storage.database.query_cache import QueryCache
from winnow.storage.repositories import feature_flags
from winnow.words import mark, say, say_many

LABELS = {"DNS": DNS, "RDAP": RDAP}
_RHYTHMS = {
    "daily": mark("lists refreshed daily"),
    "weekly": mark("lists refreshed weekly"),
}


class Network:
    """What may leave this machine, and what did today. Synchronous, thread-safe."""

    def __init__(
        self, database: Database, settings: Settings, clock: Callable[[], datetime]
    ) -> None:
        self._database = database
        self._settings = settings
        self._clock = clock
        self._states = QueryCache[str, bool](database.changes)

    def is_allowed(self, switch: str) -> bool:
        """Say whether the setting lets the pages turn this switch on."""
        return switch.partition("_")[0] in self._settings.network  # refresh_daily is refresh's

    def is_on(self, switch: str) -> bool:
        """Say whether it is on: turned on, and still allowed."""
        return self.is_allowed(switch) and self._states.get(
            switch, lambda name: feature_flags.read_switch(self._database, name)
        )

    @property
    def is_asking(self) -> bool:
        """Whether a live check may have to wait for an answer from beyond this machine."""
        return any(self.is_on(name) for name in LABELS.values())

    def turn(self, switch: str, is_on: bool) -> None:
        """Turn a switch, durably and for every page, key and worker.

        Raises:
            BadField: The setting locks it off.
        """
        if is_on and not self.is_allowed(switch):
            raise BadField(
                "network", "is locked off", hint="WINNOW_NETWORK says what may be turned on."
            )
        feature_flags.turn_switch(self._database, switch, self._clock(), is_on=is_on)

    def status_text(self) -> str:
        """Say in one line what leaves this machine."""
        rhythm = next((word for word in _RHYTHMS if self.is_on(f"refresh_{word}")), None)
        lists = () if rhythm is None else (say(_RHYTHMS[rhythm]),)
        on = {label: name for label, name in LABELS.items() if self.is_on(name)}
        if not on:
            off = mark("Network: off, nothing leaves this machine")
            quiet = mark("Network: nothing of yours is sent")
            return ", ".join((say(quiet if lists else off), *lists))
        now = self._clock()
        asked = [
            say_many(
                feature_flags.read_use(self._database, name, now),
                "{network} on: {count} domain asked today",
                "{network} on: {count} domains asked today",
                network=label,
            )
            for label, name in on.items()
        ]
        return ", ".join((*asked, say("no addresses"), *lists))
