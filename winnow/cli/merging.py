"""``winnow clean --merge``: several lists merged into one, which is cleaned."""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from winnow.cli.clean import clean_file
from winnow.cli.reports import CleanReport
from winnow.cli.targets import Outputs, choose_targets, find_sources, naming_target, require_given
from winnow.core.disk_errors import mapping_disk_errors
from winnow.core.errors import BadField, WinnowError
from winnow.core.figures import count_things
from winnow.core.lists.input_head import know_merged
from winnow.core.lists.merging import Merge, MergedFile
from winnow.core.tasks.input_plan import InputPlan
from winnow.core.tasks.run_request import RunRequest
from winnow.library.clean_file import resolve_target
from winnow.lists.execution.run_files import create_file
from winnow.lists.inspect import plan_run, read_asked_head
from winnow.lists.merging import choose_format, merge_files, name_merge
from winnow.services.names import read_file_name
from winnow.stores import is_url

_LEAST_FILES = 2


def clean_merged(
    files: Sequence[str],
    out: str | None,
    request: RunRequest,
    outputs: Outputs,
    report: CleanReport,
) -> int:
    """Write several files as one list, clean that, and report it.

    Args:
        files: Paths, also with wildcards, in the order of their rows.
        out: As for ``choose_targets``; None: next to the first file, by the merged list's name.
        request: How each file is read, and which rows of the one list stay.
        outputs: Which files are written.
        report: Takes what becomes of the list.

    Raises:
        WinnowError: Names the file that cannot be processed; or as ``clean_file``.
    """
    if any(map(is_url, files)):
        raise BadField("merge", "takes files of this machine, none of a bucket")
    paths = [Path(source) for source in find_sources(files)]
    if len(paths) < _LEAST_FILES:
        raise BadField("merge", "needs at least two files")
    if out == "-":
        raise BadField("out", "is standard output, and merged files are written to a file")
    if out is not None and is_url(out):
        raise BadField("out", "is in a bucket, and files are merged on this machine")
    plans = plan_files(paths, request)
    file_format = choose_format([plan.file_format for plan in plans])
    name = name_merge([path.name for path in paths], file_format)
    merged, read = paths[0].with_name(name), [str(path) for path in paths]
    (pair,) = choose_targets([str(merged)], out, outputs, lists=read)
    place = resolve_target(Path(pair.target), None)
    if place.exists() and any(map(place.samefile, paths)):  # however its name is written
        raise BadField("out", f"{place.name} is one of the lists", hint="Name another place.")
    with (
        naming_target(place),
        mapping_disk_errors(),
        tempfile.TemporaryDirectory(prefix=".winnow-", dir=place.parent) as work,
    ):
        content = Path(work) / "merged"
        merge = write_merged(paths, plans, content, Path(work))
        shutil.copymode(paths[0], content)
        cleaned = clean_file(
            merged,
            Path(pair.target),
            replace(request, email_column=None, choices=know_merged(merge, file_format)),
            outputs,
            content=content,
            may_replace=pair.may_replace,
        )
    for file in merge.files:
        report.add_line(f"{file.file_name}: {count_things(file.rows, 'row')}")
    report.add(name, cleaned)
    return 0


def plan_files(files: Sequence[Path], request: RunRequest) -> tuple[InputPlan, ...]:
    """Plan how each file is read; errors name the file that is not a list."""
    plans, asked = [], RunRequest(choices=request.choices, email_column=request.email_column)
    for file in files:
        with naming_file(file):
            require_given(file)
            head = read_asked_head(file, file.name, asked, is_merged=True)
            plans.append(plan_run(head, asked, finds_column=True)[0])
    return tuple(plans)


def write_merged(
    files: Sequence[Path], plans: Sequence[InputPlan], out_path: Path, scratch: Path
) -> Merge:
    """Write the files as one list; errors name the file that cannot be read."""

    def read(number: int, write_rows: Callable[[Path, Path], MergedFile]) -> MergedFile:
        with naming_file(files[number]):
            return write_rows(files[number], scratch)

    names = [read_file_name(file.name) for file in files]
    with create_file(out_path) as out:
        return merge_files(names, plans, out.write, read, scratch / "rows")


@contextmanager
def naming_file(file: Path) -> Iterator[None]:
    """Put a file's name before its error."""
    try:
        yield
    except WinnowError as error:
        raise WinnowError(f"{file.name}: {error.detail}", hint=error.hint) from error
