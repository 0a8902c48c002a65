"""Run one list: from the uploaded file to the augmented result with its row index."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from winnow.core.lists.file_format import FileFormat
from winnow.core.tasks.task import InputPlan, Notice, Progress, Summary
from winnow.core.verdicts.judge import Judge
from winnow.lists.execution.ordered import take_short_turns


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """What a finished run counted and what it assumed or repaired."""

    summary: Summary
    notices: tuple[Notice, ...] = ()


def run_batch(
    input_path: Path,
    plan: InputPlan,
    judge: Judge,
    work_dir: Path,
    *,
    deduplicate: bool,
    report: Callable[[Progress], None],
) -> BatchOutcome:
    """Judge every row of a list and write the result and its row index.

    Args:
        input_path: The uploaded file; it is only read.
        plan: How the file is to be read.
        judge: Gives the verdicts; ``prepare`` is called once with the list's domains.
        work_dir: An existing folder for this attempt alone. Afterwards it holds ``result`` and
            ``rows.*``, all synced; after an error it holds rubbish to be deleted whole.
        deduplicate: Keep only the last row of each address.
        report: Called a few times a second at most; what it raises ends the run at once.

    Raises:
        InputError: The input cannot be processed; the line is named.
        OSError: The disk is full or fails.
    """
    if plan.file_format is FileFormat.XLSX:
        from winnow.lists.formats.xlsx.batch import run_xlsx_batch

        return run_xlsx_batch(
            input_path, plan, judge, work_dir, deduplicate=deduplicate, report=report
        )
    from winnow.lists.formats.delimited.batch import run_delimited_batch

    with take_short_turns():
        return run_delimited_batch(
            input_path, plan, judge, work_dir, deduplicate=deduplicate, report=report
        )
