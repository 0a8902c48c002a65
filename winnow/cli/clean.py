"""``winnow clean`` for one file, without a server, an account or a charge."""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from winnow import wiring
from winnow.cli.list_files import Written, read_choice, write_files
from winnow.core.addresses.repair_kinds import RepairKind
from winnow.core.disk_errors import mapping_disk_errors
from winnow.core.errors import BadField
from winnow.core.figures import count_doing, count_things
from winnow.core.lists.exports import NO_LIMITS, DownloadChoice, FileLimits
from winnow.core.lists.platforms import Platform
from winnow.core.tasks.run_request import RunRequest
from winnow.core.tasks.task import KeyType, Notice, Progress, Summary
from winnow.core.verdicts.reasons import Reason
from winnow.library.clean_file import (
    pack_result,
    require_fitting_name,
    require_list,
    resolve_target,
)
from winnow.lists.batch import run_batch
from winnow.lists.inspection.inspect import plan_run, read_head
from winnow.lists.inspection.signature import split_file_name
from winnow.lists.list_format import BatchOutcome
from winnow.lists.requests import BatchRequest
from winnow.lists.result.added_cells import make_advice
from winnow.lists.result.cell_questions import CellReader
from winnow.lists.result.row_columns import RowIndex
from winnow.lists.result.row_view import RowView, find_unsubscribed
from winnow.services.results.results import RESULT_NAME
from winnow.services.tasks.runs import merge_notices


@dataclass(frozen=True, slots=True)
class CleanedFile:
    """A cleaned list: the files written, counts and notices.

    ``by_policy``: a policy decided which rows stay. ``unsubscribed``: rows that a column of the
    list marks so.
    """

    outcome: BatchOutcome
    notices: Sequence[Notice]
    column: str
    written: Sequence[Written] = ()
    by_policy: bool = False
    unsubscribed: int = 0


@dataclass(frozen=True, slots=True)
class Outputs:
    """Options of the files to write instead of the checked list.

    Attributes:
        platform: This platform's two files: rows that stay as its contacts, removed rows as its
        suppression file.
        split: A file that exceeds these limits becomes a zip of numbered ones.
        policy: The name of the policy that removes rows; None: all stay, with their verdicts.
    """

    platform: Platform | None = None
    split: FileLimits = NO_LIMITS
    policy: str | None = None

    @property
    def is_usual(self) -> bool:
        """Whether it is the checked list, in one file."""
        return self == Outputs()


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
    platform, split = outputs.platform, outputs.split
    choice = read_choice(os.environ, outputs.policy)
    target = _choose_target(file, content, out, outputs, choice)
    if split.size_bytes is not None and platform is None:
        raise BadField("split", "only a platform's files are split at a size", hint="Name rows.")
    with mapping_disk_errors():
        head = read_head(content, file.name, request.choices, email_column=request.column_name)
    plan, options = plan_run(head, request, finds_column=True)
    judge = wiring.open_judges(os.environ).judge_for(KeyType.LIVE)
    with (
        naming_target(target),
        mapping_disk_errors(),
        tempfile.TemporaryDirectory(prefix=".winnow-", dir=target.parent) as work,
    ):
        outcome = run_batch(
            BatchRequest(
                content, plan, judge, Path(work), request.deduplicate, show_progress, options
            )
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
                    *(Path(work), plan, target, platform, split, choice),
                    view=view.add_matches({Reason.UNSUBSCRIBED: [unsubscribed]}),
                    advice=make_advice(judge, KeyType.LIVE),
                    may_replace=out is not None,
                )
            )
        for one in written:
            shutil.copymode(content, one.path)
    column = name_column(head.columns, plan.email_column)
    notices = merge_notices(head.notices, outcome.notices)
    return CleanedFile(outcome, notices, column, written, choice is not None, len(unsubscribed))


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
    is_usual = outputs.is_usual and choice is None
    require_fitting_name(target, split_file_name(usual)[1], may_be_archive=not is_usual)
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


def print_cleaned(cleaned: CleanedFile, show: Callable[[Path], str] = str) -> None:
    """Print the counts; ``show`` returns the place of a written file."""
    written, outcome = cleaned.written, cleaned.outcome
    print_outcome(_describe_files(written, show), outcome, cleaned.notices, cleaned.column)
    if cleaned.unsubscribed:
        sys.stdout.write(f"{cleaned.unsubscribed:,} unsubscribed, by a column of the list\n")
    if cleaned.by_policy:
        kept = written[0].rows
        lost = outcome.summary.rows_out - kept
        goes = f"{lost:,} {'goes' if lost == 1 else 'go'}"
        sys.stdout.write(f"{count_doing(kept, 'row', 'stays', 'stay')}, {goes}\n")


def print_outcome(
    files: Sequence[str], outcome: BatchOutcome, notices: Sequence[Notice], column: str
) -> None:
    """Print the files written, the counts, and the notices."""
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K")
    summary: Summary = outcome.summary
    rows_in, removed = summary.rows_in, summary.duplicates_removed
    lines = [*files, *list_counts(rows_in, removed, summary.by_category_and_type, column)]
    if summary.repaired:
        lines.append(
            f"{count_things(sum(summary.repaired.values()), 'address', 'addresses')} repaired"
        )
        lines += [
            f"  {count:>10,}  {RepairKind(kind).words}" for kind, count in summary.repaired.items()
        ]
    lines += [f"note: {notice.text}" for notice in notices]
    sys.stdout.writelines(f"{line}\n" for line in lines)


def list_counts(
    rows_in: int, removed: int, by_category_and_type: Sequence[tuple[str, str, int]], column: str
) -> list[str]:
    """Return the lines with the counts of a list."""
    lines = [
        f"{count_things(rows_in, 'row')} in, {rows_in - removed:,} out, "
        f"{count_things(removed, 'duplicate')} removed",
        f"email column: {column}",
    ]
    lines += [
        f"  {count:>10,}  {category}, {domain_type}"
        for category, domain_type, count in by_category_and_type
    ]
    if 2 * removed > rows_in:
        lines.append(f"note: More than half of the rows went. Is {column} the right column?")
    return lines


def _describe_files(written: Sequence[Written], show: Callable[[Path], str]) -> list[str]:
    """Return lines that name the files, and the columns of a platform's."""
    lines = []
    for one in written:
        lines.append(show(one.path))
        if one.layout is None and one.parts < 2:
            continue
        files = f" in {count_things(one.parts, 'file')}" if one.parts > 1 else ""
        lines.append(f"  {count_things(one.rows, 'row')}{files}")
        columns = one.layout.columns if one.layout is not None else ()
        lines += [
            f"  {laid.name}: {name_column(one.columns, laid.source or 0)}" for laid in columns
        ]
    contacts = written[0]
    if contacts.layout is not None and contacts.layout.left_out:
        left_out = (name_column(contacts.columns, one) for one in contacts.layout.left_out)
        lines.append(f"left out: {', '.join(left_out)}")
    missing = [field for one in written if one.layout for field in one.layout.missing]
    lines += [
        f"note: The platform asks for a {field.value}; no column holds it." for field in missing
    ]
    return lines


def name_column(columns: Sequence[str], place: int) -> str:
    """Return the name of a column, or its position from 1."""
    name = columns[place].strip() if place < len(columns) else ""
    return name or f"column {place + 1}"
