"""Silent people: those whose newest date in a column of the list is long ago."""

from collections.abc import Sequence
from dataclasses import dataclass

from winnow.core.meaning.vocabulary import HEADINGS, fold_words, open_vocabulary
from winnow.core.record_enum import RecordEnum
from winnow.words import say, translatable

SILENT_MONTHS = (3, 6, 12, 18, 24, 36)
"""How long a policy may ask for."""
SILENT_USUAL = 12

_ORDER = ("click", "order", "signup", "open")
"""Kinds of dates in ``headings.tsv``; opens are last, since programs open mail, too."""


class DayOrder(RecordEnum):
    """What is first in a date such as 03/04/2025; callers translate ``words``."""

    words: str

    DAY = "day", translatable("the day")
    MONTH = "month", translatable("the month")


@dataclass(frozen=True, slots=True)
class SilenceChoice:
    """Decisions of the analyst: which column of a list says when people were active.

    ``column`` is a position from 0, or, while the list's columns are not known, as in a recipe;
    None: the first by its heading. ``order`` None: as the column's dates show; where they do not,
    no one counts as silent.
    """

    column: int | str | None = None
    order: DayOrder | None = None

    @property
    def place(self) -> int | None:
        """The column, from 0, once it is known."""
        return self.column if isinstance(self.column, int) else None


USUAL_SILENCE = SilenceChoice()


@dataclass(frozen=True, slots=True)
class SilenceColumn:
    """The column that says when people were active, and others that could.

    ``dated`` is how many rows have a date. ``is_open``: its dates can be read day first and month
    first, and it is not decided which.
    """

    place: int
    others: tuple[int, ...]
    dated: int
    is_open: bool


def find_activity(columns: Sequence[str]) -> tuple[int, ...]:
    """Return the columns that say when people were active, by their headings, the best first."""
    vocabulary = open_vocabulary(HEADINGS, "active")
    entries = ((place, vocabulary.find(fold_words(name))) for place, name in enumerate(columns))
    ranked = ((_ORDER.index(entry.means), place) for place, entry in entries if entry is not None)
    return tuple(place for _, place in sorted(ranked))


def word_silence(months: int | None) -> tuple[str, ...]:
    """Return the choice of who has been silent for so many months in words, none for 0 and None."""
    return (say("silent for {months} months", months=months),) if months else ()
