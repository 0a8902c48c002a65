"""The server's lifespan without its pages, for tests that kill it.

Says "ready" on standard output, and leaves in good order when standard input ends.
"""

import asyncio
import sys

from backend.bootstrap import lifespan
from backend.core.errors import StartRefused


async def serve() -> None:
    """Serve until the input ends."""
    async with lifespan(None):
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    try:
        asyncio.run(serve())
    except StartRefused:
        sys.exit(3)
