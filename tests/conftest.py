"""What every room's tests share."""

import faulthandler
import os
import shlex
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key
from hypothesis import is_hypothesis_test, settings
from sqlalchemy import Engine, create_engine

from tests.applications import Clock, OpenApplication, open_test_application
from tests.folders import set_up_data_folder
from tests.run_end import pytest_sessionfinish  # noqa: F401  # a hook
from tests.server import STARTS, Server, start_server
from winnow.cli.commands import main
from winnow.domain_data.loader import open_knowledge
from winnow.domain_data.look_up.look_up import Knowledge
from winnow.services.accounts import people
from winnow.storage.database import database
from winnow.wiring import Application

LANES = ("browser", "contract", "engines", "faults", "fuzz")  # folders that `make` runs one by one
JOURNEY = "test_one_journey.py"  # of the browser: part of the README's command
LONGEST = ("test_image_build.py", "test_accuracy_page.py", "test_examples.py")  # begin first
QUICK_SECONDS = 300  # the limit of one test: a hundred times what the slowest takes
SLOW_SECONDS = 0 if "FUZZ_EXAMPLES" in os.environ else 1200  # the long mode of fuzzing has none
IN_MEMORY = Path("/dev/shm")  # noqa: S108  # of Linux: no quick test waits for a disk there
MEMORY_LEAST_BYTES = 4 << 30
GRACE_SECONDS = 100  # after which the process ends, if the limit has not stopped the test

settings.register_profile("no deadline", settings(), deadline=None)  # however busy the machine is
settings.load_profile("no deadline")


def pytest_configure(config: pytest.Config) -> None:
    """Leave slow tests out of a run that names neither folders nor marks: the README's command.

    Where there is room, the folders of quick tests are in memory; a slow test has those of a disk.
    """
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS and not config.option.markexpr:
        config.option.markexpr = "not slow"
    if config.option.markexpr == "not slow" and has_room_in_memory():
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(IN_MEMORY))


def has_room_in_memory() -> bool:
    return IN_MEMORY.is_dir() and shutil.disk_usage(IN_MEMORY).free > MEMORY_LEAST_BYTES


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name bytes by their argument: packed ones hold the time, and xdist compares names."""
    return argname if isinstance(val, bytes) else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow what ``is_bulk``; give each test its limit; begin with the longest files."""
    items.sort(key=lambda item: item.path.name not in LONGEST)
    for item in items:
        if is_bulk(item):
            item.add_marker(pytest.mark.slow)
        slow = item.get_closest_marker("slow")
        item.add_marker(pytest.mark.timeout(SLOW_SECONDS if slow else QUICK_SECONDS))


def is_bulk(item: pytest.Item) -> bool:
    """Return whether a test is one of a lane's folder, or draws lists in bulk (hypothesis)."""
    folder = item.path.parent.name
    if folder == "lists":
        return is_hypothesis_test(getattr(item, "obj", None))
    return folder in LANES and item.path.name != JOURNEY


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Begin the last resort against a hang."""
    end_process_later(item)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Begin it again: pytest and pytest-timeout give up their limits when a test fails."""
    end_process_later(item)


def end_process_later(item: pytest.Item) -> None:
    """End this process, with its stacks, if pytest-timeout's signal does not stop the test.

    C code that holds the interpreter is not reached by it. xdist names the test and ends the run.
    """
    limit = item.get_closest_marker("timeout").args[0]  # type: ignore[union-attr]
    if limit:
        stderr = item.config.stash[fault_handler_stderr_fd_key]
        faulthandler.dump_traceback_later(limit + GRACE_SECONDS, exit=True, file=stderr)


@pytest.fixture(scope="session")
def knowledge(pytestconfig: pytest.Config) -> Knowledge:
    """The real domain data, compiled once and kept in pytest's cache from run to run."""
    assert pytestconfig.cache is not None
    return open_knowledge(pytestconfig.cache.mkdir("knowledge"))


@pytest.fixture(scope="session")
def set_up_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder as it is after the first start; copying it costs less than setting one up."""
    root = tmp_path_factory.mktemp("set-up")
    open_test_application(root, Clock()).database.close()
    return root / "data"


@pytest.fixture
def data_dir(tmp_path: Path, pytestconfig: pytest.Config, knowledge: Knowledge) -> Path:
    """A data folder for other processes, with the domain data that is compiled already."""
    return set_up_data_folder(tmp_path / "data", pytestconfig.cache.mkdir("knowledge"))


@pytest.fixture(scope="module", params=STARTS)
def start(request: pytest.FixtureRequest) -> Callable[[int], Sequence[str]]:
    """Each of the two ways to start the server, as what writes its command for a port."""
    return STARTS[request.param]


@pytest.fixture(scope="module")
def serve(
    tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config, knowledge: Knowledge
) -> Iterator[Callable[..., Server]]:
    """Start servers, each on a data folder of its own, that end with the tests of a file."""
    servers: list[Server] = []

    def start(environ: dict[str, str] | None = None, **options: Any) -> Server:
        compiled = pytestconfig.cache.mkdir("knowledge")
        folder = set_up_data_folder(tmp_path_factory.mktemp("server") / "data", compiled)
        servers.append(start_server(folder, environ, **options))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


@dataclass(frozen=True, slots=True)
class Terminal:
    """Runs commands in this process, as they are typed in a folder of their own."""

    folder: Path
    output: pytest.CaptureFixture[str]

    def run(self, line: str, *, code: int = 0) -> tuple[str, str]:
        """Run a command that must end with a code; return what it wrote to out and to err."""
        self.output.readouterr()
        found = main(shlex.split(line)[1:])
        out, err = self.output.readouterr()
        assert found == code, (out, err)
        return out, err

    def write(self, name: str, content: bytes) -> Path:
        """Write a file of the folder."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def list_files(self) -> list[str]:
        """Return the names of all that is in the folder."""
        return sorted(path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*"))


@pytest.fixture
def terminal(
    tmp_path: Path,
    data_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Terminal:
    """A folder to work in, and a data folder beside it."""
    folder = tmp_path / "lists"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("WINNOW_DATA_DIR", str(data_dir))
    return Terminal(folder, capsys)


@pytest.fixture(scope="session", autouse=True)
def _cheap_passwords() -> Iterator[None]:
    """Hash the passwords of this process in a thousandth of the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(people, "SCRYPT_N", 16)
        yield


@pytest.fixture(scope="session", autouse=True)
def _statements_compiled_once() -> Iterator[None]:
    """Let all databases share what SQLAlchemy compiles: a third of a short list's cost."""
    first: list[Engine] = []

    def create(*arguments: Any, **options: Any) -> Engine:
        engine = create_engine(*arguments, **options)
        first.append(engine)
        engine.dialect, engine._compiled_cache = first[0].dialect, first[0]._compiled_cache
        del first[1:]
        return engine

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "create_engine", create)
        yield


@pytest.fixture
def clock() -> Clock:
    """A clock that stands still until the test moves it."""
    return Clock()


@pytest.fixture
def open_application(
    tmp_path: Path, clock: Clock, set_up_folder: Path
) -> Iterator[OpenApplication]:
    """Open backends with settings and doubles, all on the test's one data folder."""
    shutil.copytree(set_up_folder, tmp_path / "data")
    applications: list[Application] = []

    def open_one(**options: Any) -> Application:
        applications.append(open_test_application(tmp_path, clock, **options))
        return applications[-1]

    yield open_one
    for application in applications:
        application.database.close()


@pytest.fixture
def opened(open_application: OpenApplication) -> Application:
    """A backend of its own for each test."""
    return open_application()
