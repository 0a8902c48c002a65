"""An earlier list's file: read and judged, compared with a finished project, and not kept."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from winnow.core.errors import InputError, word_columns
from winnow.core.file_faults import FileFault
from winnow.core.lists.input_head import Choices, Head, doubt_column
from winnow.core.lists.side_files import FileCounts
from winnow.core.meaning.addresses import score_columns
from winnow.core.meaning.delivery import read_file_name
from winnow.core.tasks.input_plan import InputPlan
from winnow.core.tasks.run_request import RunRequest
from winnow.core.tasks.task import Task
from winnow.limited.messages import JudgeOffline
from winnow.lists.batch import run_batch
from winnow.lists.inspect import find_column, plan_input, read_head
from winnow.lists.inspection.columns import find_columns
from winnow.lists.marks.key_files import OwnKeys, count_named
from winnow.lists.marks.keyed_hash import AddressHash
from winnow.lists.marks.said_no import gather_noes
from winnow.lists.requests import BatchRequest
from winnow.lists.result.cell_table import CellReader
from winnow.lists.result.comparing import ComparedProject, PairedAddresses
from winnow.lists.result.consent_cells import read_consent
from winnow.lists.result.row_index import RowIndex
from winnow.lists.result.row_view import RowView
from winnow.words import translatable

_NO_SHEET = translatable("The workbook has no sheet {name}, which your list is on.")
_NO_SHEET_HINT = translatable(
    "Name the sheet as in your list, or save it as a workbook of its own."
)
_NO_SECOND = translatable("The file has no column {name}, the second email column of your list.")
_NO_ADDRESS = translatable("The column {name} of the file has no addresses.")
_ADDRESS_HINT = translatable(
    "Name the column of addresses as in your list, and add the file again."
)


def compare_file(
    name: str,
    task: Task,
    folder: Path,
    secret: bytes,
    out_path: Path,
    path: Path,
    scratch: Path,
    judge_offline: JudgeOffline,
) -> tuple[OwnKeys, FileCounts]:
    """Write what an earlier list's file has of a project's addresses; return who says no in it.

    Args:
        name: The file's, as it came.
        task: The finished project; what was decided of its columns holds for the file, but never
            against a strong word of no.
        folder: The project's result.
        secret: Of the hashes.
        out_path: Is written: rows of the project and verdicts, no address.
        path: The file; it is only read.
        scratch: An existing folder for temporary files.
        judge_offline: Returns a judge.

    Raises:
        InputError: The file is no list that can be read.
    """
    plan, mail = _plan_file(task.plan, path, name, scratch), task.request.mail
    asked = RunRequest(repair=task.request.repair)
    work = scratch / "run"
    work.mkdir()
    run_batch(BatchRequest(path, plan, judge_offline(task.key_type), work, lambda _: None, asked))
    cells = CellReader(work, plan)
    said = read_consent(cells, mail)
    held = mail.without_strong(said.columns)
    if held != mail:
        said = read_consent(cells, held)
    outcome = read_file_name(name, is_list=True)
    if outcome is not None:
        everyone = np.arange(RowIndex.open(work).row_count)
        said = replace(said, rows={**said.rows, outcome: everyone})
    view = RowView.as_judged(RowIndex.open(work)).add_matches(said.list_reasons())
    now = CellReader(folder, task.plan)
    before = ComparedProject(cells, view)
    if before.blank_rows == before.index.row_count:
        raise _miss_addresses(plan.columns[plan.email_column])
    PairedAddresses.of(before, now).write(out_path)
    hashes, day = AddressHash.of(secret), task.submitted_at.date()
    keys, _ = gather_noes(cells, said, hashes, None, day)
    return keys, FileCounts(addresses=count_named([keys]))


def _plan_file(own: InputPlan, path: Path, name: str, scratch: Path) -> InputPlan:
    """Return how the file is read: as a project's list is, whose plan is ``own``."""
    head = read_head(path, name, scratch=scratch)
    choices = Choices()
    if own.sheet not in (None, head.sheet) and len(head.sheets) > 1:
        if own.sheet not in head.sheets:
            raise InputError(_NO_SHEET, hint=_NO_SHEET_HINT, name=word_columns([own.sheet or ""]))
        choices = Choices(sheet=own.sheet)
        head = read_head(path, name, choices, scratch=scratch)
    if not own.has_header and not head.is_named:
        head = read_head(path, name, replace(choices, has_header=False), scratch=scratch)
    second = _find_alike(head, own, own.second_email_column)
    email = _find_addresses(head, _find_alike(head, own, own.email_column), second)
    if own.second_email_column is not None and second is None and {*head.address_columns} - {email}:
        missing = word_columns([own.columns[own.second_email_column]])
        raise InputError(_NO_SECOND, hint=_ADDRESS_HINT, name=missing)
    heading = head.columns[email]
    column = heading if head.columns.count(heading) == 1 else email
    return plan_input(head, email_column=column, second_email_column=second)


def _find_alike(head: Head, own: InputPlan, place: int | None) -> int | None:
    """Return the file's only column with the name of a project's; None: there is none."""
    if place is None or head.columns == own.columns:
        return place
    heading = own.columns[place] if place < len(own.columns) else ""
    found = find_columns(head.columns, heading) if heading.strip() else ()
    return found[0] if len(found) == 1 else None


def _find_addresses(head: Head, named: int | None, second: int | None) -> int:
    """Return the email column: that of the project's name, else as a list's.

    Raises:
        InputError: It has no addresses where the file begins, and another column has, or it has
            something else.
    """
    place = find_column(head) if named is None else named
    read, holding = {place, second}, {*head.address_columns}
    scores = score_columns(head.columns, head.sample_rows)
    is_likely = any(
        one.valid or 2 * one.held >= one.filled > 0 for one in scores if one.place in read
    )
    if not (is_likely or read & holding) and (holding or doubt_column(head, place)):
        raise _miss_addresses(head.columns[place])
    return place


def _miss_addresses(column: str) -> InputError:
    hint, fault, name = _ADDRESS_HINT, FileFault.NO_EMAIL_COLUMN, word_columns([column])
    return InputError(_NO_ADDRESS, hint=hint, fault=fault, name=name)
