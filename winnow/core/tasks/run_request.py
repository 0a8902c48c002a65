"""What a page, the API, the command line or the library asks of a run."""

from dataclasses import dataclass

from winnow.core.errors import BadField
from winnow.core.lists.input_head import Choices
from winnow.core.meaning.columns import NO_DECISIONS, MailDecisions
from winnow.core.tasks.keep_rule import KEEP_USUAL, KeepChoice
from winnow.core.tasks.repair_choice import RepairChoice


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """How a list is read, what happens to duplicates, and what is repaired.

    Args:
        choices: How the list is read, where that was chosen.
        email_column: A position from 0, or text: a column's name, or its position from 1. None:
            the column that the list itself points to.
        second_email_column: The column for rows whose first address is blank; None: there is none.
        deduplicate: Keep only one row of each address.
        keep: Which row of a duplicate stays.
        repair: Which repairs are made; None: none.
        mail: What was decided of the columns that say who may be mailed.
    """

    choices: Choices = Choices()
    email_column: int | str | None = None
    second_email_column: str | None = None
    deduplicate: bool = True
    keep: KeepChoice = KEEP_USUAL
    repair: RepairChoice | None = None
    mail: MailDecisions = NO_DECISIONS

    @property
    def column_name(self) -> str | None:
        """The column as text, by which a list's sheet and header are found."""
        return self.email_column if isinstance(self.email_column, str) else None


def refuse_judge_both(is_asked: bool) -> None:
    """Raise BadField where both addresses of a row are asked to be judged."""
    if is_asked:
        raise BadField(
            "judge_both",
            "was removed; second_email_column fills blank cells of the email column",
            hint="Clean the list again without it.",
        )
