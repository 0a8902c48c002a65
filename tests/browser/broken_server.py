"""The app with services that fail on demand: ``python -m tests.browser.broken_server PORT FOLDER``.

What fails is named by the files in FOLDER at that moment.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import uvicorn

from winnow.services.accounts.accounts import Keys
from winnow.services.accounts.usage import Usage
from winnow.services.network.network import Network
from winnow.services.own.own_lists import OwnListBook
from winnow.services.tasks.deletions import Deletions

ADDRESS = "ana@secret.example"
BREAKABLE = {
    "keys.list": (Keys, "list"),
    "usage.storage": (Usage, "storage"),
    "own_lists.add": (OwnListBook, "add"),
    "deletions.delete": (Deletions, "delete"),
    "network.status_text": (Network, "status_text"),
}


def _make_breakable(owner: object, attribute: str, flag: Path) -> None:
    whole: Callable[..., object] = getattr(owner, attribute)

    def call(*args: object, **kwargs: object) -> object:
        if flag.exists():
            raise ValueError(f"{ADDRESS} is not in list")
        return whole(*args, **kwargs)

    setattr(owner, attribute, call)


def main(port: int, folder: Path) -> None:
    """Serve until the process is ended."""
    for name, (owner, attribute) in BREAKABLE.items():
        _make_breakable(owner, attribute, folder / name)
    uvicorn.run("app:app", host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
