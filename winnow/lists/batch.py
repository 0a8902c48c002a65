"""Run one list: from the uploaded file to the augmented result with its row index."""

from collections.abc import Callable
from pathlib import Path

from winnow.core.tasks.task import InputPlan, Progress
from winnow.core.verdicts.judge import Judge
from winnow.lists.format_registry import find_format
from winnow.lists.list_format import BatchOutcome


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
    return find_format(plan.file_format).run(
        input_path, plan, judge, work_dir, deduplicate=deduplicate, report=report
    )
