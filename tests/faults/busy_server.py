"""A whole server that is at work with everything at once, for the storm that kills it.

python -m tests.faults.busy_server ACTORS SEED NOTES

Each actor uploads, breaks uploads off, submits, cancels, deletes, sweeps, and makes filtered
workbooks, in an order that its seed gives. What was acknowledged is noted in a file, a line each,
as a client would remember it. Errors that nobody decided are noted, too.
"""

import asyncio
import os
import random
import sys
import threading
from contextlib import suppress
from pathlib import Path

from tests.faults.lists import Made, MadeList, MadeWorkbook, name_project
from winnow import serving, wiring
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.errors import WinnowError
from winnow.core.faults import describe_fault
from winnow.core.lists.exports import Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import Variant
from winnow.core.tasks.task import Task, TaskState
from winnow.services.services import Services
from winnow.services.tasks.tasks import CANCELLED

ROW_COUNTS = (10, 2_000, 20_000, 60_000)
WORKBOOK_ROWS = 60
CHUNK_BYTES = 100_000
WAITING_MOST = 6  # lists; more would only wait
PROJECTS_MOST = 12
LONGEST_PAUSE_SECONDS = 0.2


class Notes:
    """Lines in a file, each whole: one write that a kill cannot cut."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def add(self, *words: str) -> None:
        """Add a line."""
        os.write(self._descriptor, f"{' '.join(words)}\n".encode())


class Actor:
    """One busy client inside the server's process."""

    def __init__(self, services: Services, draw: random.Random, notes: Notes) -> None:
        self._services = services
        self._draw = draw
        self._notes = notes

    def act(self, stopping: threading.Event) -> None:
        """Do one thing after another until the server stops."""
        steps = (
            (self._submit, 6),
            (self._break_off_an_upload, 2),
            (self._forget_an_upload, 1),
            (self._discard_an_upload, 1),
            (self._cancel, 1),
            (self._delete, 1),
            (self._sweep, 1),
            (self._download, 2),
        )
        while not stopping.wait(self._draw.uniform(0, LONGEST_PAUSE_SECONDS)):
            (step,) = self._draw.choices([s for s, _ in steps], [w for _, w in steps])
            try:
                step()
                self._notes.add("did", step.__name__)
            except WinnowError:
                pass  # decided: gone meanwhile, cancelled, full
            except Exception as error:
                self._notes.add("error", step.__name__, describe_fault(error).replace(" ", "-"))

    def _submit(self) -> None:
        tasks = self._services.tasks.list(LOCAL_ACCOUNT)
        if sum(task.state is TaskState.PROCESSING for task in tasks) >= WAITING_MOST:
            return
        seed = self._draw.randrange(1_000_000)
        made: Made = MadeList(self._draw.choice(ROW_COUNTS), seed)
        name = "list.csv"
        if self._draw.random() < 0.2:
            made, name = MadeWorkbook(WORKBOOK_ROWS, seed), "list.xlsx"
        content = made.content
        with self._services.uploads.begin(LOCAL_ACCOUNT, name, len(content)) as writer:
            for start in range(0, len(content), CHUNK_BYTES):
                writer.write(content[start : start + CHUNK_BYTES])
            upload = writer.receive()
        task = self._services.tasks.submit(LOCAL_ACCOUNT, upload, project_name=name_project(made))
        self._notes.add("submitted", task.task_id, name_project(made))

    def _break_off_an_upload(self) -> None:
        with self._services.uploads.begin(LOCAL_ACCOUNT, "a.csv", CHUNK_BYTES) as writer:
            writer.write(b"x" * (CHUNK_BYTES // 2))

    def _forget_an_upload(self) -> None:
        writer = self._services.uploads.begin(LOCAL_ACCOUNT, "a.csv", None)
        writer.write(b"x" * CHUNK_BYTES)  # its client has gone, and nobody notices

    def _discard_an_upload(self) -> None:
        upload = self._services.uploads.stage_sample(LOCAL_ACCOUNT)
        self._services.uploads.discard(LOCAL_ACCOUNT, upload.upload_id)

    def _choose(self) -> Task | None:
        tasks = self._services.tasks.list(LOCAL_ACCOUNT)
        return self._draw.choice(tasks) if tasks else None

    def _cancel(self) -> None:
        if task := self._choose():
            after = self._services.tasks.cancel(LOCAL_ACCOUNT, task.task_id)
            if after.error is not None and after.error["code"] == CANCELLED["code"]:
                self._notes.add("cancelled", task.task_id)

    def _delete(self) -> None:
        tasks = self._services.tasks.list(LOCAL_ACCOUNT)
        if len(tasks) > PROJECTS_MOST // 2:
            task = self._draw.choice(tasks)
            self._services.tasks.delete(LOCAL_ACCOUNT, task.task_id)
            self._notes.add("deleted", task.task_id)

    def _sweep(self) -> None:
        self._services.retention.sweep(self._services.clock())

    def _download(self) -> None:
        task = self._choose()
        if task is None or task.state is not TaskState.COMPLETED:
            return
        is_workbook = task.plan.file_format is FileFormat.XLSX
        variant = Variant.REMOVED if is_workbook else Variant.AUGMENTED
        link = self._services.downloads.issue(LOCAL_ACCOUNT, task.task_id, Export(variant))
        opened = self._services.downloads.open(link.path.rpartition("/")[2])
        if opened.path is not None:
            with suppress(FileNotFoundError):  # deleted this moment
                opened.path.read_bytes()


async def serve(actors: int, seed: int, notes: Notes) -> None:
    """Serve, with actors, until the input ends."""
    async with serving.lifespan(None):
        services = wiring.services()
        stopping = threading.Event()
        threads = [
            threading.Thread(
                target=Actor(services, random.Random(f"{seed} {number}"), notes).act,
                args=(stopping,),
                daemon=True,
            )
            for number in range(actors)
        ]
        for thread in threads:
            thread.start()
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.read)
        stopping.set()
        for thread in threads:
            await asyncio.to_thread(thread.join)


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), int(sys.argv[2]), Notes(Path(sys.argv[3]))))
