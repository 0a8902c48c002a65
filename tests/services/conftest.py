"""Backends whose data folder must add up after each test."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.applications import OpenApplication
from winnow.services.tasks.integrity import find_faults
from winnow.wiring import Application


@pytest.fixture
def damages() -> None:
    """For tests that change files behind Winnow's back, or leave an upload unfinished."""


@pytest.fixture
def open_application(
    open_application: OpenApplication, request: pytest.FixtureRequest
) -> Iterator[OpenApplication]:
    """Open backends; files, rows and counters must agree in the end, unless a test ``damages``."""
    opened: list[Application] = []

    def open_one(**options: Any) -> Application:
        opened.append(open_application(**options))
        return opened[-1]

    yield open_one
    if "damages" not in request.fixturenames:
        for one in opened:
            assert find_faults(one.database, one.blobs) == ()
