"""Recipes, pipes and JSON of ``winnow clean``."""

import gzip
import io
import json
import sys
from pathlib import Path

import pandas as pd
import pytest

from tests.test_command_line import data_dir
from winnow.cli.commands import main

__all__ = ["data_dir"]  # the fixture

TWICE = b"Name;Mail;When\nAna;ana@gmail.com;2024-01-01\nAna;ANA@gmail.com;2023-01-01\nBo;b@x@y;\n"


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> io.BytesIO:
    """Standard input, to be filled."""
    content = io.BytesIO()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(content))
    return content


def put(pipe: io.BytesIO, content: bytes) -> None:
    pipe.write(content)
    pipe.seek(0)


def test_a_list_from_a_pipe_goes_to_a_pipe(
    pipe: io.BytesIO, capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    (tmp_path / "list.csv").write_bytes(TWICE)
    assert main(["clean", str(tmp_path / "list.csv")]) == 0
    capfdbinary.readouterr()
    put(pipe, TWICE)
    assert main(["clean", "-"]) == 0
    sys.stdout.flush()
    said = capfdbinary.readouterr()
    assert said.out == (tmp_path / "list-checked.csv").read_bytes()
    assert b"3 rows in, 2 out" in said.err


def test_a_workbook_from_a_pipe_is_a_workbook(pipe: io.BytesIO, tmp_path: Path) -> None:
    pd.DataFrame({"email": ["ana@gmail.com"]}).to_excel(tmp_path / "list.xlsx", index=False)
    put(pipe, (tmp_path / "list.xlsx").read_bytes())
    out = tmp_path / "out.xlsx"
    assert main(["clean", "-", "--out", str(out)]) == 0
    assert pd.read_excel(out, engine="openpyxl")["category"].tolist() == ["white"]


def test_packed_text_from_a_pipe_is_unpacked(pipe: io.BytesIO, tmp_path: Path) -> None:
    put(pipe, gzip.compress(TWICE))
    assert main(["clean", "-", "--out", str(tmp_path / "out.csv")]) == 0
    assert pd.read_csv(tmp_path / "out.csv", sep=";")["Name"].tolist() == ["Ana", "Bo"]


@pytest.mark.parametrize("folder", ["made/", "there"])
def test_a_list_from_a_pipe_goes_to_a_folder(pipe: io.BytesIO, tmp_path: Path, folder: str) -> None:
    (tmp_path / "there").mkdir()
    put(pipe, TWICE)
    assert main(["clean", "-", "--out", f"{tmp_path}/{folder}"]) == 0
    assert (tmp_path / folder / "input-checked.csv").is_file()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["clean", "-", "-"], "standard input is one list"),
        (["clean", "-", "--for", "klaviyo"], "a platform has two files"),
        (["clean", "missing.csv", "--out", "-"], "there is no such file"),
    ],
    ids=["twice", "two files", "missing"],
)
def test_what_no_pipe_can_hold_is_refused(
    pipe: io.BytesIO, capfd: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    put(pipe, TWICE)
    assert main(arguments) == 1
    said = capfd.readouterr()
    assert (said.out, words in said.err) == ("", True)


def test_an_empty_pipe_is_an_empty_list(
    pipe: io.BytesIO, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["clean", "-"]) == 1
    assert "empty" in capfd.readouterr().err


def test_a_recipe_sets_what_the_command_does_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, recipe = tmp_path / "new.csv", tmp_path / "cleaning.toml"
    source.write_bytes(TWICE)
    recipe.write_text('email_column = "Mail"\nkeep = "newest"\nkeep_by = "When"\n')
    command = ["clean", str(source), "--recipe", str(recipe), "--out", str(tmp_path / "a.csv")]
    assert main(command) == 0
    assert pd.read_csv(tmp_path / "a.csv", sep=";")["When"].tolist()[0] == "2024-01-01"
    assert main([*command, "--keep", "last", "--keep-by", ""]) == 1
    recipe.write_text('email_column = "E-Mail"\n')
    assert main(command) == 1
    said = "--email-column: the list has no column 'E-Mail'. Columns found: 'Name', 'Mail', 'When'"
    assert said in capsys.readouterr().err
    recipe.write_text("colour = 1\n")
    assert main(command) == 1
    assert "recipe: cannot be used: Object contains unknown field" in capsys.readouterr().err
    recipe.write_bytes(b"\xff")
    assert main(command) == 1
    assert "is not UTF-8 text" in capsys.readouterr().err
    assert main(["clean", str(source), "--recipe", str(tmp_path)]) == 1


def test_one_json_object_says_what_became_of_each_list(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.csv").write_bytes(TWICE)
    (tmp_path / "b.csv").write_bytes(b"name\nAna\n")
    assert main(["clean", str(tmp_path / "*.csv"), "--json"]) == 1
    said = capsys.readouterr()
    good, bad = json.loads(said.out)["lists"]
    assert (good["email_column"], good["summary"]["rows_in"]) == ("Mail", 3)
    assert good["files"] == [{"path": str(tmp_path / "a-checked.csv"), "rows": 2}]
    assert bad["source"] == str(tmp_path / "b.csv")
    assert bad["error"]["code"] == "no_email_column"
    assert "1 of 2 lists could not be cleaned" in said.err


@pytest.mark.parametrize(
    ("content", "options", "code"),
    [
        (b"name\nAna\n", [], "no_email_column"),
        (b"", [], "empty_file"),
        (TWICE, ["--policy", "none"], "bad_field"),
        (TWICE, ["--out", "missing/a.csv"], "bad_field"),
        (None, [], "bad_field"),
    ],
    ids=["column", "empty", "option", "target", "missing"],
)
def test_one_json_object_also_where_the_only_list_fails(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    content: bytes | None,
    options: list[str],
    code: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    if content is not None:
        Path("a.csv").write_bytes(content)
    assert main(["clean", "a.csv", "--json", *options]) == 1
    said = capsys.readouterr()
    [only] = json.loads(said.out)["lists"]
    assert (only["source"], only["error"]["code"]) == ("a.csv", code)
    assert only["error"]["detail"] in said.err


def test_from_a_pipe_the_object_is_alone_on_standard_error(
    pipe: io.BytesIO, capfd: pytest.CaptureFixture[str]
) -> None:
    put(pipe, b"name\nAna\n")
    assert main(["clean", "-", "--json"]) == 1
    said = capfd.readouterr()
    assert said.out == ""
    assert json.loads(said.err)["lists"][0]["error"]["code"] == "no_email_column"


def test_a_lock_on_dns_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WINNOW_NETWORK", "rdap")
    (tmp_path / "a.csv").write_bytes(TWICE)
    assert main(["clean", str(tmp_path / "a.csv"), "--dns"]) == 1
    assert "WINNOW_NETWORK" in capsys.readouterr().err
    assert [path.name for path in tmp_path.glob("a*")] == ["a.csv"]
