"""What is asked of a list format, each as one value."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from winnow.core.lists.exports import WHOLE_LIST, Export
from winnow.core.tasks.run_options import USUAL, RunOptions
from winnow.core.tasks.task import InputPlan, Progress
from winnow.core.verdicts.judge import Judge

if TYPE_CHECKING:
    from winnow.lists.engine.both_addresses import FindForbidden
    from winnow.lists.engine.parsed_value import HashText
    from winnow.lists.preview.row_sample import Limits
    from winnow.lists.result.result_rows import ResultRows

ROWS_BLOCK_BYTES = 2 << 20  # looking processes have little memory


@dataclass(frozen=True, slots=True)
class BatchRequest:
    """A list to be judged row by row.

    Attributes:
        path: The uploaded file; it is only read.
        plan: How it is to be read.
        judge: Gives the verdicts; ``prepare`` is called once with the list's domains.
        work_dir: An existing folder for this attempt alone. Afterwards it holds ``result`` and
            ``rows.*``, all synced; after an error it holds rubbish to be deleted whole.
        deduplicate: Keep only the last row of each address.
        report: Called a few times a second at most; what it raises ends the run at once.
        options: What else was chosen for the run.
        forbidden: Whom none of two addresses may be of; None: nobody is told.
    """

    path: Path
    plan: InputPlan
    judge: Judge
    work_dir: Path
    deduplicate: bool
    report: Callable[[Progress], None]
    options: RunOptions = USUAL
    forbidden: "ForbiddenAddresses | None" = None

    @property
    def hash_text(self) -> "HashText | None":
        """How the keys of rows are made, where addresses are chosen by them; None: as usual."""
        if self.forbidden is None or not self.plan.judges_both:
            return None
        return self.forbidden.hash_text

    @property
    def find_forbidden(self) -> "FindForbidden | None":
        """Which addresses are not to be chosen."""
        return None if self.forbidden is None else self.forbidden.find


@dataclass(frozen=True, slots=True)
class ForbiddenAddresses:
    """Addresses that must not be mailed, told by keys that ``hash_text`` made."""

    hash_text: "HashText"
    find: "FindForbidden"


@dataclass(frozen=True, slots=True)
class SampleRequest:
    """A list whose email column, or parts of it, is to be read for the preview.

    Attributes:
        path: The file; it is only read.
        plan: How it is to be read.
        role_names: As the judge has them.
        scratch: An existing folder for passing files.
        row_count: How many rows it has, where that is known.
        limits: How much is read.
    """

    path: Path
    plan: InputPlan
    role_names: frozenset[str]
    scratch: Path
    row_count: int | None
    limits: "Limits"


@dataclass(frozen=True, slots=True)
class RowsRequest:
    """A list whose rows are to be read as text records.

    Attributes:
        path: The file; it is only read.
        plan: How it is to be read.
        scratch: An existing folder for passing files.
        block_bytes: How much is read at once.
    """

    path: Path
    plan: InputPlan
    scratch: Path
    block_bytes: int = ROWS_BLOCK_BYTES


@dataclass(frozen=True, slots=True)
class RewriteRequest:
    """A stored result that is wanted again, with other rows or cells.

    Attributes:
        result_path: What ``run`` wrote.
        rows: Its rows, as the own lists show them now.
        out_path: Written whole and synced; rubbish after an error.
        plan: The plan that the result was made by.
        export: Which of them, and what the file is to hold beside.
    """

    result_path: Path
    rows: "ResultRows"
    out_path: Path
    plan: InputPlan
    export: Export = WHOLE_LIST
