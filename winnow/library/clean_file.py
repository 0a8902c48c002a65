"""Cleaning of one file into another, by the engine of the server, and checks of its paths."""

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from winnow.core.errors import BadField
from winnow.core.lists.file_format import FileFormat
from winnow.core.tasks.repair_choice import parse_repair
from winnow.core.tasks.run_request import RunRequest
from winnow.core.tasks.task import LookUpProgress, Progress, Summary
from winnow.core.verdicts.judge import Judge
from winnow.library.check_text import read_own_lists
from winnow.library.checker import require_threads
from winnow.library.open_data import open_domain_data
from winnow.library.open_network import OpenNetwork, ask_many
from winnow.lists.batch import run_batch
from winnow.lists.format_registry import find_format
from winnow.lists.inspection.inspect import plan_run, read_head
from winnow.lists.inspection.signature import find_extension, split_file_name
from winnow.lists.requests import BatchRequest
from winnow.lists.result.row_text import RESULT_NAME

_COPY_BYTES = 1 << 20
_STREAMS = ("/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd", "/proc/self/fd")
_ENDING = re.compile(r"\.[A-Za-z]\w{0,6}")  # of another kind of file: .pdf, .gz
_ARCHIVE = ".zip"


def clean_file(
    source: Path,
    target: Path,
    *,
    deduplicate: bool = True,
    email_column: str | int | None = None,
    second_email_column: str | int | None = None,
    own_lists: Mapping[str, str] | None = None,
    repair: str | None = None,
    network: OpenNetwork | None = None,
    progress: Callable[[Progress], None] = lambda progress: None,
) -> Summary:
    """Write a list with its verdicts; see ``winnow.clean``."""
    require_threads()
    require_list(source)
    target = resolve_target(target, source)
    require_fitting_name(target, split_file_name(source.name)[1].result)
    request = RunRequest(
        email_column=None if email_column is None else str(email_column),  # an int counts from 1
        second_email_column=None if second_email_column is None else str(second_email_column),
        deduplicate=deduplicate,
        repair=parse_repair(repair),
    )
    head = read_head(source, source.name, email_column=request.column_name)
    plan, options = plan_run(head, request, finds_column=True)
    own = read_own_lists(own_lists or {})
    look_ups = LookUpProgress(progress)
    report = progress if network is None else look_ups.report
    with (
        ask_many(network, look_ups.tick) as mail,
        tempfile.TemporaryDirectory(prefix=".winnow-", dir=target.parent) as work,
    ):
        judge = Judge(open_domain_data(), mail=mail).put_own_first(own)
        outcome = run_batch(
            BatchRequest(source, plan, judge, Path(work), deduplicate, report, options)
        )
        result = Path(work) / RESULT_NAME
        shutil.copymode(source, result)
        os.replace(pack_result(result, target), target)
    return outcome.summary


def pack_result(result: Path, target: Path) -> Path:
    """Return a result's file, compressed or not by the target's name, in the same folder."""
    code = find_extension(target.name)
    if code is None or code.traits.unpacked is None:
        return result
    packed = result.with_name("packed")
    with result.open("rb") as file, packed.open("wb") as out:
        out.writelines(find_format(code).pack(iter(partial(file.read, _COPY_BYTES), b"")))
    shutil.copymode(result, packed)
    return packed


def require_list(path: Path) -> None:
    """Refuse a list that cannot be read repeatedly and at any offset.

    Raises:
        BadField: It is a folder, a pipe or a device.
        FileNotFoundError: There is none.
    """
    if not path.is_file():
        path.stat()
        raise BadField(
            "file",
            f"{path.name} is a folder, a pipe or a device",
            hint="Write the list to a file first.",
        )


def resolve_target(out: Path, source: Path | None) -> Path:
    """Return the file that a result may replace: the target of a link, not the link.

    A result is written next to it and replaces it, so that a device would be lost. ``source`` is
    None for a list that is in no folder.

    Raises:
        BadField: It is the list itself or no file, or its folder is none.
    """
    target = Path(os.path.realpath(out))
    stated = Path(os.path.abspath(out))
    is_stream = any(stated.is_relative_to(stream) for stream in _STREAMS)
    if is_stream or (target.exists() and not target.is_file()):
        raise BadField("out", f"{out.name or out} is no file", hint="Name a file.")
    if source is not None and target.exists() and target.samefile(source):
        raise BadField("out", "is the list itself", hint="Name another file.")
    if not target.parent.is_dir():
        raise BadField("out", "there is no such folder")
    return target


def require_fitting_name(target: Path, result: FileFormat) -> None:
    """Refuse a name of another kind of file than is written.

    Text is text: a CSV may be called ``.txt`` or have no extension at all.

    Raises:
        BadField: Programs that use the name could not open the file.
    """
    named = find_extension(target.name)
    fits = (
        (named is None and not _ENDING.fullmatch(target.suffix))
        or named is result
        or (named is not None and named.traits.is_text and result.traits.is_text)
    ) and target.suffix.lower() != _ARCHIVE
    if not fits:
        raise BadField(
            "out",
            f"{target.name} would be {result.traits.file_name} by its content",
            hint=f"Name a file ending in .{result}.",
        )
