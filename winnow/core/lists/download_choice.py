"""Choices for a download: rows to remove, columns next to the verdict, form of the file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import Variant
from winnow.core.verdicts.verdict import Category, Verdict

_EVERY_ROW = frozenset({Variant.AUGMENTED, Variant.SELECTION, Variant.ORIGINAL, Variant.PACK})


@dataclass(frozen=True, slots=True)
class DownloadChoice:
    """Content of a download besides its variant; the default changes nothing.

    ``adds_reason`` adds a column ``reason``: the verdict's stable codes, the deciding one first,
    joined by ``"; "``. ``adds_suggestion`` adds ``suggestion``: a corrected address to consider,
    or nothing. ``adds_probability`` adds ``disposable_probability``: of the domain, from 0 to 1, or
    nothing (``core.probability``). ``safe_for_excel`` puts an apostrophe before cells of CSV and
    TSV that a spreadsheet would take for formulas. ``file_format`` None is the list's own with its
    dialect. A chosen CSV or TSV is in UTF-8, with commas or tabs and CRLF line ends, whatever the
    list's own is.
    """

    policy: CleaningPolicy = field(default_factory=CleaningPolicy)
    adds_reason: bool = False
    adds_suggestion: bool = False
    safe_for_excel: bool = False
    file_format: FileFormat | None = None
    adds_probability: bool = False

    def wants(self, variant: Variant, verdict: Verdict) -> bool:
        """Return whether a row with this verdict belongs to a variant."""
        if variant in _EVERY_ROW:
            return True
        match variant:
            case Variant.CLEANED:
                return not self.policy.removes(verdict)
            case Variant.REMOVED:
                return self.policy.removes(verdict)
            case Variant.REVIEW:
                return verdict.category is Category.GREY and not self.policy.removes(verdict)
            case _:
                return verdict.category is _CATEGORIES[variant]

    @property
    def extra_columns(self) -> tuple[str, ...]:
        """The columns added after category and domain type."""
        chosen = (
            ("reason", self.adds_reason),
            ("suggestion", self.adds_suggestion),
            ("disposable_probability", self.adds_probability),
        )
        return tuple(name for name, is_added in chosen if is_added)

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
            "suggestion": self.adds_suggestion,
            "probability": self.adds_probability,
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
            adds_suggestion=bool(values.get("suggestion")),
            adds_probability=bool(values.get("probability")),
            safe_for_excel=bool(values.get("safe_for_excel")),
            file_format=None if file_format is None else FileFormat(file_format),
        )


_CATEGORIES = {Variant.BLACK: Category.BLACK, Variant.GREY: Category.GREY}

NOTHING_CHOSEN = DownloadChoice()
