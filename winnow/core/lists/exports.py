"""What a file is to hold of a finished project."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from winnow.core.lists.download_choice import NOTHING_CHOSEN, DownloadChoice
from winnow.core.lists.rows import RowFilter, Ticked, Variant
from winnow.core.verdicts.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Export:
    """Which rows a file holds, and in what form; the default is the whole list in its own.

    Attributes:
        variant: Which of the files a project offers.
        choice: What goes, columns beside the verdict, form of the file.
        rows: Which rows of the variant: those that a filter leaves, or those ticked.
    """

    variant: Variant = Variant.AUGMENTED
    choice: DownloadChoice = NOTHING_CHOSEN
    rows: RowFilter | Ticked = field(default_factory=RowFilter)

    @property
    def is_whole(self) -> bool:
        """Whether it holds every row of the list."""
        return self.variant is Variant.AUGMENTED and self.rows == RowFilter()

    def wants(self, verdict: Verdict) -> bool:
        """Tell whether a row with this verdict belongs to its variant."""
        return self.choice.wants(self.variant, verdict)


def rows_to_json(rows: RowFilter | Ticked) -> dict[str, Any]:
    """Return which rows as plain values."""
    return {"ticked" if isinstance(rows, Ticked) else "filter": rows.to_json()}


def rows_from_json(values: Mapping[str, Any]) -> RowFilter | Ticked:
    """Read what ``rows_to_json`` wrote.

    Raises:
        KeyError: It is a newer version's.
    """
    if "ticked" in values:
        return Ticked.from_json(values["ticked"])
    return RowFilter.from_json(values["filter"])


WHOLE_LIST = Export()
