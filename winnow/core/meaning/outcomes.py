"""Outcomes that a list, or a file beside it, reports of a person's address."""

from collections.abc import Iterable
from enum import StrEnum


class Outcome(StrEnum):
    """What a cell says of mail to an address, the worst first; the values are stored."""

    COMPLAINED = "complained"
    NO_MAIL = "no mail"  # unsubscribed, opted out, suppressed, deleted, archived
    HARD_BOUNCE = "hard bounce"
    INVALID = "invalid"  # by another verification service
    PENDING = "pending"  # waits for a confirmation
    SOFT_BOUNCE = "soft bounce"
    RISKY = "risky"  # catch-all, unknown, role: by another verification service
    NEVER = "never subscribed"
    MAIL = "mail"
    DELIVERED = "delivered"
    NOTHING = "nothing"

    @property
    def forbids(self) -> bool:
        """Whether the address is left out of files of people to mail."""
        return self in _FORBIDDING

    @property
    def is_objection(self) -> bool:
        """Whether it is a person's own no, which a keep list does not outrank."""
        return self in (Outcome.COMPLAINED, Outcome.NO_MAIL, Outcome.PENDING)


_ORDER = tuple(Outcome)
_FORBIDDING = frozenset(_ORDER[: _ORDER.index(Outcome.PENDING) + 1])


def choose_worst(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the worst of some outcomes; NOTHING of none."""
    return min(outcomes, key=_ORDER.index, default=Outcome.NOTHING)
