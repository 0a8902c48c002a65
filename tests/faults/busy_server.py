"""A whole server that is at work with everything at once, for the storm that kills it.

python -m tests.faults.busy_server ACTORS SEED NOTES

Each actor does what clients do in an order that its seed gives. What was acknowledged is noted in
a file, a line each, each in one write that a kill cannot cut.
"""

import asyncio
import os
import random
import sys
import threading
from dataclasses import dataclass

from tests.faults.client import Client
from tests.faults.lists import MadeList, MadeWorkbook
from winnow import serving, wiring
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.tasks.task import Task, TaskState

ROW_COUNTS = (10, 2_000, 20_000, 60_000)
WORKBOOK_ROWS = 60
WAITING_MOST = 6  # lists; more would only wait
PROJECTS_MOST = 12
LONGEST_PAUSE_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Actor:
    """One busy client inside the server's process."""

    client: Client
    draw: random.Random

    def act(self, stopping: threading.Event) -> None:
        """Do one thing after another until the server stops."""
        client = self.client
        steps = {
            self.submit: 6,
            client.break_off_an_upload: 2,
            client.forget_an_upload: 1,
            client.discard_an_upload: 1,
            self.cancel: 1,
            self.delete: 1,
            client.sweep: 1,
            self.download: 2,
        }
        while not stopping.wait(self.draw.uniform(0, LONGEST_PAUSE_SECONDS)):
            (step,) = self.draw.choices(list(steps), list(steps.values()))
            client.attempt(step)

    def list_tasks(self) -> tuple[Task, ...]:
        return self.client.services.tasks.list(LOCAL_ACCOUNT)

    def submit(self) -> None:
        """Submit a list unless too many wait."""
        waiting = [one for one in self.list_tasks() if one.state is TaskState.PROCESSING]
        if len(waiting) < WAITING_MOST:
            seed, is_workbook = self.draw.randrange(1_000_000), self.draw.random() < 0.2
            text = MadeList(self.draw.choice(ROW_COUNTS), seed)
            self.client.submit(MadeWorkbook(WORKBOOK_ROWS, seed) if is_workbook else text)

    def cancel(self) -> None:
        if tasks := self.list_tasks():
            self.client.cancel(self.draw.choice(tasks))

    def delete(self) -> None:
        """Delete any project, where there are many."""
        tasks = self.list_tasks()
        if len(tasks) > PROJECTS_MOST // 2:
            self.client.delete(self.draw.choice(tasks))

    def download(self) -> None:
        """Read a file of any project that is completed."""
        if tasks := [one for one in self.list_tasks() if one.state is TaskState.COMPLETED]:
            self.client.download(self.draw.choice(tasks))


async def serve(actors: int, seed: int, notes: int) -> None:
    """Serve, with actors, until the input ends."""
    async with serving.lifespan(None):
        client = Client(wiring.services(), lambda line: os.write(notes, f"{line}\n".encode()))
        stopping = threading.Event()
        threads = [
            threading.Thread(
                target=Actor(client, random.Random(f"{seed} {number}")).act,
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
    file = os.open(sys.argv[3], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    asyncio.run(serve(int(sys.argv[1]), int(sys.argv[2]), file))
