"""Installations for the API's tests."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.api.desk import Caller, Desk, open_desk
from winnow.domain_data.look_up.look_up import Knowledge

OpenDesk = Callable[..., Desk]


@pytest.fixture(scope="session")
def set_up_folder(tmp_path_factory: pytest.TempPathFactory, knowledge: Knowledge) -> Path:
    """A data folder as it is after the first start; copying it costs less than setting one up."""
    folder = tmp_path_factory.mktemp("api") / "data"
    open_desk(folder, knowledge, {}).application.database.close()
    return folder


@pytest.fixture
def desk_with(tmp_path: Path, knowledge: Knowledge, set_up_folder: Path) -> Iterator[OpenDesk]:
    """Open an installation with settings, e.g. ``desk_with(WINNOW_RATE_LIMIT="3")``."""
    opened: list[Desk] = []

    def open_one(open_resolver: Any = None, **environ: str) -> Desk:
        folder = shutil.copytree(set_up_folder, tmp_path / f"data-{len(opened)}")
        desk = open_desk(folder, knowledge, environ, open_resolver=open_resolver)
        opened.append(desk)
        return desk

    yield open_one
    for desk in opened:
        desk.application.database.close()


@pytest.fixture
def desk(desk_with: OpenDesk) -> Desk:
    """An installation with the settings that everybody has, the rate limit aside."""
    return desk_with(WINNOW_RATE_LIMIT="off")


@pytest.fixture
def caller(desk: Desk) -> Caller:
    """A client of that installation, with a live key."""
    return desk.caller()


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """The event loop of tests that are coroutines."""
    return "asyncio"
