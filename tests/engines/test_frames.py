"""Polars and pandas: the documented job, columns of every state, and whose name is whose."""

import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import winnow
import winnow.pandas
import winnow.polars
from tests.engines.contacts import COLUMN, OWN, PAGE, make_contacts, read_code, run_job
from tests.server import PROJECT
from winnow.core.errors import BadField


@pytest.mark.parametrize("heading", ["Polars", "pandas"])
def test_the_documented_job_keeps_what_is_reckoned(heading: str, tmp_path: Path) -> None:
    run_job(heading, tmp_path)


@pytest.mark.parametrize("column", [COLUMN, [], [None]], ids=["some", "none", "nulls"])
def test_series_and_expressions_say_what_check_column_says(column: list[str | None]) -> None:
    series = pl.Series("email", column, pl.String)
    wanted = winnow.check_column(series)
    assert_frame_equal(series.winnow.check().struct.unnest(), wanted)
    frame = pl.DataFrame(series)
    eager = frame.select(pl.col("email").winnow.check()).unnest("email")
    assert_frame_equal(eager, wanted)
    lazy = frame.lazy().select(pl.col("email").winnow.check()).unnest("email")
    assert lazy.collect_schema() == wanted.schema
    assert_frame_equal(lazy.collect(engine="streaming"), wanted)
    keys = frame.lazy().select(pl.col("email").winnow.duplicate_key()).collect()
    assert keys["email"].to_list() == winnow.duplicate_keys(column)


def test_many_batches_of_a_stream_are_one_answer(tmp_path: Path) -> None:
    pl.DataFrame(make_contacts()).write_parquet(tmp_path / "in.parquet", row_group_size=100)
    emails = pl.scan_parquet(tmp_path / "in.parquet").select("email")
    checked = emails.select(pl.col("email").winnow.check(in_batches=True)).unnest("email")
    checked.sink_parquet(tmp_path / "out.parquet")
    wanted = winnow.check_column(emails.collect()["email"])
    assert_frame_equal(pl.read_parquet(tmp_path / "out.parquet"), wanted)


def test_own_lists_come_along() -> None:
    frame = pl.DataFrame({"email": COLUMN})
    checked = frame.select(pl.col("email").winnow.check(OWN)).unnest("email")
    wanted = ["grey", None, "black", "black", "grey"]
    assert checked["category"].to_list() == wanted
    found = pd.Series(COLUMN).winnow.check(OWN)["category"]
    assert [None if pd.isna(one) else one for one in found] == wanted
    with pytest.raises(BadField):
        pl.Series(COLUMN).winnow.check({"x.de": "red"})


def test_pandas_keeps_its_index() -> None:
    series = pd.Series(COLUMN, index=list("vwxyz"), name="email")
    assert list(series.winnow.check().index) == list("vwxyz")
    keys = series.winnow.duplicate_key()
    assert (keys["v"], keys["z"]) == ("ana@gmail.com", "info+x@gmail.com")


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(TypeError, match="column of texts"):
        pd.Series([1]).winnow.check()
    with pytest.raises(TypeError, match="column of texts"):
        pl.DataFrame({"email": [1]}).select(pl.col("email").winnow.check())


@pytest.mark.parametrize(("heading", "lines"), re.findall(r"^\| ([\w ]+) \| (\d+) \|", PAGE, re.M))
def test_the_page_counts_its_lines(heading: str, lines: str) -> None:
    assert len(list(filter(str.strip, read_code(heading).splitlines()))) == int(lines)


ENGINES = sorted(path.stem for path in (PROJECT / "winnow/engines").glob("[!_]*.py"))


def test_a_program_in_the_packages_folder_meets_the_engines_themselves() -> None:
    code = (
        "import importlib.util as u;"
        f"print([u.find_spec(n).origin for n in {ENGINES} if u.find_spec(n)])"
    )
    said = run_python("-c", code, folder=PROJECT / "winnow")
    assert "polars" in said
    assert "winnow/engines" not in said


def test_the_packages_folder_may_be_a_scripts_own() -> None:
    assert "usage: winnow" in run_python(str(PROJECT / "winnow/__main__.py"), "--help")


def run_python(*arguments: str, folder: Path = PROJECT) -> str:
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout
