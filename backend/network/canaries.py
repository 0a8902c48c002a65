"""Is anybody there? Asked before a batch, and when a batch falls silent."""

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from backend.network.channel import Channel
from backend.network.replies import Outcome, Question

CANARY_SECONDS = 0.4
CANARY_TRIES = 2
GRACE_SECONDS = 0.1  # once one server has answered, for the others
ROOT = "."


def find_alive(
    servers: Sequence[str],
    names: Sequence[str],
    *,
    read_time: Callable[[], float] = time.monotonic,
) -> tuple[str, ...]:
    """Return the servers that answer anything at all, SERVFAIL too, in the order given.

    Every server is asked at once for the root's name servers and the MX of a few names. The
    channels are new ones, so that nothing comes from a memory.

    Args:
        servers: As for ``Channel``; none: those of this machine.
        names: The first few domains of the batch.
        read_time: A monotonic clock.
    """
    questions = [(ROOT, Question.NS), *((name, Question.MX) for name in names)]
    alive: set[str] = set()
    with ExitStack() as stack:
        if not servers:
            servers = stack.enter_context(_open(())).servers
        waiting = {
            server: (stack.enter_context(_open((server,))), set[int]()) for server in servers
        }
        for channel, numbers in waiting.values():
            for number, (name, question) in enumerate(questions):
                numbers.add(number)
                channel.send(number, name, question)
        ends_at = read_time() + CANARY_SECONDS * CANARY_TRIES
        while waiting and read_time() < ends_at:
            for server, (channel, numbers) in list(waiting.items()):
                for number, reply in channel.receive(0.01 / len(waiting)):
                    numbers.discard(number)
                    if reply.outcome is not Outcome.SILENCE:
                        if not alive:
                            ends_at = min(ends_at, read_time() + GRACE_SECONDS)
                        alive.add(server)
                if server in alive or not numbers:
                    del waiting[server]
    return tuple(server for server in servers if server in alive)


def _open(servers: Sequence[str]) -> Channel:
    return Channel(servers, timeout_seconds=CANARY_SECONDS, tries=CANARY_TRIES)
