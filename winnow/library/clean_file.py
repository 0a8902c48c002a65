"""Cleaning of one file into another, by the engine of the server, and checks of its paths."""

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from winnow.core.errors import BadField
from winnow.core.judging.judge import Judge
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.exports import NOTHING_CHOSEN, DownloadChoice, Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Head
from winnow.core.lists.named_policy import SHIPPED, find_policy
from winnow.core.lists.rows import Variant
from winnow.core.lists.silence import SilenceChoice
from winnow.core.own_lists.patterns import OwnLists
from winnow.core.ports import DomainKnowledge
from winnow.core.tasks.input_plan import InputPlan
from winnow.core.tasks.run_request import RunRequest
from winnow.core.tasks.task import LookUpProgress, Progress, Summary
from winnow.core.verdicts.reasons import Reason
from winnow.library.check_text import read_own_lists
from winnow.library.checker import require_threads
from winnow.library.open_data import open_domain_data
from winnow.library.open_network import OpenNetwork, ask_many
from winnow.lists.batch import run_batch
from winnow.lists.format_registry import find_format, write_export
from winnow.lists.inspect import plan_run, read_asked_head
from winnow.lists.inspection.signature import find_extension, split_file_name
from winnow.lists.list_format import BatchOutcome
from winnow.lists.recipe import Recipe, read_settings
from winnow.lists.requests import BatchRequest, RewriteRequest
from winnow.lists.result.cell_table import CellReader
from winnow.lists.result.noes import Rows
from winnow.lists.result.result_rows import ResultRows
from winnow.lists.result.row_index import RowIndex
from winnow.lists.result.row_text import RESULT_NAME
from winnow.lists.result.row_view import RowView
from winnow.lists.result.silence import read_silence

_COPY_BYTES = 1 << 20
_STREAMS = ("/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd", "/proc/self/fd")
_ENDING = re.compile(r"\.[A-Za-z]\w{0,6}")  # of another kind of file: .pdf, .gz
_ARCHIVE = ".zip"


def clean_file(
    source: Path,
    target: Path,
    *,
    recipe: Path | None = None,
    policy: CleaningPolicy | None = None,
    own_lists: Mapping[str, str] | None = None,
    network: OpenNetwork | None = None,
    progress: Callable[[Progress], None] = lambda progress: None,
    **settings: str | int | bool | None,
) -> Summary:
    """Write a list with its verdicts; see ``winnow.clean``.

    ``settings`` have the names of a recipe's keys, and come before those of the recipe.
    """
    require_threads()
    require_list(source)
    target = resolve_target(target, source)
    chosen = read_settings(recipe, settings)
    choice = None
    if policy is not None:
        if not isinstance(policy, CleaningPolicy):
            hint = "Give a CleaningPolicy; a recipe names a policy."
            raise BadField("policy", f"is a {type(policy).__name__}", hint=hint)
        choice = DownloadChoice(policy)
    elif chosen.policy is not None:
        choice = find_policy(SHIPPED, chosen.policy).choice
    choice = finish_choice(choice, chosen, {**settings, "policy": policy})
    file_format = choice.file_format if choice is not None else None
    require_fitting_name(target, file_format or split_file_name(source.name)[1].result)
    request, own = chosen.request, read_own_lists(own_lists or {})
    head, knowledge = read_asked_head(source, source.name, request), open_domain_data()
    with run_file(source, head, request, knowledge, own, network, progress, target.parent) as run:
        result, plan = run.cells.folder / RESULT_NAME, run.cells.plan
        if choice is not None:
            rows = ResultRows(result.parent, plan, run.mark_rows(choice, {}))
            result = write_rows(rows, Export(Variant.CLEANED, choice), result.parent, plan)
        shutil.copymode(source, result)
        os.replace(pack_result(result, target), target)
    return run.outcome.summary


@dataclass(frozen=True, slots=True)
class FileRun:
    """A finished run of a list, in the folder of its cells, which is removed afterwards."""

    asked: RunRequest
    outcome: BatchOutcome
    cells: CellReader

    def mark_rows(
        self, choice: DownloadChoice | None, named: Mapping[Reason, Sequence[Rows]]
    ) -> RowView:
        """Return the rows, marked by what the list and files (``named``) say, and by silence."""
        found = {reason: [*rows] for reason, rows in named.items()}
        if self.outcome.noes is not None:
            for reason, rows in self.outcome.noes.find_rows().items():
                found.setdefault(reason, []).append(rows)
        view = RowView.as_judged(RowIndex.open(self.cells.folder)).add_matches(found)
        if choice is None or not choice.policy.silent_months:
            return view
        return mark_silent(view, self.cells, self.asked.silence)


@contextmanager
def run_file(
    source: Path,
    head: Head,
    request: RunRequest,
    knowledge: DomainKnowledge,
    own: OwnLists,
    network: OpenNetwork | None,
    progress: Callable[[Progress], None],
    folder: Path,
) -> Iterator[FileRun]:
    """Judge every row of a list, in a folder of its own in ``folder``; yield the run."""
    plan, asked = plan_run(head, request, finds_column=True)
    look_ups = LookUpProgress(progress)
    report = progress if network is None else look_ups.report
    with (
        ask_many(network, look_ups.tick) as mail,
        tempfile.TemporaryDirectory(prefix=".winnow-", dir=folder) as made,
    ):
        judge, work = Judge(knowledge, mail=mail).put_own_first(own), Path(made)
        outcome = run_batch(BatchRequest(source, plan, judge, work, report, asked))
        yield FileRun(asked, outcome, CellReader(work, plan))


def finish_choice(
    choice: DownloadChoice | None, settings: Recipe, given: Mapping[str, Any]
) -> DownloadChoice | None:
    """Return a choice with who decides and who is left out as silent; None: no one is left out.

    What a recipe says comes after a policy that is ``given``, as settings by name.
    """
    months, is_given = settings.silent_months, given.get("policy") is not None
    if choice is None and not months:
        return None
    choice = choice or NOTHING_CHOSEN
    if not is_given or given.get("who_decides") is not None:
        choice = choice.let_decide(settings.who_decides)
    is_recipes = is_given and given.get("silent_months") is None
    if months is None or (is_recipes and choice.policy.silent_months is not None):
        return choice
    return replace(choice, policy=replace(choice.policy, silent_months=months))


def mark_silent(view: RowView, cells: CellReader, choice: SilenceChoice) -> RowView:
    """Return a run's rows with how long their people have been silent by today.

    Raises:
        BadField: No column says it, or its dates can be read in two ways.
    """
    names = cells.plan.columns
    found = read_silence(cells, choice, datetime.now(UTC).date())
    if found is None:
        problem = "no heading says when people were active"
        raise BadField("silent_by", problem, hint="Name a column of dates.")
    if found.column.is_open:
        problem = f"dates in {names[found.column.place]} may be day first or month first"
        raise BadField("silent_order", problem, hint="Say which: day, or month.")
    return view.add_silence(found.months)


def write_rows(rows: ResultRows, export: Export, work: Path, plan: InputPlan) -> Path:
    """Return the file of an export of a finished run, in the run's folder."""
    if export.is_whole:
        return work / RESULT_NAME
    made = work / "rewritten"
    if export.name_format(plan.file_format).traits.is_text:
        with made.open("wb") as out:
            out.writelines(rows.stream(export))
    else:
        write_export(RewriteRequest(work / RESULT_NAME, rows, made, plan, export))
    return made


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
