"""A looking process: answers the server's questions about uploads until its input ends.

``python -m winnow.inspector KNOWLEDGE_FOLDER REFRESHED_FOLDER``. It has no state that must be kept
and may be killed at any moment.
"""

import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

from winnow.core.faults import write_log_lines
from winnow.environment import read_environment
from winnow.limited.messages import Question
from winnow.limited.serving import serve
from winnow.services.checks.judges import Judges


def main() -> None:
    """Answer until the input ends."""
    write_log_lines("inspector", as_json=read_environment(os.environ).json_log)
    from winnow.domain_data.build.refreshed import read_mark
    from winnow.domain_data.loader import open_knowledge

    compiled, refreshed = map(Path, sys.argv[1:3])
    open_one = partial(open_knowledge, compiled, refreshed)
    judges = Judges(open_one, read_mark=partial(read_mark, refreshed))

    def answer(question: Question[Any] | None) -> object:
        if question is not None:
            return question.answer(judges.judge_offline)
        judges.knowledge()
        return None

    serve(answer)


if __name__ == "__main__":
    main()
