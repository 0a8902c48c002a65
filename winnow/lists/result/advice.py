"""Advice on rows in addition to their verdicts, by today's data."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Suggest = Callable[[str], str]
"""Returns a corrected address for an email cell, or nothing."""

Rate = Callable[[Sequence[str]], Sequence[str]]
"""Returns for each domain how likely it is disposable, ``""`` where not known."""


@dataclass(frozen=True, slots=True)
class Advice:
    """The functions that correct addresses and rate domains."""

    suggest: Suggest
    rate: Rate
