"""``winnow clean`` for one file, without a server, an account or a charge."""

import os
import shutil
import sys
import warnings
from dataclasses import replace
from pathlib import Path

from winnow.cli.check import find_folder, open_allowed_dns, open_data
from winnow.cli.list_files import write_files
from winnow.cli.mail_choice import decide_columns, open_files, report_columns
from winnow.cli.reports import CleanedFile
from winnow.cli.targets import (
    Outputs,
    name_result,
    naming_target,
    require_free,
    require_given,
)
from winnow.core.disk_errors import mapping_disk_errors
from winnow.core.figures import count_things
from winnow.core.lists.cleaning import MAIL_GROUNDS, CleaningPolicy, weigh
from winnow.core.lists.input_head import doubt_column, name_column
from winnow.core.lists.notices import DNS_USE, Notice, merge_notices
from winnow.core.tasks.run_request import RunRequest
from winnow.core.tasks.task import Progress
from winnow.core.verdicts.domain_types import DomainType
from winnow.environment import read_environment
from winnow.library.clean_file import require_fitting_name, resolve_target, run_file
from winnow.library.open_network import NetworkWarning
from winnow.lists.inspect import read_asked_head
from winnow.lists.inspection.signature import split_file_name


def clean_file(
    file: Path,
    target: Path,
    request: RunRequest,
    outputs: Outputs,
    *,
    content: Path | None = None,
    may_replace: bool = True,
) -> CleanedFile:
    """Write the checked list, or the rows that a policy keeps.

    Args:
        file: The list; it is only read.
        target: The path of the result.
        request: How the list is read and which rows stay.
        outputs: Which files are written.
        content: Where the list is if not in ``file``, which names the format.
        may_replace: Whether a file at the path of a result is replaced.

    Raises:
        WinnowError: The list cannot be processed, or the target cannot be used; no file is left.
    """
    content, platform, choice = content or file, outputs.platform, outputs.choice
    require_given(content)
    if not may_replace:
        require_free(str(target))
    target = resolve_target(target, content)
    usual = name_result(file.name, platform, choice)
    require_fitting_name(target, split_file_name(usual)[1])
    with mapping_disk_errors():
        head = read_asked_head(content, file.name, request)
    request = replace(request, mail=decide_columns(outputs.mail, head, request.mail))
    folder = find_folder(read_environment(os.environ))
    knowledge = open_data(folder)
    files = open_files(outputs.mail, folder, knowledge.tag_domains.__contains__)
    network = open_allowed_dns(read_environment(os.environ)) if outputs.asks_dns else None
    with (
        warnings.catch_warnings(action="ignore", category=NetworkWarning),  # is among the notices
        naming_target(target),
        mapping_disk_errors(),
        run_file(
            *(content, head, request, knowledge, files.own_lists, network, show_progress),
            target.parent,
        ) as run,
    ):
        plan, outcome = run.cells.plan, run.outcome
        report_columns(run)
        view = run.mark_rows(choice, files.find_rows(run.cells))
        written = write_files(
            *(run.cells.folder, plan, target, platform, choice), view=view, may_replace=may_replace
        )
        if own := outcome.summary.by_domain_type.get(DomainType.BLACK, 0):
            sys.stderr.write(f"winnow: your lists remove {count_things(own, 'row')}\n")
        policy = CleaningPolicy(frozenset(MAIL_GROUNDS))
        left_out = weigh(policy, view.count_verdicts()).lost_by_ground
        later = 0 if choice is None else weigh(choice.policy, view.count_verdicts()).later
        for one in written:
            shutil.copymode(content, one.path)
    column = name_column(head.columns, plan.email_column)
    notices = [
        *merge_notices((*head.notices, *doubt_column(head, plan.email_column)), outcome.notices)
    ]
    if network is not None:
        notices += [Notice(DNS_USE, note) for note in network.notes]
    return CleanedFile(
        outcome, run.asked, notices, column, written, choice is not None, left_out, later
    )


def show_progress(progress: Progress) -> None:
    """Show the progress of a run on a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(
            f"\r{progress.phase.value}: {count_things(progress.rows_done, 'row')}\033[K"
        )
