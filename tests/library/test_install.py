"""The library alone, as a cluster's workers install it: the wheel and a few packages."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
MOST_MB = 470
ABSENT = ("streamlit", "pandas", "plotly", "duckdb", "sqlalchemy", "starlette", "babel")
TRY = """
import importlib.util, sys, winnow
absent, source, target = sys.argv[1].split(), *sys.argv[2:]
assert not [name for name in absent if importlib.util.find_spec(name)], absent
assert winnow.check("ana@gmial.com").suggestion == "ana@gmail.com"
assert [one.category.value for one in winnow.check_column(["a@mailinator.com"])] == ["black"]
try:
    winnow.open_network()
except ImportError as error:
    assert "pip install" in str(error)
else:
    raise AssertionError
import pyarrow as pa
assert winnow.duplicate_keys(pa.array([" A@B.de"])).to_pylist() == ["a@b.de"]
assert winnow.clean(source, target).by_category == {"white": 1, "black": 1}
"""


@pytest.mark.slow
def test_the_wheel_needs_what_the_file_names_and_no_more(tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"

    def run(*command: str | Path, folder: Path = tmp_path, **environ: str) -> None:
        environment = {**os.environ, **environ}
        subprocess.run(list(map(str, command)), check=True, cwd=folder, env=environment)

    build = sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path
    run(*build, folder=PROJECT)
    (wheel,) = tmp_path.glob("*.whl")
    pip = python, "-m", "pip", "install", "-q", "--no-compile"
    run(*pip, "-r", PROJECT / "requirements-library.txt")
    run(*pip, "--no-deps", wheel)
    (tmp_path / "list.csv").write_text("id,email\n1,ana@gmail.com\n2,x@mailinator.com\n")
    environ = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    run(python, "-c", TRY, " ".join(ABSENT), "list.csv", "out.csv", **environ)
    assert (tmp_path / "out.csv").read_text().splitlines()[2] == (
        "2,x@mailinator.com,black,disposable"
    )
    tools = ("pip", "setuptools")
    size = sum(
        path.stat().st_size
        for path in (tmp_path / "env").rglob("*")
        if path.is_file() and not path.is_symlink() and not set(tools) & set(path.parts)
    )
    assert size < MOST_MB * 1_000_000, size
