"""Export of a finished project: which rows a file holds, and its form."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from winnow.core.lists.download_choice import NOTHING_CHOSEN, DownloadChoice
from winnow.core.lists.platforms import PlatformFile
from winnow.core.lists.rows import RowFilter, Ticked, Variant
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.verdict import Verdict


@dataclass(frozen=True, slots=True)
class FilePart:
    """Some of an export's rows: how many come before them, and how many they are."""

    first: int
    count: int


@dataclass(frozen=True, slots=True)
class FileLimits:
    """The most of one file, in rows, and for platforms in bytes as well; None: no such limit."""

    rows: int | None = None
    size_bytes: int | None = None

    def tighten(self, other: "FileLimits") -> "FileLimits":
        """Return the limits that satisfy both."""
        return FileLimits(
            _find_least(self.rows, other.rows), _find_least(self.size_bytes, other.size_bytes)
        )


def _find_least(one: int | None, other: int | None) -> int | None:
    return min((limit for limit in (one, other) if limit is not None), default=None)


NO_LIMITS = FileLimits()


@dataclass(frozen=True, slots=True)
class Export:
    """Which rows a file holds, and in what form; the default is the whole list in its own.

    Attributes:
        variant: Which of the files a project offers.
        choice: Rows to remove, columns next to the verdict, form of the file.
        rows: Which rows of the variant: those that a filter leaves, or those ticked.
        platform: The mail platform that it is for; its form outranks the choice's.
        split: A larger file is written as a zip of numbered ones; a platform's own limits hold as
            well.
        part: Only these of its rows.
    """

    variant: Variant = Variant.AUGMENTED
    choice: DownloadChoice = NOTHING_CHOSEN
    rows: RowFilter | Ticked = field(default_factory=RowFilter)
    platform: PlatformFile | None = None
    split: FileLimits = NO_LIMITS
    part: FilePart | None = None

    @property
    def is_whole(self) -> bool:
        """Whether it holds every row of the list unchanged."""
        is_cut = self.part is not None or self.platform is not None
        return self.variant is Variant.AUGMENTED and self.rows == RowFilter() and not is_cut

    @property
    def limits(self) -> FileLimits:
        """The limits of one file."""
        if self.platform is None:
            return self.split
        traits = self.platform.platform.traits
        return self.split.tighten(FileLimits(traits.most_rows, traits.most_bytes))

    @property
    def refused_local_parts(self) -> frozenset[str]:
        """Local parts, in lower case, whose rows are left out: the platform refuses them."""
        if self.platform is None or self.platform.is_suppression:
            return frozenset()
        return self.platform.platform.traits.refused

    def wants(self, verdict: Verdict) -> bool:
        """Return whether a row with this verdict belongs to it; no platform takes invalid ones."""
        if self.platform is not None and verdict.domain_type is DomainType.INVALID:
            return False
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
