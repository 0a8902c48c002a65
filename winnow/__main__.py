"""``python -m winnow``, the same as the command ``winnow``."""

import atexit
import gc
import sys
from collections.abc import Sequence
from functools import partial
from pkgutil import resolve_name

from winnow.cli.process import load_pyarrow, run

__all__ = ["main"]

_OF_LISTS = (["clean"], ["worker"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command as a process of a shell; see ``winnow.cli.commands.main``."""
    words = sys.argv[1:] if arguments is None else ()
    if words[:1] in _OF_LISTS and not any(word.startswith("--cl") for word in words):  # --cluster
        gc.disable()  # until the command is imported: imports leave no garbage
        atexit.register(gc.freeze)  # a last collection takes a tenth of a small list's time
        load_pyarrow()
    return run(partial(resolve_name, "winnow.cli.commands:main"), arguments)


if __name__ == "__main__":
    sys.exit(main())
