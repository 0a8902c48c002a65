"""What was seen of the machine's clock: whether what has expired may be deleted by it."""

from dataclasses import dataclass
from datetime import datetime, timedelta

LEAP = timedelta(days=7)  # a longer step, in either direction, may be a wrong clock
PROOF = timedelta(days=1)  # how far apart two readings without a leap between are believed


@dataclass(frozen=True, slots=True)
class SeenClock:
    """The first reading since the clock's last leap, and the last reading; in UTC."""

    first_at: datetime
    last_at: datetime

    def read(self, now: datetime) -> "SeenClock":
        """Return the same after another reading."""
        return SeenClock(now if abs(now - self.last_at) > LEAP else self.first_at, now)

    @property
    def waits_until(self) -> datetime | None:
        """When the clock is believed if it does not leap again; None: it is believed."""
        proven_at = self.first_at + PROOF
        return proven_at if self.last_at < proven_at else None


def begin_at(known: datetime) -> SeenClock:
    """Return a clock that was right at a time that is known from data."""
    return SeenClock(known - PROOF, known)
