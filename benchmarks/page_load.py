"""Load by people: visitors use pages over WebSockets while lists are cleaned.

``python -m benchmarks.page_load``: 20 minutes of rounds of 20 visitors who hold their sessions,
first without lists, then while 40 lists of 50,000 rows are cleaned. Prints how long pages took in
both, how long the lists took, and the server's memory after each round. Fails if a page has an
exception or is not drawn, or if a list is not completed with all its rows.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from benchmarks.list_data import write_list
from benchmarks.load import Outcome, is_decided, queue_lists, read_resident_bytes
from benchmarks.visitor import open_visitor
from tests.server import Server, create_key, start_server, write_command

VISITORS = 20
LISTS = 40
ROWS = 50_000
MINUTES = 20.0
QUIET_SECONDS = 60.0  # of a round, before its lists
WARM_UP_SECONDS = 20.0
POLL_SECONDS = 1.0  # of a list's client; the API's examples wait five
NICENESS = 5
THINK_SECONDS = (2.0, 6.0)  # between two pages of a visitor
PATHS = ("", "clean", "projects", "project", "rules", "settings")
QUIET, BUSY = "page without lists", "page with lists"
ENVIRON = {"WINNOW_QUOTA_BYTES": "100000000000"}


def write_later_command(port: int) -> tuple[str, ...]:
    """Return how the server starts: after the visitors, who would be on other machines."""
    return ("nice", f"-n{NICENESS}", *write_command(port))


async def visit(
    server: Server, task_id: str, is_over: Callable[[], bool], name_kind: Callable[[], str]
) -> Outcome:
    """Open one page after another, with pauses; fragments refresh as in a browser."""
    outcome, chance = Outcome(), random.Random()  # noqa: S311 - a simulation
    paths: list[str] = []  # all pages in turn, in another order each time: none is left to chance
    await asyncio.sleep(chance.uniform(0, THINK_SECONDS[1]))
    async with open_visitor(server.port) as visitor:
        await visitor.draw()  # the session's first page brings the names of the others
        while not is_over():
            paths = paths or chance.sample(PATHS, len(PATHS))
            path, kind = paths.pop(), name_kind()
            query = f"task={task_id}" if path == "project" else ""
            begun = time.perf_counter()
            await visitor.draw(path, query)
            outcome.seconds[kind].append(time.perf_counter() - begun)
            pause = chance.uniform(*THINK_SECONDS)
            while (rerun := visitor.rerun) is not None and pause > rerun.interval:
                await asyncio.sleep(rerun.interval)
                pause -= rerun.interval
                await visitor.draw(path, query, rerun.fragment_id)
            await asyncio.sleep(pause)
        for fault, count in visitor.faults.items():
            outcome.answers[fault, 500] += count
    return outcome


def clean_lists(api: str, key: str, path: Path, poll_seconds: float, count: int) -> Outcome:
    """Send the same list several times, and poll until all have ended; in a process of its own."""
    outcome = Outcome()
    contents = [path.read_bytes()] * count
    begun = time.monotonic()
    asyncio.run(queue_lists(api, key, contents, outcome, poll_seconds=poll_seconds))
    outcome.seconds["all lists"].append(time.monotonic() - begun)
    return outcome


async def run_round(
    server: Server,
    clean: Callable[[int], Awaitable[Outcome]],
    task_id: str,
    options: argparse.Namespace,
    outcome: Outcome,
) -> None:
    """Let visitors use pages for a while without lists, then until the lists are cleaned."""
    kind = QUIET

    async def send() -> None:
        nonlocal kind
        await asyncio.sleep(options.quiet)
        kind = BUSY
        outcome.add(await clean(options.lists))

    cleaning = asyncio.create_task(send())
    visits = (visit(server, task_id, cleaning.done, lambda: kind) for _ in range(VISITORS))
    for seen in await asyncio.gather(*visits):
        outcome.add(seen)
    await cleaning
    outcome.resident_bytes.append(read_resident_bytes(server))


def run_page_load(root: Path, options: argparse.Namespace) -> Outcome:
    """Put load on a server of its own until the minutes are over, one round at least."""
    outcome = Outcome()
    write_list(root / "list.csv", ROWS)
    environ = {**ENVIRON, "WINNOW_WORKERS": str(options.workers)}
    server = start_server(root / "data", environ, command=write_later_command)
    # The visitors' pages are timed here: no list client may make them wait.
    clients = ProcessPoolExecutor(1, get_context("spawn"))
    try:
        key = create_key(server)
        run = partial(clean_lists, server.api, key, root / "list.csv", options.poll)
        (task_id,) = clients.submit(run, 1).result().task_ids

        def clean(count: int) -> Awaitable[Outcome]:
            return asyncio.get_running_loop().run_in_executor(clients, run, count)

        until = time.monotonic() + WARM_UP_SECONDS
        asyncio.run(visit(server, task_id, lambda: time.monotonic() > until, lambda: QUIET))
        over = time.monotonic() + 60 * options.minutes
        while not outcome.resident_bytes or time.monotonic() < over:
            asyncio.run(run_round(server, clean, task_id, options, outcome))
    finally:
        clients.shutdown()
        server.stop()
    return outcome


def main() -> int:
    """Run at full size, or as the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=MINUTES)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--lists", type=int, default=LISTS)
    parser.add_argument("--poll", type=float, default=POLL_SECONDS, help="seconds between polls")
    parser.add_argument("--quiet", type=float, default=QUIET_SECONDS, help="seconds without lists")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="winnow-load-") as root:
        outcome = run_page_load(Path(root), options)
    print(outcome.describe())
    ratio = outcome.find_percentile(BUSY, 95) / outcome.find_percentile(QUIET, 95)
    lost = outcome.answers["list", 200] * ROWS - outcome.row_count
    print(f"ratio of p95: {ratio:.2f}\nrows lost: {lost}")
    return 0 if is_decided(outcome) and not lost else 1


if __name__ == "__main__":
    sys.exit(main())
