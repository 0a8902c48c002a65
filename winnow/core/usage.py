"""What an account uses: space and checks; what its clients have left. Times are UTC."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Ban:
    """A client address with attempts taken; banned when ``attempts_left`` is 0."""

    client: str
    attempts_left: int
    lapses_at: datetime


@dataclass(frozen=True, slots=True)
class StorageUse:
    """Bytes of one account. ``free_bytes`` is the largest list that fits now.

    This counts its result and row index too. A list of very short rows needs more for them.
    """

    used_bytes: int
    reserved_bytes: int
    quota_bytes: int
    free_bytes: int


@dataclass(frozen=True, slots=True)
class UsageDay:
    """Charged addresses of one day (UTC), by kind: ``single`` or ``batch``."""

    day: str  # YYYY-MM-DD
    single: int
    batch: int


@dataclass(frozen=True, slots=True)
class KeyMonth:
    """Charged addresses of one month (UTC) by one key; ``prefix`` and ``name`` None: by no key."""

    month: str  # YYYY-MM
    prefix: str | None
    name: str | None
    single: int
    batch: int
