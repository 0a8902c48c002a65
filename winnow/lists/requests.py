"""Requests to a list format, one value each."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from winnow.core.judging.judge import Judge
from winnow.core.lists.exports import WHOLE_LIST, Export
from winnow.core.tasks.input_plan import InputPlan
from winnow.core.tasks.run_request import USUAL, RunRequest
from winnow.core.tasks.task import Progress

if TYPE_CHECKING:
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
        report: Called a few times a second at most; what it raises ends the run at once.
        asked: What was chosen for the run.
    """

    path: Path
    plan: InputPlan
    judge: Judge
    work_dir: Path
    report: Callable[[Progress], None]
    asked: RunRequest = USUAL


def ignore_progress(rows: int, total: int | None, done_bytes: int) -> None:
    """Ignore the progress."""


@dataclass(frozen=True, slots=True)
class RowsRequest:
    """A list that is to be read.

    Attributes:
        path: The file; it is only read.
        plan: How it is to be read.
        scratch: An existing folder for temporary files.
        block_bytes: How much is read at once.
        most_bytes: Callers end reading before so many bytes, so that no more need be decoded;
            None: they read to the end.
        report: Gets the progress of what is done before the list can be read.
    """

    path: Path
    plan: InputPlan
    scratch: Path
    block_bytes: int = ROWS_BLOCK_BYTES
    most_bytes: int | None = None
    report: Callable[[int, int | None, int], None] = ignore_progress


@dataclass(frozen=True, slots=True)
class RewriteRequest:
    """A stored result that is wanted again, with other rows or cells.

    Attributes:
        result_path: What ``run`` wrote.
        rows: Its rows, as the own lists show them now.
        out_path: Written whole and synced; rubbish after an error.
        plan: The plan that the result was made by.
        export: Which of them, and what else the file is to hold.
    """

    result_path: Path
    rows: "ResultRows"
    out_path: Path
    plan: InputPlan
    export: Export = WHOLE_LIST
