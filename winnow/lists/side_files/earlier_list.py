"""An earlier list's file: read and judged, compared with a finished project, and not kept."""

from pathlib import Path

from winnow.core.lists.side_files import FileCounts
from winnow.core.tasks.run_request import RunRequest
from winnow.core.tasks.task import KeyType, Task
from winnow.limited.messages import JudgeOffline
from winnow.lists.batch import run_batch
from winnow.lists.inspect import plan_run, read_head
from winnow.lists.marks.key_files import OwnKeys
from winnow.lists.marks.keyed_hash import AddressHash
from winnow.lists.marks.said_no import gather_noes
from winnow.lists.requests import BatchRequest
from winnow.lists.result.cell_table import CellReader
from winnow.lists.result.comparing import ComparedProject, PairedAddresses
from winnow.lists.result.consent_cells import read_consent
from winnow.lists.result.row_index import RowIndex
from winnow.lists.result.row_view import RowView


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
    plan, mail = task.plan, task.request.mail
    head = read_head(path, name, scratch=scratch)
    heading = plan.columns[plan.email_column] if plan.email_column < len(plan.columns) else ""
    column = heading if head.columns.count(heading) == 1 else None
    asked = RunRequest(email_column=column, repair=task.request.repair)
    plan, asked = plan_run(head, asked, finds_column=True)
    work = scratch / "run"
    work.mkdir()
    run_batch(BatchRequest(path, plan, judge_offline(KeyType.LIVE), work, lambda _: None, asked))
    cells = CellReader(work, plan)
    said = read_consent(cells, mail.without_strong(read_consent(cells, mail).columns))
    view = RowView.as_judged(RowIndex.open(work)).add_matches(said.list_reasons())
    now = CellReader(folder, task.plan)
    PairedAddresses.of(ComparedProject(cells, view), now).write(out_path)
    hashes, day = AddressHash.of(secret), task.submitted_at.date()
    keys, counts = gather_noes(cells, said, hashes, None, day)
    return keys, FileCounts(addresses=counts.noes)
