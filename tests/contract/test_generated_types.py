"""TypeScript types generated from the OpenAPI document do the main job, and compile the example."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.absent import give_up
from tests.contract.test_generated_client import RESULT
from tests.server import Server, get

HERE = Path(__file__).with_name("typescript")
EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "check.ts"
OPTIONS = (
    *("--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext"),
    *("--moduleResolution", "nodenext", "--types", "node", "--noEmitOnError"),
)


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the compiler and the generator."""
    folder = tmp_path_factory.mktemp("typescript")
    shutil.copy(HERE / "package.json", folder)
    npm = shutil.which("npm")
    done = npm and subprocess.run(
        [npm, "install", "--no-audit", "--no-fund"], cwd=folder, capture_output=True, timeout=600
    )
    if not done or done.returncode:
        give_up("TEST_CONTRACT", "npm cannot install the judges: TypeScript was NOT tried")
    return folder


def run(folder: Path, *command: str, **environ: str) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, **environ},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_generated_types_do_the_main_job(server: Server, key: str, node: Path) -> None:
    (node / "openapi.json").write_bytes(get(f"{server.api}/openapi.json").content)
    shutil.copy(HERE / "job.ts", node)
    run(
        node,
        "node_modules/.bin/openapi-typescript",
        "openapi.json",
        "-o",
        "winnow.d.ts",
        "--default-non-nullable=false",
    )
    run(node, "node_modules/.bin/tsc", *OPTIONS, "job.ts")
    assert run(node, "node", "job.js", server.api, key).encode() == RESULT


def test_the_example_gets_a_hundred_verdicts(server: Server, key: str, node: Path) -> None:
    shutil.copy(EXAMPLE, node)
    run(node, "node_modules/.bin/tsc", *OPTIONS, "check.ts")
    said = run(node, "node", "check.js", WINNOW_URL=server.api, WINNOW_KEY=key)
    assert len(said.splitlines()) == 100
