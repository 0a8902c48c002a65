"""``winnow clean``: its options, many lists, lists in stores, and pipes."""

import os
import shutil
import sys
import tempfile
import time
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from winnow.cli.clean import clean_file
from winnow.cli.list_files import read_choice
from winnow.cli.merging import clean_merged
from winnow.cli.reports import CleanReport, report_each
from winnow.cli.targets import (
    ListPair,
    MailChoice,
    Outputs,
    choose_targets,
    find_sources,
    require_free,
)
from winnow.core.disk_errors import mapping_disk_errors
from winnow.core.errors import BadField, WinnowError
from winnow.core.lists.input_head import Choices
from winnow.core.tasks.run_request import RunRequest
from winnow.lists.recipe import read_settings
from winnow.stores import fetch_file, is_url, name_file, place_next_to, send_file

PIPE = "-"
ESCAPES = {"backslash": "\\", "doubled": ""}
_ENDINGS = (
    (b"PK\x03\x04", "xlsx"),
    (b"PAR1", "parquet"),
    (b"\x1f\x8b", "csv.gz"),
    (b"\x28\xb5\x2f\xfd", "csv.zst"),
)


def clean(options: Namespace) -> int:
    """Clean lists as the options say, and report each."""
    streams = (PIPE in options.files and options.out is None) or options.out == PIPE
    report = CleanReport(sys.stderr if streams else sys.stdout, options.json)
    try:
        with mapping_disk_errors():
            code = _clean_as_asked(options, report)
    except WinnowError as error:
        if not options.json:
            raise
        for source in options.files:
            report.fail(source, error)
        code = 1
    report.finish()
    return code


def _clean_as_asked(options: Namespace, report: CleanReport) -> int:
    recipe = None if options.recipe is None else Path(options.recipe)
    settings = read_settings(recipe, vars(options))
    choices = Choices(
        encoding=options.encoding, escape=ESCAPES.get(options.escape), has_header=settings.header
    )
    request = replace(settings.request, choices=choices)
    outputs = Outputs(
        platform=settings.platform,
        choice=read_choice(os.environ, settings, vars(options)),
        asks_dns=options.dns,
        mail=MailChoice(
            consent=options.consent,
            ignored=options.ignore_consent,
            do_not_mail=options.do_not_mail,
            bounces=options.bounces,
            uses_own=not options.no_own_lists,
        ),
    )
    if options.cluster is not None:
        from winnow.cli.clean_on_cluster import clean_on_cluster

        return clean_on_cluster(
            *(options.cluster, options.files, options.out, request, outputs, report),
            is_merged=options.merge,
        )
    folder, *others = options.files
    is_folder = os.path.isdir(folder) or (folder.endswith(("/", os.sep)) and not is_url(folder))
    if is_folder and not others and not options.merge:
        from winnow.cli.folder_run import clean_folder

        now = time.time()
        return clean_folder(Path(folder), options.out, request, outputs, report, now=now)
    clean_all = clean_merged if options.merge else clean_lists
    return clean_all(options.files, options.out, request, outputs, report)


def clean_lists(
    files: Sequence[str],
    out: str | None,
    request: RunRequest,
    outputs: Outputs,
    report: CleanReport,
) -> int:
    """Clean lists one after another on this machine, and report each.

    Of many, one that cannot be cleaned is reported, and the others are cleaned.

    Args:
        files: Paths and URLs, also with wildcards; ``-``: standard input.
        out: As for ``choose_targets``; ``-``: standard output.
        request: How they are read and which rows stay.
        outputs: Which files are written.
        report: Takes what becomes of each list.

    Returns:
        The exit code.

    Raises:
        WinnowError: The one list cannot be cleaned, or nothing can.
    """
    if PIPE in (*files, out):
        _clean_piped(files, out, request, outputs, report)
        return 0
    pairs = choose_targets(find_sources(files), out, outputs)
    return report_each(pairs, lambda pair: _clean(pair, request, outputs, report), report)


def _clean(pair: ListPair, request: RunRequest, outputs: Outputs, report: CleanReport) -> None:
    """Clean one list and report it; what is in a store is copied."""
    source, target = pair.source, pair.target
    if is_url(target) and not pair.may_replace:
        require_free(target)
    with tempfile.TemporaryDirectory(prefix="winnow-") as folder:
        name, content, out = Path(source), Path(source), Path(target)
        if is_url(source):
            name, content = Path(name_file(source)), Path(folder) / "list"
            fetch_file(source, content)
        if is_url(target):
            out = Path(folder) / "out" / name_file(target)
            out.parent.mkdir()
        may_replace = pair.may_replace or is_url(target)
        cleaned = clean_file(name, out, request, outputs, content=content, may_replace=may_replace)
        if not is_url(target):
            report.add(source, cleaned)
            return
        places = [place_next_to(target, one.path.name) for one in cleaned.written]
        if not pair.may_replace:
            for place in places:  # of a platform there is another file, too
                require_free(place)
        for one, place in zip(cleaned.written, places, strict=True):
            send_file(one.path, place)
        report.add(source, cleaned, lambda path: place_next_to(target, path.name))


def _clean_piped(
    files: Sequence[str],
    out: str | None,
    request: RunRequest,
    outputs: Outputs,
    report: CleanReport,
) -> None:
    """Clean one list from standard input (``-``), to standard output (``-``), or both.

    A list from a pipe is a workbook, a Parquet file or packed text by its first bytes, else text;
    without ``--out`` its result goes to standard output. Both are copied to a folder for the run.

    Raises:
        BadField: There are several lists, or several files would be written to one stream.
        WinnowError: As ``clean_file``.
    """
    if len(files) != 1:
        raise BadField("file", "standard input is one list, and standard output takes one")
    is_streamed = out in (None, PIPE)
    if is_streamed and outputs.platform is not None:
        raise BadField("out", "a platform has two files, and standard output takes one")
    with tempfile.TemporaryDirectory(prefix="winnow-") as folder:
        name, content = Path(files[0]), Path(files[0])
        if files[0] == PIPE:
            content = Path(folder) / "list"
            with content.open("wb") as copy:
                shutil.copyfileobj(sys.stdin.buffer, copy)
            with content.open("rb") as file:
                start = file.read(4)
            endings = (ending for magic, ending in _ENDINGS if start.startswith(magic))
            name = Path(folder) / f"input.{next(endings, 'csv')}"
        (pair,) = choose_targets([str(name)], folder if is_streamed else out, outputs)
        cleaned = clean_file(name, Path(pair.target), request, outputs, content=content)
        if is_streamed:
            with cleaned.written[0].path.open("rb") as result:
                shutil.copyfileobj(result, sys.stdout.buffer)
        report.add(files[0], cleaned, lambda path: PIPE if is_streamed else str(path))
