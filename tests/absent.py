"""Programs that are not on each machine: tests of them are skipped, or fail where required."""

import os
from typing import NoReturn

import pytest


def give_up(variable: str, message: str) -> NoReturn:
    """Skip a test or a module, or fail where a variable of the environment says ``required``."""
    if os.environ.get(variable) == "required":
        pytest.fail(message, pytrace=False)
    pytest.skip(message, allow_module_level=True)
