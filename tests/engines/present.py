"""Engines that the base run does not ask for; what is absent is said loudly."""

import importlib.util
import shutil

from tests.absent import give_up


def require_engine(name: str, program: str | None = None) -> None:
    """Skip a module's tests where an engine, or a program that it wants, is not installed.

    Where TEST_ENGINES=required, as in .ci/run, they fail instead.
    """
    absent = [] if importlib.util.find_spec(name) else [name]
    absent += [program] if program is not None and shutil.which(program) is None else []
    if absent:
        give_up("TEST_ENGINES", f"{' and '.join(absent)} not installed: {name} was NOT tried")
