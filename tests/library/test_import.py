"""``import winnow``: what it costs, what it opens, where the domain data is kept."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = (
    "numpy", "polars", "pyarrow", "pandas", "duckdb", "streamlit", "sqlalchemy", "starlette",
    "plotly", "openpyxl", "httpx",
)  # fmt: skip


def run_python(code: str, cache: Path, **environ: str) -> str:
    """Run code in a process of its own whose caches and data are in one folder."""
    folders = {
        "XDG_CACHE_HOME": str(cache),
        "XDG_DATA_HOME": str(cache / "data"),
        "HOME": str(cache),
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, check=True, env={**os.environ, **folders, **environ},
    )  # fmt: skip
    return done.stdout.strip()


def test_the_import_brings_nothing_and_opens_nothing(tmp_path: Path) -> None:
    code = f"import sys, winnow; print([one for one in {HEAVY} if one in sys.modules])"
    assert run_python(code, tmp_path) == "[]"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_data_is_compiled_once_into_the_cache_folder(tmp_path: Path) -> None:
    code = (
        "import sys, winnow; print(winnow.check('ana@mailinator.com').category.value, "
        f"[one for one in {HEAVY} if one in sys.modules])"
    )
    assert run_python(code, tmp_path) == "black []"
    (compiled,) = (tmp_path / "winnow" / "domain-data").iterdir()
    made = compiled.stat().st_mtime_ns
    assert run_python(code, tmp_path) == "black []"
    assert [path.stat().st_mtime_ns for path in compiled.parent.iterdir()] == [made]
    assert not (tmp_path / "data").exists()


@pytest.mark.slow
def test_many_processes_may_begin_together(tmp_path: Path) -> None:
    code = "import winnow; print(winnow.check('ana@mailinator.com').category.value)"
    environ = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path)}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environ
        )
        for _ in range(4)
    ]
    assert [process.communicate()[0].strip() for process in started] == ["black"] * 4
    assert len(list((tmp_path / "winnow" / "domain-data").iterdir())) == 1


@pytest.mark.slow
def test_without_a_folder_the_data_is_in_memory(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("a file where the folder would be")
    code = "import winnow; print(winnow.check('ana@mailinator.com').category.value)"
    assert run_python(code, tmp_path, XDG_CACHE_HOME=str(taken)) == "black"
    assert taken.read_text() == "a file where the folder would be"
