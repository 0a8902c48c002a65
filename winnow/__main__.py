"""``python -m winnow``, the same as the command ``winnow``."""

import sys
from collections.abc import Sequence

from winnow.cli.process import Main, run

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command as a process of a shell; see ``winnow.cli.commands.main``."""
    return run(_load, arguments)


def _load() -> Main:
    from winnow.cli import commands

    return commands.main


if __name__ == "__main__":
    sys.exit(main())
