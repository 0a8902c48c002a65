"""``winnow clean`` for one file, without a server, an account or a charge."""

import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from winnow import wiring
from winnow.cli.check import open_allowed_dns
from winnow.cli.list_files import Written, read_choice, write_files
from winnow.cli.reports import CleanedFile, name_column
from winnow.core.disk_errors import mapping_disk_errors
from winnow.core.errors import BadField
from winnow.core.figures import count_things
from winnow.core.lists.exports import DownloadChoice
from winnow.core.lists.platforms import Platform
from winnow.core.tasks.run_request import RunRequest
from winnow.core.tasks.task import DNS_USE, LookUpProgress, Notice, Progress
from winnow.core.verdicts.judge import Judge
from winnow.core.verdicts.reasons import Reason
from winnow.environment import read_environment
from winnow.library.clean_file import (
    pack_result,
    require_fitting_name,
    require_list,
    resolve_target,
)
from winnow.library.open_network import NetworkWarning, OpenNetwork, ask_many
from winnow.lists.batch import run_batch
from winnow.lists.inspection.inspect import plan_run, read_head
from winnow.lists.inspection.signature import split_file_name
from winnow.lists.requests import BatchRequest
from winnow.lists.result.cell_questions import CellReader
from winnow.lists.result.row_index import RowIndex
from winnow.lists.result.row_view import RowView, find_unsubscribed
from winnow.services.results.results import RESULT_NAME
from winnow.services.tasks.runs import merge_notices


@dataclass(frozen=True, slots=True)
class Outputs:
    """Options of the files to write instead of the checked list.

    Attributes:
        platform: This platform's two files: rows that stay as its contacts, removed rows as its
        suppression file.
        policy: The name of the policy that removes rows; None: all stay, with their verdicts.
        asks_dns: Whether DNS is asked where domains' mail goes.
    """

    platform: Platform | None = None
    policy: str | None = None
    asks_dns: bool = False

    @property
    def is_usual(self) -> bool:
        """Whether it is the checked list."""
        return replace(self, asks_dns=False) == Outputs()


def clean_file(
    file: Path,
    out: Path | None,
    request: RunRequest,
    outputs: Outputs,
    *,
    content: Path | None = None,
) -> CleanedFile:
    """Write the checked list, or the rows that a policy keeps.

    Args:
        file: The list; it is only read.
        out: The path, which is replaced if it exists; None: ``<name>-checked`` next to the list,
        ``<name>-cleaned`` by a policy, which must not exist.
        request: How the list is read and which rows stay.
        outputs: Which files are written.
        content: Where the list is if not in ``file``, which names the result.

    Raises:
        WinnowError: The list cannot be processed, or the target cannot be used; no file is left.
    """
    content = content or file
    platform = outputs.platform
    choice = read_choice(os.environ, outputs.policy)
    target = _choose_target(file, content, out, outputs, choice)
    with mapping_disk_errors():
        head = read_head(content, file.name, request.choices, email_column=request.column_name)
    plan, options = plan_run(head, request, finds_column=True)
    knowledge = wiring.open_judges(os.environ).knowledge()
    look_ups = LookUpProgress(show_progress)
    with (
        _open_network(outputs.asks_dns) as network,
        ask_many(network, look_ups.tick) as mail,
        naming_target(target),
        mapping_disk_errors(),
        tempfile.TemporaryDirectory(prefix=".winnow-", dir=target.parent) as work,
    ):
        judge = Judge(knowledge, mail=mail)
        report = show_progress if network is None else look_ups.report
        outcome = run_batch(
            BatchRequest(content, plan, judge, Path(work), request.deduplicate, report, options)
        )
        cells = CellReader(Path(work), plan)
        unsubscribed = find_unsubscribed(cells)
        view = RowView.as_judged(RowIndex.open(cells.folder))
        if outputs.is_usual and choice is None:
            packed = pack_result(Path(work) / RESULT_NAME, target)
            if out is None:
                require_free(target)
            os.replace(packed, target)
            written = [Written(target, outcome.summary.rows_out)]
        else:
            written = list(
                write_files(
                    *(Path(work), plan, target, platform, choice),
                    view=view.add_matches({Reason.UNSUBSCRIBED: [unsubscribed]}),
                    may_replace=out is not None,
                )
            )
        for one in written:
            shutil.copymode(content, one.path)
    column = name_column(head.columns, plan.email_column)
    notices = [*merge_notices(head.notices, outcome.notices)]
    if network is not None:
        notices += [Notice(DNS_USE, note) for note in network.notes]
    return CleanedFile(
        outcome, options, notices, column, written, choice is not None, len(unsubscribed)
    )


@contextmanager
def _open_network(asks_dns: bool) -> Iterator[OpenNetwork | None]:
    """Yield DNS at the servers of the settings, which may forbid it; None where it is not asked."""
    if not asks_dns:
        yield None
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NetworkWarning)  # its words are among the notices
        yield open_allowed_dns(read_environment(os.environ))


def _choose_target(
    file: Path,
    content: Path,
    out: Path | None,
    outputs: Outputs,
    choice: DownloadChoice | None,
) -> Path:
    require_given(content)
    usual = name_result(file.name, outputs.platform, choice)
    if out is None:
        target = file.with_name(usual)
        require_free(target)
        return resolve_target(target, content)
    target = resolve_target(out, content)
    require_fitting_name(target, split_file_name(usual)[1])
    return target


def require_given(path: Path) -> None:
    """Refuse a list that does not exist or is not a file.

    Raises:
        BadField: As ``require_list``, or it does not exist.
    """
    try:
        require_list(path)
    except OSError as error:
        is_missing = isinstance(error, FileNotFoundError)
        problem = "there is no such file" if is_missing else f"cannot be read: {error.strerror}"
        raise BadField("file", problem) from error


def make_folder(out: str) -> None:
    """Make the folder that ``out`` names by a final slash; its parent must exist.

    Raises:
        BadField: It cannot be made.
    """
    if not out.endswith("/"):
        return
    try:
        Path(out).mkdir(exist_ok=True)
    except FileNotFoundError as error:
        raise BadField("out", "there is no such folder") from error
    except OSError as error:
        raise BadField("out", f"{out} cannot be made: {error.strerror}") from error


def require_free(path: Path) -> None:
    """Refuse a default path that is taken.

    Raises:
        BadField: Something is there.
    """
    if os.path.lexists(path):
        problem = f"{path.name} is already there"
        raise BadField("out", problem, hint="Name another with --out.")


def name_result(
    file_name: str, platform: Platform | None = None, choice: DownloadChoice | None = None
) -> str:
    """Return the default name of the checked list, or of the file written instead."""
    _, file_format = split_file_name(file_name)
    file_name = file_name.rstrip().rstrip(". ")  # which say nothing of the format
    end = -len(file_format) - 1
    if platform is not None:
        return f"{file_name[:end]}-{platform.value}.csv"
    extension = file_name[end:]  # spelt as given
    word, target_format = "checked", file_format.result
    if choice is not None:
        word = "cleaned" if choice.policy.takes_black else "kept"
        target_format = choice.file_format or target_format
    if target_format is not file_format:
        extension = f".{target_format}"
    return f"{file_name[:end]}-{word}{extension}"


@contextmanager
def naming_target(target: Path) -> Iterator[None]:
    """Turn an error of the result's folder into one that names the folder."""
    try:
        yield
    except OSError as error:
        folder = str(target.parent)
        if error.filename is None or not str(error.filename).startswith(folder):
            raise
        problem = f"{target.name} cannot be written: {error.strerror}"
        raise BadField("out", problem, hint="Name another place with --out.") from error


def show_progress(progress: Progress) -> None:
    """Show the progress of a run on a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(
            f"\r{progress.phase.value}: {count_things(progress.rows_done, 'row')}\033[K"
        )
