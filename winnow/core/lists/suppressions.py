"""Do-not-mail file of a list: what it names, and how many rows it matches."""

from dataclasses import dataclass
from datetime import datetime

from winnow.core.lists.side_files import NamedCounts


@dataclass(frozen=True, slots=True)
class Suppression:
    """One file.

    ``rows`` is how many of the finished list's rows it names; None while the list is not finished.
    ``is_lost``: what it named can no longer be read, so that it removes no rows.
    """

    file_id: str
    file_name: str
    counts: NamedCounts
    added_at: datetime
    rows: int | None = None
    is_lost: bool = False
