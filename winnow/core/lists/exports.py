"""Export of a finished project: which rows a file holds, its columns and its form."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from winnow.core.lists.cleaning import USUAL_GROUNDS, CleaningPolicy, WhoDecides
from winnow.core.lists.comparison import Since, Wanted
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.platforms import PlatformFile
from winnow.core.lists.rows import RowFilter, Ticked, Variant
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.verdict import Action, Verdict


@dataclass(frozen=True, slots=True)
class DownloadChoice:
    """Content of a download besides its variant; the default changes nothing.

    ``adds_reason`` adds a column ``reason``: the verdict's stable codes, the deciding one first,
    joined by ``"; "``. ``safe_for_excel`` puts an apostrophe before cells of CSV and TSV that a
    spreadsheet would take for formulas. ``file_format`` None is the list's own with its
    dialect. A chosen CSV or TSV is in UTF-8, with commas or tabs and CRLF line ends, whatever the
    list's own is.
    """

    policy: CleaningPolicy = field(default_factory=CleaningPolicy)
    adds_reason: bool = False
    safe_for_excel: bool = False
    file_format: FileFormat | None = None

    def let_decide(self, one: WhoDecides | None) -> "DownloadChoice":
        """Return the same with another choice of who decides; None: as the policy says."""
        return self if one is None else replace(self, policy=self.policy.let_decide(one))

    def wants(self, variant: Variant, verdict: Verdict) -> bool:
        """Return whether a row with this verdict belongs to a variant."""
        match variant:
            case Variant.CLEANED | Variant.SELECTION:
                return self.policy.find_action(verdict) in (Action.KEEP, Action.REVIEW)
            case Variant.REMOVED:
                return self.policy.removes(verdict)
            case Variant.REVIEW:
                return self.policy.find_action(verdict) is Action.REVIEW
            case Variant.LATER:
                return self.policy.find_action(verdict) is Action.LATER
            case _:
                return True

    @property
    def extra_columns(self) -> tuple[str, ...]:
        """The columns added after category and domain type."""
        return ("reason",) if self.adds_reason else ()

    def keeps_format(self, own: FileFormat) -> bool:
        """Return whether a list of this format is downloaded in its own format and dialect."""
        own = own.result
        return self.file_format is None or (self.file_format is own and not own.traits.is_text)

    def keeps_bytes(self, own: FileFormat) -> bool:
        """Return whether a file of all rows equals the stored result, byte for byte."""
        is_guarded = self.safe_for_excel and own.result.traits.is_text
        return self.keeps_format(own) and not is_guarded and not self.extra_columns

    def to_json(self) -> dict[str, Any] | None:
        """Return the choice as plain values; None where it is the default."""
        if self == NOTHING_CHOSEN:
            return None
        return {
            "goes": self.policy.to_json(),
            "reason": self.adds_reason,
            "safe_for_excel": self.safe_for_excel,
            "format": None if self.file_format is None else self.file_format.value,
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any] | None) -> "DownloadChoice":
        """Read what ``to_json`` wrote; None is the default, as on links of older folders."""
        if values is None:
            return cls()
        file_format = values.get("format")
        return cls(
            policy=CleaningPolicy.from_json(values.get("goes", ("black",))),
            adds_reason=bool(values.get("reason")),
            safe_for_excel=bool(values.get("safe_for_excel")),
            file_format=None if file_format is None else FileFormat(file_format),
        )


NOTHING_CHOSEN = DownloadChoice()


@dataclass(frozen=True, slots=True)
class FilePart:
    """Some of an export's rows: how many come before them, and how many they are."""

    first: int
    count: int


@dataclass(frozen=True, slots=True)
class Export:
    """Which rows a file holds, and in what form; the default is the whole list in its own.

    Attributes:
        variant: Which of the files a project offers.
        choice: Rows to remove, columns next to the verdict, form of the file.
        rows: Which rows of the variant: those that a filter leaves, those ticked, or those that
            a platform is to get since an earlier list.
        platform: The mail platform that it is for; its form outranks the choice's.
        part: Only these of its rows, of a file that exceeds the limits of its platform.
    """

    variant: Variant = Variant.AUGMENTED
    choice: DownloadChoice = NOTHING_CHOSEN
    rows: RowFilter | Ticked | Since = field(default_factory=RowFilter)
    platform: PlatformFile | None = None
    part: FilePart | None = None

    @property
    def is_whole(self) -> bool:
        """Whether it holds every row of the list unchanged."""
        is_cut = self.part is not None or self.platform is not None
        return self.variant is Variant.AUGMENTED and self.rows == RowFilter() and not is_cut

    @property
    def form(self) -> DownloadChoice:
        """The columns and the form of the file."""
        if self.platform is None:
            return self.choice
        return DownloadChoice(self.choice.policy, file_format=FileFormat.CSV)

    def name_format(self, own: FileFormat) -> FileFormat:
        """Return the format of the file, of a list of this format."""
        return self.form.file_format or own.result

    def wants(self, verdict: Verdict) -> bool:
        """Return whether a row with this verdict belongs to it; no platform takes invalid ones."""
        if self.platform is not None and verdict.domain_type is DomainType.INVALID:
            return False
        if self.platform is not None and self.platform.is_suppression:
            return (
                self.choice.policy.find_ground(verdict) in USUAL_GROUNDS
            )  # none that may be added
        if self.variant is Variant.AUGMENTED and not self.is_whole:  # as links before 0.4 have it
            return not self.choice.policy.forbids(verdict)
        return self.choice.wants(self.variant, verdict)


def rows_to_json(rows: RowFilter | Ticked | Since) -> dict[str, Any]:
    """Return which rows as plain values."""
    if isinstance(rows, Since):
        return {"since": rows.earlier_id, "wanted": rows.wanted.value}
    if isinstance(rows, RowFilter):
        return {"filter": rows.to_json()}
    return {"ticked": sorted(rows)}


def rows_from_json(values: Mapping[str, Any]) -> RowFilter | Ticked | Since:
    """Read what ``rows_to_json`` wrote.

    Raises:
        KeyError, ValueError: It is a newer version's.
    """
    if "since" in values:
        return Since(values["since"], Wanted(values["wanted"]))
    if "ticked" in values:
        return frozenset(map(int, values["ticked"]))
    return RowFilter.from_json(values["filter"])


WHOLE_LIST = Export()


@dataclass(frozen=True, slots=True)
class DownloadLink:
    """A temporary link. ``path`` is absolute on this server and holds the secret token."""

    path: str
    file_name: str
    expires_at: datetime
