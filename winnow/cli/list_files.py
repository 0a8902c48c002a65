"""Files of ``winnow clean`` for platforms and policies."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from winnow.core.errors import BadField
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.exports import NOTHING_CHOSEN, DownloadChoice, Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.named_policy import SHIPPED, find_policy
from winnow.core.lists.platforms import Layout, Platform, PlatformFile
from winnow.core.lists.rows import Variant
from winnow.core.tasks.input_plan import InputPlan
from winnow.library.clean_file import finish_choice, pack_result, write_rows
from winnow.lists.inspection.signature import find_extension
from winnow.lists.recipe import Recipe
from winnow.lists.result.platform_file import find_parts
from winnow.lists.result.result_rows import ResultRows
from winnow.lists.result.row_view import RowView
from winnow.services.names import name_part

_ZIP = ".zip"


@dataclass(frozen=True, slots=True)
class Written:
    """A file in its final place, and its content.

    ``columns`` are the names of what ``layout`` takes its cells from.
    """

    path: Path
    rows: int
    parts: int = 1
    layout: Layout | None = None
    columns: tuple[str, ...] = ()


def write_files(
    work: Path,
    plan: InputPlan,
    target: Path,
    platform: Platform | None,
    choice: DownloadChoice | None,
    *,
    view: RowView,
    may_replace: bool,
) -> Sequence[Written]:
    """Write a finished run's files: whole, all of them or none.

    Args:
        work: The run's folder, in the same file system as the target.
        plan: The plan of the run.
        target: The checked list; of a platform its contacts, with ``-suppression`` next to it. Rows
        that get no mail this time are in ``-not-mailed``.
        A file of several parts, by the limits of a platform, ends in ``.zip`` instead.
        platform: The platform of the files; None: the checked list.
        choice: Which rows are removed, and the form of the checked list; None: all stay. A
        platform has a form of its own.
        view: The rows, with unsubscribed ones marked.
        may_replace: Whether an existing file is replaced.

    Raises:
        BadField: The path is taken, or is not a file.
    """
    rows = ResultRows(work, plan, view)
    exports = {target: Export()}
    if choice is not None:
        exports = {target: Export(Variant.CLEANED, choice)}
    if platform is not None:
        choice = choice or NOTHING_CHOSEN
        contacts = PlatformFile(platform)
        exports = {
            target: Export(Variant.CLEANED, choice, platform=contacts),
            _name_beside(target, "suppression"): Export(
                Variant.REMOVED,
                choice,
                platform=PlatformFile(platform, is_suppression=True),
            ),
        }
    later = replace(exports[target], variant=Variant.LATER)
    if choice is not None and rows.measure(later):
        exports[_name_beside(target, "not-mailed")] = later
    made: dict[Path, Written] = {}
    for number, (path, export) in enumerate(exports.items()):
        staged = work / f"file-{number}"
        if export.platform is not None:
            written = _write_for_platform(rows, export, export.platform, path, staged)
        else:
            os.rename(pack_result(write_rows(rows, export, work, plan), path), staged)
            written = Written(path, rows.measure(export))
        if os.path.lexists(written.path) and not may_replace:
            problem = f"{written.path.name} is already there"
            raise BadField("out", problem, hint="Name another file.")
        if written.path.exists() and not written.path.is_file():
            raise BadField("out", f"{written.path.name} is no file", hint="Name a file.")
        made[staged] = written
    for staged, written in made.items():
        os.replace(staged, written.path)
    return tuple(made.values())


def _write_for_platform(
    rows: ResultRows, export: Export, platform: PlatformFile, path: Path, staged: Path
) -> Written:
    """Write a platform's file, or a zip of numbered files if it exceeds the limits."""
    parts, chunks = find_parts(rows, export, platform), rows.stream(export)
    if len(parts) > 1:
        from winnow.services.results.zip_stream import ZipMember, stream_zip

        name = f"{_find_stem(path)}.csv"
        members = (
            ZipMember(
                name_part(name, FileFormat.CSV, number, len(parts)),
                rows.stream(replace(export, part=part)),
            )
            for number, part in enumerate(parts, start=1)
        )
        chunks = stream_zip(members, datetime.now(UTC), platform.platform.traits.most_bytes)
        path = path.with_name(f"{_find_stem(path)}{_ZIP}")
    with staged.open("wb") as out:
        out.writelines(chunks)
    row_count = sum(part.count for part in parts)
    return Written(path, row_count, max(1, len(parts)), rows.lay_out(platform), rows.columns)


def list_indices(target: Path) -> tuple[Path, ...]:
    """Return where ``write_files`` may write for a target."""
    beside = (target, *(_name_beside(target, use) for use in ("suppression", "not-mailed")))
    return (*beside, *(one.with_name(f"{_find_stem(one)}{_ZIP}") for one in beside))


def _name_beside(path: Path, use: str) -> Path:
    stem = _find_stem(path)
    return path.with_name(f"{stem}-{use}{path.name[len(stem) :]}")


def _find_stem(path: Path) -> str:
    """Return a file's name without its extension, which may be of two parts."""
    known = find_extension(path.name)
    return path.stem if known is None else path.name[: -len(known.value) - 1]


def read_choice(
    environ: Mapping[str, str], settings: Recipe, given: Mapping[str, Any]
) -> DownloadChoice | None:
    """Return the choice of the named policy, with who decides and was silent; None: all stay.

    Without a data folder only the built-in policies exist. ``given`` are the settings by name that
    the command has, not the recipe.

    Raises:
        BadField: There is no such policy.
        SettingsError, StartRefused: The data folder cannot be opened.
    """
    name = settings.policy
    if name is None:
        is_mailed = settings.platform is not None and settings.who_decides is not None
        return finish_choice(NOTHING_CHOSEN if is_mailed else None, settings, given)
    from winnow import wiring  # with the database, which takes half a second

    services = wiring.existing_services(environ)
    known = SHIPPED if services is None else services.policies.list(LOCAL_ACCOUNT)
    return finish_choice(find_policy(known, name).choice, settings, given)
