"""A client that notes what was acknowledged, and what must be true of a folder by its notes."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from tests.applications import delete_for_good
from tests.faults.invariants import require_sound
from tests.faults.lists import MadeList, MadeWorkbook, name_project, read_project
from winnow.core.errors import WinnowError
from winnow.core.faults import describe_fault
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.exports import Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import Variant
from winnow.core.tasks.task import Task
from winnow.services.services import Services
from winnow.services.tasks.tasks import CANCELLED
from winnow.wiring import Application

CHUNK_BYTES = 100_000


@dataclass(frozen=True, slots=True)
class Client:
    """Uploads, submits, cancels, deletes. Each note is a line: a word, then ids and names."""

    services: Services
    note: Callable[[str], object]
    decided: tuple[type[Exception], ...] = (WinnowError,)

    def attempt(self, step: Callable[..., Any], *given: Any) -> Any:
        """Do a step; return its value. None where it fails, which is noted if nobody decided it."""
        try:
            made = step(*given)
        except self.decided:
            return None
        except Exception as error:
            self.note(f"error {step.__name__} {describe_fault(error).replace(' ', '-')}")
            return None
        self.note(f"did {step.__name__}")
        return made

    def submit(self, made: MadeList) -> Task:
        name = "list.xlsx" if isinstance(made, MadeWorkbook) else "list.csv"
        services, content = self.services, made.content
        with services.uploads.begin(LOCAL_ACCOUNT, name, len(content)) as writer:
            for start in range(0, len(content), CHUNK_BYTES):
                writer.write(content[start : start + CHUNK_BYTES])
            upload = writer.receive()
        task = services.tasks.submit(LOCAL_ACCOUNT, upload, project_name=name_project(made))
        self.note(f"submitted {task.task_id} {name_project(made)}")
        return task

    def break_off_an_upload(self) -> None:
        with self.services.uploads.begin(LOCAL_ACCOUNT, "a.csv", CHUNK_BYTES) as writer:
            writer.write(b"x" * (CHUNK_BYTES // 2))

    def forget_an_upload(self) -> None:
        """Be gone in the middle of an upload, and nobody notices."""
        writer = self.services.uploads.begin(LOCAL_ACCOUNT, "a.csv", None)
        writer.write(b"x" * CHUNK_BYTES)

    def discard_an_upload(self) -> None:
        upload = self.services.uploads.stage_sample(LOCAL_ACCOUNT)
        self.services.uploads.discard(LOCAL_ACCOUNT, upload.upload_id)

    def cancel(self, task: Task) -> None:
        after = self.services.tasks.cancel(LOCAL_ACCOUNT, task.task_id)
        if after.error is not None and after.error["code"] == CANCELLED["code"]:
            self.note(f"cancelled {task.task_id}")

    def delete(self, task: Task) -> None:
        delete_for_good(self.services, task.task_id)
        self.note(f"deleted {task.task_id}")

    def sweep(self) -> None:
        self.services.retention.sweep(self.services.clock())

    def download(self, task: Task) -> None:
        """Read a file of a project: the stored one, or a workbook that is made for it."""
        is_workbook = task.plan.file_format is FileFormat.XLSX
        export = Export(Variant.REMOVED if is_workbook else Variant.AUGMENTED)
        link = self.services.downloads.issue(LOCAL_ACCOUNT, task.task_id, export)
        sent = self.services.downloads.open(link.path.rpartition("/")[2])
        if sent.path is not None:
            with suppress(FileNotFoundError):  # deleted this moment
                sent.path.read_bytes()


def judge_notes(opened: Application, lines: Iterable[str]) -> dict[str, MadeList]:
    """Hold a folder, on which nothing runs, to what was acknowledged; return all its lists.

    Raises:
        AssertionError: Says which promise is broken, or what nobody decided.
    """
    submitted: dict[str, MadeList] = {}
    ended: dict[str, set[str]] = {"cancelled": set(), "deleted": set()}
    errors: list[str] = []
    for line in lines:
        match line.split(maxsplit=2):
            case ["submitted", task_id, name]:
                submitted[task_id] = read_project(name)
            case ["cancelled" | "deleted" as how, task_id]:
                ended[how].add(task_id)
            case ["did", _]:
                pass
            case _:
                errors.append(line)
    assert not errors, errors
    for task in opened.services.tasks.list(LOCAL_ACCOUNT):  # its answer may have been cut off
        submitted.setdefault(task.task_id, read_project(task.project_name))
    require_sound(opened, submitted, **ended)
    return submitted
