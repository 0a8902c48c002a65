"""Every example of the documents: run as it is written, or listed with why it is not."""

import os
import re
import shutil
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.applications import LIST
from tests.test_docs import NAMED, PAGES
from tests.waiting import PATIENCE_SECONDS
from tests.workbooks import write_workbook

PROJECT = Path(__file__).parents[1]
TEXTS = {name: page.read_text(encoding="utf-8") for name, page in zip(NAMED, PAGES, strict=True)}
CURL = 'curl -X POST -H "X-API-Key: $WINNOW_KEY" "http://localhost:8501/v1/external-api-requests/'
NOT_RUN = {
    "winnow serve": "runs until it is stopped: tests/server.py",
    "winnow mcp FOLDER": "serves standard input: tests/test_mcp.py",
    "winnow refresh": "asks hosts on the internet: tests/test_command_line.py",
    "winnow keys hook PREFIX --url URL": "needs the prefix of a key: tests/test_command_line.py",
    "winnow keys reset": "is for a lost secret: tests/test_command_line.py",
    "winnow people add NAME --role admin": "asks for a password: tests/api/test_people.py",
    "winnow people add ana --role admin": "the same",
    "winnow people add ...": "the same",
    "winnow restore winnow.tar.zst": "needs an empty folder: tests/storage/test_archive.py",
    "winnow clean 's3://bucket/*.parquet' --out s3://bucket/clean/ --cluster "
    "tcp://scheduler:8786": "needs a bucket and a scheduler: tests/engines/test_cluster.py",
    "winnow clean s3://bucket/list.csv --cluster tcp://scheduler:8786": "the same",
    CURL + 'check-email?email=ana@mailinator.com"': "needs a server: tests/contract",
    "schtasks": "is for Windows",
}
NOT_RUN_CODE = {
    "docs/engines.md": "needs the engines: tests/engines runs each by its heading",
    "network = winnow.open_network()\n": "asks DNS: tests/library/test_network.py",
    "standardwebhooks.": "needs a call of a hook: tests/services/test_hooks.py",
}
_COMMAND = re.compile(  # also behind a timer's hour, another command, or in a container
    r"(?:.*(?:/bin/|&& |--rm ))?((?:cat [\w.]+ \| )?(?:winnow|curl|schtasks) .+)"
)
_NAME_ONLY = re.compile(
    r"winnow [\w-]+(?: --[\w-]+)?|winnow (?:keys|people) \w+|winnow keys deliveries PREFIX"
)


def list_commands(name: str) -> list[str]:
    """Return the commands of a page: lines of its blocks, and those with arguments in its text."""
    blocks = "\n".join(re.findall(r"^```\w*\n(.*?)^```", TEXTS[name], re.MULTILINE | re.DOTALL))
    inline = re.findall(r"`([^`\n]+)`", TEXTS[name])
    places = [*blocks.splitlines(), *(one for one in inline if not _NAME_ONLY.fullmatch(one))]
    found = (call[1] for place in places if (call := _COMMAND.match(place)))
    return list(
        dict.fromkeys(one.partition("  ")[0].rstrip().replace("/srv/", "") for one in found)
    )


def list_code(name: str) -> list[str]:
    """Return the blocks of Python, and the calls with arguments in the text, which are one."""
    text = TEXTS[name]
    calls = re.findall(r"`((?:\w+ = )?(?:winnow|standardwebhooks)\.[^`\n]*\([^`\n…]*\))`", text)
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return blocks + (["\n".join(calls)] if calls else [])


COMMANDS = {name: commands for name in NAMED if (commands := list_commands(name))}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder that all pages share: what is known of domains is compiled once."""
    return tmp_path_factory.mktemp("examples") / "data"


def run(words: list[str], folder: Path, data: Path) -> None:
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environ = {**os.environ, "PATH": programs, "WINNOW_DATA_DIR": str(data)}
    done = subprocess.run(
        [shutil.which(words[0], path=programs) or words[0], *words[1:]],
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == 0, (words[-1], done.stdout, done.stderr)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the files that the documents name."""
    for name in ("list.csv", "jan.csv", "new.csv", "lists/a.csv", "lists/b.csv", "inbox/a.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(LIST)
    os.utime(tmp_path / "inbox/a.csv", (then := time.time() - 60, then))
    write_workbook(tmp_path / "feb.xlsx", [("email",), ("ana@gmail.com",)])
    (tmp_path / "cleaning.toml").write_text('keep = "first"\n')
    return tmp_path


@pytest.mark.parametrize("name", NAMED)
def test_programs_of_the_checkout_exist(name: str) -> None:
    named = set(re.findall(r"python -m ((?:benchmarks|winnow)[\w.]*)", TEXTS[name]))
    assert [one for one in named if find_spec(one) is None] == []


def test_every_example_that_is_not_run_is_still_there() -> None:
    found = {one for commands in COMMANDS.values() for one in commands}
    assert {one for one in NOT_RUN if not any(map(one.__eq__, found))} <= {"schtasks"}


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_commands_run_as_they_are_written(name: str, folder: Path, data: Path) -> None:
    run(["winnow", "keys", "create", "--name", "x", "--type", "live"], folder, data)
    for command in COMMANDS[name]:
        if command not in NOT_RUN and not command.startswith("schtasks"):
            run(["sh", "-c", command], folder, data)


@pytest.mark.slow
@pytest.mark.parametrize("name", [one for one in NAMED if list_code(one)])
def test_code_runs_as_it_is_written(name: str, folder: Path, data: Path) -> None:
    given = "import winnow, winnow.library.open_network\nvalues = ['ana@gmail.com', None]\n"
    for code in list_code(name):
        if name not in NOT_RUN_CODE and not code.startswith(tuple(NOT_RUN_CODE)):
            run([sys.executable, "-c", given + code], folder, data)
