"""``python -m winnow``, the same as the command ``winnow``."""

import sys

from winnow.cli.commands import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
