"""A looking process: answers the server's questions about uploads until its input ends.

``python -m winnow.inspector KNOWLEDGE_FOLDER REFRESHED_FOLDER``. It holds nothing that matters and
may be killed at any moment.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from winnow.core.errors import WinnowError
from winnow.core.faults import describe_fault
from winnow.services.inspection.inspections import FileQuestion
from winnow.services.inspection.messages import Reply, Request, pack, unpack
from winnow.services.judges import Judges

NICENESS = 5  # pages and API come first
_PRIVATE_UMASK = 0o077


def main() -> None:
    """Answer until the input ends."""
    os.umask(_PRIVATE_UMASK)
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    answers = _take_output()
    knowledge, refreshed = map(Path, sys.argv[1:3])
    judges = _open_judges(knowledge, refreshed)
    while isinstance(request := unpack(sys.stdin.buffer.read), Request):
        _limit_processor_time(request.cpu_seconds)
        answers.write(pack(_answer(judges, request.question)))
        answers.flush()


def _take_output() -> BinaryIO:
    """Keep the output for answers alone: whatever else is printed goes to the server's log."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return answers


def _open_judges(knowledge: Path, refreshed: Path) -> Judges:
    from winnow.domain_data.build.refreshed import read_mark
    from winnow.domain_data.loader import open_knowledge

    return Judges(
        lambda: open_knowledge(knowledge, refreshed), read_mark=lambda: read_mark(refreshed)
    )


def _answer(judges: Judges, question: FileQuestion[object] | None) -> Reply:
    try:
        if question is None:
            judges.knowledge()
            return Reply()
        return Reply(question.answer(judges.judge_offline))
    except (WinnowError, OSError) as error:
        return Reply(error=error)
    except Exception as error:
        return Reply(crash=describe_fault(error))


def _limit_processor_time(seconds: int) -> None:
    """Have the system end this process when it works longer, also where the server is gone."""
    with suppress(ImportError):  # Windows: there only the server watches
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        limit = int(used.ru_utime + used.ru_stime) + 1 + seconds
        soft = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()
