"""What every room's tests share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.applications import Clock, open_test_application
from winnow.domain_data.loader import open_knowledge
from winnow.domain_data.look_up.look_up import Knowledge
from winnow.wiring import Application


@pytest.fixture(scope="session")
def knowledge(pytestconfig: pytest.Config) -> Knowledge:
    """The real domain data, compiled once and kept in pytest's cache from run to run."""
    assert pytestconfig.cache is not None
    return open_knowledge(pytestconfig.cache.mkdir("knowledge"))


@pytest.fixture
def clock() -> Clock:
    """A clock that stands still until the test moves it."""
    return Clock()


@pytest.fixture
def opened(tmp_path: Path, clock: Clock) -> Iterator[Application]:
    """A backend of its own for each test."""
    built = open_test_application(tmp_path, clock)
    yield built
    built.database.close()
