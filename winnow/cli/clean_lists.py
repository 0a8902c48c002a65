"""``winnow clean`` for many lists, and for lists in stores, on this machine."""

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from glob import has_magic
from pathlib import Path

from winnow.cli.clean import Outputs, clean_file, make_folder, name_result
from winnow.cli.list_files import read_choice
from winnow.cli.pipes import PIPE, clean_piped
from winnow.cli.reports import CleanReport
from winnow.core.errors import BadField, WinnowError
from winnow.core.figures import count_things
from winnow.core.tasks.run_request import RunRequest
from winnow.lists.inspection.signature import find_extension
from winnow.stores import (
    fetch_file,
    find_files,
    is_taken,
    is_url,
    name_file,
    place_next_to,
    send_file,
)


@dataclass(frozen=True, slots=True)
class ListPair:
    """A list and the place of its result. ``is_named``: the result may replace a file there.

    Both are URLs or absolute paths.
    """

    source: str
    target: str
    is_named: bool


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
        out: The target; of many lists a folder, which ends in a slash. None: each list's folder.
        request: How they are read and which rows stay.
        outputs: Which files are written.
        report: Takes what becomes of each list.

    Returns:
        The exit code.

    Raises:
        WinnowError: The one list cannot be cleaned, or nothing can.
    """
    if PIPE in (*files, out):
        clean_piped(files, out, request, outputs, report)
        return 0
    if len(files) == 1 and _is_plain(files[0]) and _is_plain(out or ""):
        place = None if out is None else Path(out)
        report.add(files[0], clean_file(Path(files[0]), place, request, outputs))
        return 0
    pairs = choose_targets(find_sources(files), out, outputs)
    if out is not None and not is_url(out):
        make_folder(out)
    return report_each(pairs, lambda pair: _clean(pair, request, outputs, report), report)


def _is_plain(text: str) -> bool:
    """Return whether a text names one file of this machine, whatever characters are in it."""
    if is_url(text) or text.endswith("/"):
        return False
    return os.path.lexists(text) or not has_magic(text)


def report_each(
    pairs: Sequence[ListPair], clean: Callable[[ListPair], None], report: CleanReport
) -> int:
    """Clean each list and report those that cannot be; return the exit code.

    Raises:
        WinnowError: There is one list, and it cannot be cleaned.
    """
    failed = 0
    for pair in pairs:
        try:
            clean(pair)
        except WinnowError as error:
            if len(pairs) == 1:
                raise
            failed += 1
            report.fail(pair.source, error)
    if failed:
        lists = count_things(len(pairs), "list")
        sys.stderr.write(f"winnow: {failed} of {lists} could not be cleaned\n")
    return 1 if failed else 0


def find_sources(files: Sequence[str]) -> list[str]:
    """Return the named lists, each once; wildcards do not match results.

    Raises:
        BadField: A name with wildcards has no match.
    """
    found: dict[str, None] = {}
    for text in files:
        names = find_files(text)
        if names != [text]:
            results = {place_next_to(one, _name_result(one)) for one in names if _is_list(one)}
            names = [one for one in names if _is_list(one) and one not in results]
        if not names:
            raise BadField("file", f"no list is named {text}")
        found.update((one if is_url(one) else os.path.abspath(one), None) for one in names)
    return list(found)


def _name_result(place: str) -> str:
    return name_result(name_file(place))


def _is_list(place: str) -> bool:
    return find_extension(name_file(place)) is not None


def choose_targets(sources: Sequence[str], out: str | None, outputs: Outputs) -> list[ListPair]:
    """Return where each list's result is written.

    Raises:
        BadField: Two results have the same path, or many one file; or a list would be replaced.
    """
    is_into = out is not None and (out.endswith("/") or os.path.isdir(out))
    if out is not None and not is_into and len(sources) > 1:
        raise BadField("out", "is one file, and there are several lists", hint="End it in a slash.")
    choice = read_choice(os.environ, outputs.policy)
    pairs = []
    for source in sources:
        name = name_result(name_file(source), outputs.platform, choice)
        target = place_next_to(source, name)
        if out is not None:
            target = f"{out.rstrip('/')}/{name}" if is_into else out
        if not is_url(target):
            target = os.path.realpath(target)  # the target of a link is replaced, not the link
        pairs.append(ListPair(source, target, out is not None))
    twice = [one for one, count in Counter(pair.target for pair in pairs).items() if count > 1]
    if twice:
        raise BadField("out", f"two lists would be written to {twice[0]}")
    lists = {one if is_url(one) else os.path.realpath(one) for one in sources}
    over = next((pair.target for pair in pairs if pair.target in lists), None)
    if over is not None:
        problem = f"{over} is one of the lists" if len(lists) > 1 else "is the list itself"
        raise BadField("out", problem, hint="Name another place.")
    return pairs


def _clean(pair: ListPair, request: RunRequest, outputs: Outputs, report: CleanReport) -> None:
    """Clean one list and report it; a list in a store is copied first."""
    target = pair.target
    require_free_target(pair)
    with tempfile.TemporaryDirectory(prefix="winnow-") as folder:
        content, out = Path(pair.source), Path(target)
        if is_url(pair.source):
            content = Path(folder) / "list"
            fetch_file(pair.source, content)
        if is_url(target):
            out = Path(folder) / "out" / name_file(target)
            out.parent.mkdir()
        name = Path(name_file(pair.source))
        cleaned = clean_file(name, out, request, outputs, content=content)
        if is_url(target):
            for one in cleaned.written:
                send_file(one.path, place_next_to(target, one.path.name))
        report.add(pair.source, cleaned, lambda path: place_next_to(target, path.name))


def require_free_target(pair: ListPair) -> None:
    """Refuse a default place that is taken.

    Raises:
        BadField: Something is there, or the store cannot be read.
    """
    taken = is_taken(pair.target) if is_url(pair.target) else os.path.lexists(pair.target)
    if not pair.is_named and taken:
        problem = f"{name_file(pair.target)} is already there"
        raise BadField("out", problem, hint="Name another with --out.")
