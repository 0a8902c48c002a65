"""What a file is to hold of a finished project."""

from dataclasses import dataclass, field

from winnow.core.lists.download_choice import NOTHING_CHOSEN, DownloadChoice
from winnow.core.lists.rows import RowFilter, Variant
from winnow.core.verdicts.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Export:
    """Which rows a file holds, and in what form; the default is the whole list in its own.

    Attributes:
        variant: Which of the files a project offers.
        choice: What goes, columns beside the verdict, form of the file.
        rows: Which rows of the variant.
    """

    variant: Variant = Variant.AUGMENTED
    choice: DownloadChoice = NOTHING_CHOSEN
    rows: RowFilter = field(default_factory=RowFilter)

    @property
    def is_whole(self) -> bool:
        """Whether it holds every row of the list."""
        return self.variant is Variant.AUGMENTED and self.rows == RowFilter()

    def wants(self, verdict: Verdict) -> bool:
        """Tell whether a row with this verdict belongs to its variant."""
        return self.choice.wants(self.variant, verdict)


WHOLE_LIST = Export()
