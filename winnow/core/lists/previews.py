"""Preview of verdicts on a list, or on its beginning, before it is cleaned."""

from collections.abc import Mapping
from dataclasses import dataclass

from winnow.core.verdicts.verdict import Category


@dataclass(frozen=True, slots=True)
class Health:
    """Shares of the judged rows, 0 to 1: of each category, and of invalid addresses."""

    categories: Mapping[Category, float]
    invalid: float


@dataclass(frozen=True, slots=True)
class Preview:
    """Likely outcome of a list.

    ``rows`` are those of the file, blank lines not counted; the first ``read`` of them were read,
    ``judged`` of these were judged. ``duplicates`` are the rows with the same address further down
    among those read: in the file there are at least as many. ``as_it_is`` is the health of all
    rows, ``kept`` of those that stay when only the last of each address is kept; None where not all
    were read.
    """

    rows: int
    judged: int
    read: int
    duplicates: int
    as_it_is: Health
    kept: Health | None
    data_version: str

    @property
    def is_exact(self) -> bool:
        """Whether every row was judged."""
        return self.judged == self.rows
