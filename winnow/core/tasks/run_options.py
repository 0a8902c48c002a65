"""How a run departs from the usual: what was chosen for one task beside its plan."""

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
    """What a submission chose; the default is what a list without choices has always had.

    One field a concern; each is a value of its own with ``to_json`` and ``from_json``, written
    where it is not the usual. ``made_from`` is the task whose list is run again with other choices;
    ``merge`` says what a merged list was made of.
    """

    repair: RepairChoice | None = None
    keep: KeepRule = KEEP_LAST
    made_from: str | None = None
    merge: Merge | None = None

    def plan_addresses(self, plan: "InputPlan") -> RepairChoice | None:
        """Return what is repaired, and where addresses go; None: all are left where they are.

        Where the address may stand in either of two columns, one of its own holds it.
        """
        if plan.second_email_column is None:
            return self.repair
        return replace(self.repair or RepairChoice(), place=RepairPlace.COLUMN)

    def with_keep(self, keep: KeepRule) -> "RunOptions":
        """Return the same with another row of duplicates that stays."""
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
