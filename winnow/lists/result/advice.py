"""What can be said of rows beside their verdicts, by the knowledge of today."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Suggest = Callable[[str], str]
"""Returns a corrected address for an email cell, or nothing."""

Rate = Callable[[Sequence[str]], Sequence[str]]
"""Returns for each domain how likely it is disposable, ``""`` where not known."""


@dataclass(frozen=True, slots=True)
class Advice:
    """Who corrects addresses, and who rates domains."""

    suggest: Suggest
    rate: Rate
