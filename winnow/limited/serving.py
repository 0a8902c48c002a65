"""The inside of a limited process: it answers questions until its input ends.

``python -m winnow.limited.serving`` answers those that need no judge.
"""

import os
import sys
from collections.abc import Callable
from typing import Any

from winnow.core.errors import WinnowError
from winnow.core.faults import describe_fault
from winnow.limited.messages import Question, Reply, Request, pack, unpack

NICENESS = 10  # pages and the API come first
_PRIVATE_UMASK = 0o077


def serve(answer: Callable[[Any], object]) -> None:
    """Answer until the input ends; errors of the product or of the disk are answers too."""
    os.umask(_PRIVATE_UMASK)
    lower_priority()
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # other prints go to the error stream
    while isinstance(request := unpack(sys.stdin.buffer.read), Request):
        _limit_processor_time(request.cpu_seconds)
        try:
            reply = Reply(answer(request.question))
        except (WinnowError, OSError) as error:
            reply = Reply(error=error)
        except Exception as error:
            reply = Reply(crash=describe_fault(error))
        answers.write(pack(reply))
        answers.flush()


def lower_priority() -> None:
    """Let other processes come first; call it before libraries start threads, which keep theirs."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)


def _limit_processor_time(seconds: int) -> None:
    """Set the system's limit of processor time, which holds also if the owner is gone."""
    if sys.platform != "win32":  # there only the owner watches
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        limit = int(used.ru_utime + used.ru_stime) + 1 + seconds
        soft = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    serve(Question.answer)
