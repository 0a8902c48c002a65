"""Options of a run: choices for one task besides its plan."""

from dataclasses import dataclass, replace

from winnow.core.lists.merging import Merge
from winnow.core.lists.own_columns import LeftOut
from winnow.core.lists.silence import USUAL_SILENCE, SilenceChoice
from winnow.core.meaning.columns import NO_DECISIONS, MailDecisions
from winnow.core.tasks.input_plan import InputPlan
from winnow.core.tasks.keep_rule import KEEP_LAST, KeepRule
from winnow.core.tasks.repair_choice import RepairChoice, RepairPlace


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Choices of a submission; the default is a list without choices.

    ``made_from`` is the task whose list is run again with other choices; ``merge`` says what a
    merged list was made of. ``mail`` is what the analyst decided of the columns that say who may be
    mailed, ``silence`` of the column that says when people were active, ``left_out`` of groups that
    get no mail this time; these may change after the run.
    """

    repair: RepairChoice | None = None
    keep: KeepRule = KEEP_LAST
    made_from: str | None = None
    merge: Merge | None = None
    mail: MailDecisions = NO_DECISIONS
    silence: SilenceChoice = USUAL_SILENCE
    left_out: tuple[LeftOut, ...] = ()

    def plan_addresses(self, plan: InputPlan) -> RepairChoice | None:
        """Return the repairs and the column of the addresses; None: no address changes or moves.

        Where the address may be in either of two columns, it gets its own column.
        """
        if plan.second_email_column is None:
            return self.repair
        return replace(self.repair or RepairChoice(), place=RepairPlace.COLUMN)

    def with_keep(self, keep: KeepRule) -> "RunOptions":
        """Return the same with another keep rule."""
        return replace(self, keep=keep)


USUAL = RunOptions()
