"""What a page, the API, the command line or the library asks of a run; a task stores it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import datetime
from typing import Any

from winnow.core.errors import BadField
from winnow.core.lists.cleaning import WhoDecides
from winnow.core.lists.input_head import Choices
from winnow.core.lists.merging import Merge
from winnow.core.lists.own_columns import LeftOut
from winnow.core.lists.silence import USUAL_SILENCE, SilenceChoice
from winnow.core.meaning.columns import NO_DECISIONS, MailDecisions
from winnow.core.tasks.input_plan import InputPlan
from winnow.core.tasks.keep_rule import KEEP_LAST, KeepRule
from winnow.core.tasks.repair_choice import RepairChoice, RepairPlace


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """How a list is read, what happens to duplicates, what is repaired, and who may be mailed.

    What the list turned out to be is its plan: then only the plan says how it is read.

    Args:
        choices: How the list is read, where that was chosen.
        email_column: A position from 0, or text: a column's name, or its position from 1. None:
            the column that the list itself points to.
        second_email_column: As that; for rows whose first address is blank. None: there is none.
        deduplicate: Keep only one row of each address.
        keep: Which row of a duplicate stays.
        repair: Which repairs are made; None: none.
        mail: What was decided of the columns that say who may be mailed; may change after the run,
            as the next two.
        silence: Which column says when people were active.
        left_out: Groups that get no mail this time.
        who_decides: Who decides about people who say both; None: as the policy says.
        made_from: The task whose list is run again with other choices.
        merge: What a merged list was made of.
    """

    choices: Choices = Choices()
    email_column: int | str | None = None
    second_email_column: int | str | None = None
    deduplicate: bool = True
    keep: KeepRule = KEEP_LAST
    repair: RepairChoice | None = None
    mail: MailDecisions = NO_DECISIONS
    silence: SilenceChoice = USUAL_SILENCE
    left_out: tuple[LeftOut, ...] = ()
    who_decides: WhoDecides | None = None
    made_from: str | None = None
    merge: Merge | None = None

    @property
    def column_name(self) -> str | None:
        """The column as text, by which a list's sheet and header are found."""
        return self.email_column if isinstance(self.email_column, str) else None

    def plan_addresses(self, plan: InputPlan) -> RepairChoice | None:
        """Return the repairs and the column of the addresses; None: no address changes or moves.

        Where the address may be in either of two columns, it gets its own column.
        """
        if plan.second_email_column is None:
            return self.repair
        return replace(self.repair or RepairChoice(), place=RepairPlace.COLUMN)

    def settle(self, date_column: int | None, silence_column: int | None) -> "RunRequest":
        """Return what is asked besides a list's plan, with its columns of dates."""
        return replace(
            self,
            choices=Choices(),
            email_column=None,
            second_email_column=None,
            keep=replace(self.keep, keep_by=date_column),
            silence=replace(self.silence, column=silence_column),
        )

    def find_columns(self, find: Callable[[int | str], int | str | None]) -> "RunRequest":
        """Return the same with columns as ``find`` has them; what lacks its column is as usual."""

        def look(column: int | str | None) -> int | str | None:
            return None if column is None else find(column)

        rule, silence = self.keep, replace(self.silence, column=look(self.silence.column))
        is_elsewhere = (silence.column is None) != (self.silence.column is None)
        return replace(
            self,
            email_column=look(self.email_column),
            second_email_column=look(self.second_email_column),
            keep=KeepRule.of(rule.keep, look(rule.keep_by), rule.joins_aliases)
            or KeepRule(joins_aliases=rule.joins_aliases),
            silence=USUAL_SILENCE if is_elsewhere else silence,
        )


USUAL = RunRequest()


def list_chosen(value: Any) -> Any:
    """Return a value; of a dataclass the fields with another value than the default, by name.

    So digests stay valid when a field is added, and no one need name the fields.
    """
    if not is_dataclass(value):
        return value
    own = {one.name: (getattr(value, one.name), one.default) for one in fields(value)}
    return {name: list_chosen(one) for name, (one, usual) in own.items() if one != usual}


@dataclass(frozen=True, slots=True)
class LastList:
    """The last finished list with some headings: its day, counts and settings; no address.

    ``recipe`` has the settings as ``Recipe`` has them; ``noes`` are rows that said no or bounced.
    """

    cleaned_at: datetime
    rows: int
    noes: int
    recipe: Mapping[str, Any]


def refuse_judge_both(is_asked: bool) -> None:
    """Raise BadField where both addresses of a row are asked to be judged."""
    if is_asked:
        raise BadField(
            "judge_both",
            "was removed; second_email_column fills blank cells of the email column",
            hint="Clean the list again without it.",
        )
