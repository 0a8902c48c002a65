"""What came of checking a page: it holds, it does not, or that cannot be told."""

from dataclasses import dataclass
from enum import IntEnum


class PageOutcome(IntEnum):
    """The exit codes of ``winnow verify``."""

    HOLDS = 0
    DOES_NOT_HOLD = 1
    CANNOT_BE_TOLD = 2


@dataclass(frozen=True, slots=True)
class Verification:
    """An outcome and one plain sentence or two."""

    outcome: PageOutcome
    said: str
