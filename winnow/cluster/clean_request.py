"""What is asked for of one list, and what came of it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from winnow.cluster.locations import Location
from winnow.core.errors import BadField
from winnow.core.lists.input_head import Choices, Head
from winnow.core.tasks.keep_rule import KEEP_USUAL, KeepChoice
from winnow.core.tasks.repair_choice import RepairChoice
from winnow.core.tasks.run_options import RunOptions
from winnow.core.tasks.task import InputPlan, Notice, Progress
from winnow.core.verdicts.judge import Judge
from winnow.library.list_places import require_fitting_name, resolve_target
from winnow.lists.inspection.inspect import find_column, plan_input, settle_keep
from winnow.lists.inspection.signature import split_file_name
from winnow.lists.list_format import BatchOutcome


@dataclass(frozen=True, slots=True)
class ListChoices:
    """How a list is read and what stays of it, as ``winnow clean`` is told."""

    deduplicate: bool = True
    email_column: str | None = None
    choices: Choices = Choices()
    keep: KeepChoice = KEEP_USUAL
    repair: RepairChoice | None = None
    second_email_column: str | None = None
    judges_both: bool = False

    def plan(self, head: Head) -> tuple[InputPlan, RunOptions]:
        """Return the plan of a list, and the options of its run.

        Raises:
            WinnowError: A column is not there, or it is not clear which one is meant.
        """
        plan = plan_input(
            head,
            email_column=find_column(head) if self.email_column is None else self.email_column,
            second_email_column=self.second_email_column,
            judges_both=self.judges_both,
        )
        return plan, RunOptions(repair=self.repair, keep=settle_keep(head, self.keep))


@dataclass(frozen=True, slots=True)
class CleanRequest:
    """A list to be cleaned on a cluster.

    Attributes:
        source: The list.
        target: The result; what is there is replaced, whole.
        judge: Gives the verdicts, here: workers need none.
        chosen: How it is read and what stays.
        report: Called now and then; what it raises ends the run.
    """

    source: Location
    target: Location
    judge: Judge
    chosen: ListChoices
    report: Callable[[Progress], None]

    def require_places(self) -> None:
        """Refuse a place that takes no result, as one machine does.

        Raises:
            BadField: Its name says another kind of file, it is the list itself or no file, or there
                is no such folder.
        """
        source, target = self.source, self.target
        _, code = split_file_name(source.file_name)
        require_fitting_name(Path(target.file_name), code.result)
        if source == target:
            raise BadField("out", "is the list itself", hint="Name another file.")
        if target.bucket is None:
            read = Path(source.name) if source.bucket is None else None
            resolve_target(Path(target.name), read)


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A list that was cleaned: its columns, its counts, and all that there is to say.

    ``notices`` are those of the list before it was run.
    """

    outcome: BatchOutcome
    notices: tuple[Notice, ...]
    columns: tuple[str, ...]
    email_column: int
