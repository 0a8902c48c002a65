"""Options of a run: choices for one task besides its plan."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from winnow.core.lists.merging import Merge
from winnow.core.tasks.keep_rule import KEEP_LAST, KeepRule
from winnow.core.tasks.repair_choice import RepairChoice, RepairPlace

if TYPE_CHECKING:
    from winnow.core.tasks.task import InputPlan


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Choices of a submission; the default is a list without choices.

    Each field is a value with ``to_json`` and ``from_json``, written where it is not the default.
    ``made_from`` is the task whose list is run again with other choices; ``merge`` says what a
    merged list was made of.
    """

    repair: RepairChoice | None = None
    keep: KeepRule = KEEP_LAST
    made_from: str | None = None
    merge: Merge | None = None

    def plan_addresses(self, plan: "InputPlan") -> RepairChoice | None:
        """Return the repairs and the column of the addresses; None: no address changes or moves.

        Where the address may be in either of two columns, it gets its own column.
        """
        if plan.second_email_column is None:
            return self.repair
        return replace(self.repair or RepairChoice(), place=RepairPlace.COLUMN)

    def with_keep(self, keep: KeepRule) -> "RunOptions":
        """Return the same with another keep rule."""
        return replace(self, keep=keep)

    def to_json(self) -> dict[str, Any] | None:
        """Return the choices that were made as plain values; None where none was."""
        values: dict[str, Any] = {}
        if self.repair is not None:
            values["repair"] = self.repair.to_json()
        if self.keep != KEEP_LAST:
            values["keep"] = self.keep.to_json()
        if self.made_from is not None:
            values["made_from"] = self.made_from
        if self.merge is not None:
            values["merge"] = self.merge.to_json()
        return values or None

    @classmethod
    def from_json(cls, values: Mapping[str, Any] | None) -> "RunOptions":
        """Read what ``to_json`` wrote; None is the default, as in tasks of older folders."""
        values = values or {}
        repair = values.get("repair")
        keep = values.get("keep")
        merge = values.get("merge")
        return cls(
            repair=None if repair is None else RepairChoice.from_json(repair),
            keep=KEEP_LAST if keep is None else KeepRule.from_json(keep),
            made_from=values.get("made_from"),
            merge=None if merge is None else Merge.from_json(merge),
        )


USUAL = RunOptions()
