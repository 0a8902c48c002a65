"""What every room's tests share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.applications import Clock, open_test_application
from winnow.domain_data.loader import open_knowledge
from winnow.domain_data.look_up.look_up import Knowledge
from winnow.wiring import Application

TESTS = Path(__file__).parent
TOGETHER = ("browser", "faults", "contract")  # folders that share a browser, a machine, tools
SLOW = ("contract", "faults", "fuzz")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what is slow, and what one worker of xdist runs: a folder, else a file.

    Workers begin with the folders, which take longest, so that they end at about the same time.
    """
    for item in items:
        folder = _name_folder(item)
        group = folder if folder in TOGETHER else item.path.as_posix()
        item.add_marker(pytest.mark.xdist_group(group))
        if folder in SLOW:
            item.add_marker(pytest.mark.slow)
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: _name_folder(item) not in TOGETHER)


def _name_folder(item: pytest.Item) -> str:
    return item.path.relative_to(TESTS).parts[0]


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
