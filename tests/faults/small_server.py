"""The server's lifespan without its pages, for tests that kill it; its worker can be held.

Says "ready" on standard output, and leaves in good order when standard input ends.
"""

import asyncio
import sys
from collections.abc import Sequence
from typing import Any

from winnow import serving
from winnow.core.errors import StartRefused
from winnow.services.tasks.supervisor import Supervisor

REFUSED = 3
HELD_WORKER = (sys.executable, "-m", "tests.faults.held_worker")


def supervise_held(command: Sequence[str], *rest: Any, **options: Any) -> Supervisor:
    """Make a supervisor of workers that can be held."""
    return Supervisor(HELD_WORKER, *rest, **options)


async def serve() -> None:
    """Serve until the input ends."""
    async with serving.lifespan(None):
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    serving.Supervisor = supervise_held  # type: ignore[assignment,misc]
    try:
        asyncio.run(serve())
    except StartRefused:
        sys.exit(REFUSED)
