"""CI's second run of failed tests, on lanes made for it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server import PROJECT

pytestmark = pytest.mark.slow
CONFTEST = "from tests.run_end import pytest_sessionfinish\n"
FLAKY = """
import pathlib
def test_{name}():
    run = pathlib.Path("{name}")
    before, _ = run.exists(), run.touch()
    assert before
"""
BROKEN = "def test_broken():\n    assert False\n"
SOUND = "def test_sound():\n    pass\n"
INTERRUPTED = """
import pathlib
def test_interrupted():
    if not pathlib.Path("again").exists():
        pathlib.Path("again").touch()
        raise KeyboardInterrupt
"""
SCRIPT = """set -euo pipefail
scratch=scratch
. "$1"
run_lane one "$2"
judge_flaky"""


def flaky(*names: str) -> str:
    return "".join(FLAKY.format(name=name) for name in names)


def run_lane(folder: Path, tests: str, command: str) -> subprocess.CompletedProcess[str]:
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_it.py").write_text(tests)
    (folder / "Makefile").write_text(f"it:\n\t{command}\n")
    environ = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
    return subprocess.run(
        ["/bin/bash", "-c", SCRIPT, "bash", str(PROJECT / ".ci" / "lane.sh"), "make it"],
        cwd=folder,
        env={**environ, "PYTHONPATH": str(PROJECT)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("workers", "tests", "is_good", "named", "runs"),
    [
        pytest.param(0, SOUND, True, [], 1, id="sound"),
        pytest.param(0, SOUND + flaky("a"), True, ["a"], 2, id="one-without-workers"),
        pytest.param(1, SOUND + flaky("a"), True, ["a"], 2, id="one"),
        pytest.param(1, flaky("a", "b") + SOUND, True, ["a", "b"], 2, id="two"),
        pytest.param(0, flaky("a", "b", "c"), False, [], 1, id="three"),
        pytest.param(1, flaky("a") + BROKEN, False, [], 2, id="one-fails-again"),
        pytest.param(1, flaky("a") + INTERRUPTED, False, [], 1, id="not-to-its-end"),
        pytest.param(0, "import nothing_of_this_name\n", False, [], 1, id="not-collected"),
    ],
)
def test_what_passes_the_second_time_is_flaky(
    tmp_path: Path, workers: int, tests: str, is_good: bool, named: list[str], runs: int
) -> None:
    command = f"{sys.executable} -m pytest -q -n {workers} test_it.py"
    done = run_lane(tmp_path, tests, command)
    assert (done.returncode == 0) is is_good, done
    listed = sorted({line for line in done.stdout.splitlines() if line.startswith("FLAKY ")})
    assert listed == [f"FLAKY test_it.py::test_{name}" for name in named]
    assert done.stdout.count(command) == runs


def test_a_lane_fails_by_what_is_no_test_too(tmp_path: Path) -> None:
    python = sys.executable
    done = run_lane(tmp_path, flaky("a"), f"{python} -m pytest -q test_it.py; false")
    assert done.returncode != 0
    assert "FLAKY" not in done.stdout
