"""What every room's tests share."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.applications import Clock, open_test_application
from winnow.domain_data.loader import open_knowledge
from winnow.domain_data.look_up.look_up import Knowledge
from winnow.wiring import Application

TOGETHER = ("browser", "faults", "contract")  # folders that share a browser, a machine, tools
SLOW = ("contract", "faults", "fuzz")

settings.register_profile("no deadline", settings(), deadline=None)  # however busy the machine is
settings.load_profile("no deadline")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what is slow; let workers begin with the folders, which take longest."""
    for item in items:
        if name_folder(item.nodeid) in SLOW:
            item.add_marker(pytest.mark.slow)
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: name_folder(item.nodeid) not in TOGETHER)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """Keep a folder of ``TOGETHER``, or else a file, in one worker.

    The marks of ``--dist loadgroup`` do nothing in xdist 3.8 under pytest 9.2.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByFolder(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            folder = name_folder(nodeid)
            return folder if folder in TOGETHER else nodeid.partition("::")[0]

    return ByFolder(config, log)


def name_folder(nodeid: str) -> str:
    """Return the folder below ``tests`` that a test stands in."""
    return nodeid.split("/")[1]


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
