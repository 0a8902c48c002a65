"""Recipes, pipes and JSON of ``winnow clean``."""

import gzip
import io
import json
import sys
from pathlib import Path

import pandas as pd
import pytest

from tests.conftest import Terminal

TWICE = b"Name;Mail;When\nAna;ana@gmail.com;2024-01-01\nAna;ANA@gmail.com;2023-01-01\nBo;b@x@y;\n"


@pytest.fixture
def pipe(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> io.BytesIO:
    """Standard input: a list, unless a test writes another one over it."""
    content = io.BytesIO(TWICE)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(content))
    return content


def put(pipe: io.BytesIO, content: bytes) -> None:
    pipe.seek(0)
    pipe.truncate()
    pipe.write(content)
    pipe.seek(0)


@pytest.mark.usefixtures("pipe")
def test_a_list_from_a_pipe_goes_to_a_pipe(terminal: Terminal) -> None:
    terminal.write("list.csv", TWICE)
    terminal.run("winnow clean list.csv")
    out, err = terminal.run("winnow clean -")
    assert out.encode() == Path("list-checked.csv").read_bytes()
    assert "3 rows in, 2 out" in err


def test_any_list_from_a_pipe_goes_to_a_file_or_a_folder(
    terminal: Terminal, pipe: io.BytesIO
) -> None:
    pd.DataFrame({"email": ["ana@gmail.com"]}).to_excel("list.xlsx", index=False)
    Path("there").mkdir()
    for content, out in (
        (Path("list.xlsx").read_bytes(), "out.xlsx"),
        (gzip.compress(TWICE), "out.csv"),
        (TWICE, "made/"),
        (TWICE, "there"),
    ):
        put(pipe, content)
        terminal.run(f"winnow clean - --out {out}")
    assert pd.read_excel("out.xlsx", engine="openpyxl")["category"].tolist() == ["white"]
    for made in ("out.csv", "made/input-checked.csv", "there/input-checked.csv"):
        assert pd.read_csv(made, sep=";")["Name"].tolist() == ["Ana", "Bo"]


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        pytest.param(TWICE, "clean - -", "standard input is one list", id="twice"),
        pytest.param(TWICE, "clean - --for klaviyo", "a platform has two files", id="two-files"),
        pytest.param(TWICE, "clean none.csv --out -", "there is no such file", id="missing"),
        pytest.param(b"", "clean -", "empty", id="empty"),
    ],
)
def test_what_no_pipe_can_hold_is_refused(
    terminal: Terminal, pipe: io.BytesIO, content: bytes, line: str, words: str
) -> None:
    put(pipe, content)
    out, err = terminal.run(f"winnow {line}", code=1)
    assert (out, words in err) == ("", True)


def test_a_recipe_sets_what_the_command_does_not(terminal: Terminal) -> None:
    terminal.write("new.csv", TWICE)
    recipe = terminal.write(
        "cleaning.toml", b'email_column = "Mail"\nkeep = "newest"\nkeep_by = "When"\n'
    )
    command = "winnow clean new.csv --recipe cleaning.toml --out a.csv"
    terminal.run(command)
    assert pd.read_csv("a.csv", sep=";")["When"].tolist()[0] == "2024-01-01"
    terminal.run(f"{command} --keep last")
    assert pd.read_csv("a.csv", sep=";")["When"].tolist()[0] == "2023-01-01"
    for content, said in (
        (
            b'email_column = "E-Mail"\n',
            "--email-column: the list has no column 'E-Mail'. Columns found: 'Name', 'Mail', "
            "'When'",
        ),
        (b"colour = 1\n", "recipe: cannot be used: Object contains unknown field"),
        (b"\xff", "is not UTF-8 text"),
    ):
        recipe.write_bytes(content)
        assert said in terminal.run(command, code=1)[1]
    for folder in (".", "''"):
        _, err = terminal.run(f"winnow clean new.csv --recipe {folder}", code=1)
        assert "recipe: . cannot be read" in err


def test_one_json_object_says_what_became_of_each_list(terminal: Terminal) -> None:
    terminal.write("a.csv", TWICE)
    terminal.write("b.csv", b"name\nAna\n")
    out, err = terminal.run("winnow clean *.csv --json", code=1)
    good, bad = json.loads(out)["lists"]
    assert (good["email_column"], good["summary"]["rows_in"]) == ("Mail", 3)
    assert good["files"] == [{"path": str(terminal.folder / "a-checked.csv"), "rows": 2}]
    assert (bad["source"], bad["error"]["code"]) == ("b.csv", "no_email_column")
    assert "1 of 2 lists could not be cleaned" in err


def test_from_a_pipe_the_object_is_alone_on_standard_error(
    terminal: Terminal, pipe: io.BytesIO
) -> None:
    put(pipe, b"name\nAna\n")
    out, err = terminal.run("winnow clean - --json", code=1)
    assert out == ""
    assert json.loads(err)["lists"][0]["error"]["code"] == "no_email_column"


def test_a_lock_on_dns_is_kept(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WINNOW_NETWORK", "rdap")
    terminal.write("a.csv", TWICE)
    for line in ("clean a.csv", "check x@mailinator.com"):
        assert "WINNOW_NETWORK" in terminal.run(f"winnow {line} --dns", code=1)[1]
    assert terminal.list_files() == ["a.csv"]
