"""``winnow mcp``, called by the client of the protocol's own package."""

import sys
from datetime import date
from pathlib import Path
from typing import Any

import anyio
import pandas as pd
import pytest
from mcp import Client, StdioServerParameters

from tests.applications import LIST
from tests.conftest import Terminal
from winnow.cli.check import open_data
from winnow.cli.mcp import MANY, make_server
from winnow.domain_data.build.refreshed import RefreshedCopy, read_sources, write_copy
from winnow.storage.blobs.folder import DataFolder


def call(server: Any, name: str, **arguments: Any) -> Any:
    """Return the result of one call by the protocol's own client."""

    async def ask() -> Any:
        async with Client(server) as client:
            return await client.call_tool(name, arguments)

    return anyio.run(ask)


def read_error(result: Any) -> str:
    assert result.is_error
    return str(result.content[0].text)


@pytest.fixture
def server(terminal: Terminal) -> Any:
    return make_server([terminal.folder])


def test_an_address_is_answered_as_by_the_api(server: Any) -> None:
    answer = call(server, "check", address="x@mailinator.com").structured_content
    assert (answer["category"], answer["type"]) == ("black", "disposable")
    assert answer["explanation"]["reasons"][0] == "disposable_reviewed"
    many = call(server, "check_many", addresses=["x@mailinator.com", "n/a", "ana@gmail.com"])
    results = many.structured_content["results"]
    assert [one["category"] for one in results] == ["black", "black", "white"]
    assert results[0] == answer


def test_the_domain_data_of_a_folder_stays_open(
    server: Any, terminal: Terminal, data_dir: Path
) -> None:
    terminal.run("winnow keys create --name assistant --type live")
    folder = DataFolder(data_dir)
    call(server, "check", address="x@mailinator.com")
    assert open_data(folder) is open_data(folder)
    (refreshed,) = [one for one in read_sources() if one.key == "is_burner_email"]
    day = date(2026, 11, 20)
    write_copy(folder.refreshed, RefreshedCopy(refreshed, day, day, frozenset({"new.example.com"})))
    assert open_data(folder).look_up("new.example.com").listings


@pytest.mark.parametrize("count", [0, MANY + 1])
def test_how_many_addresses_one_call_takes(server: Any, count: int) -> None:
    result = call(server, "check_many", addresses=["ana@gmail.com"] * count)
    assert "give 1 to 1,000" in read_error(result)


def test_a_list_is_cleaned_below_the_folders_only(server: Any, terminal: Terminal) -> None:
    inside = terminal.write("list.csv", LIST)
    done = call(server, "clean_file", path=str(inside)).structured_content
    assert done["summary"]["rows_in"] == len(pd.read_csv(inside))
    assert "category" in pd.read_csv(done["out"]).columns
    assert "@" not in str(done)
    assert "already there. Name another file." in read_error(
        call(server, "clean_file", path="list.csv")
    )
    again = call(server, "clean_file", path="list.csv", out="again.csv", email_column="1")
    assert Path(again.structured_content["out"]) == terminal.folder.resolve() / "again.csv"


def test_relative_paths_are_below_the_folder_that_has_them(terminal: Terminal) -> None:
    for name in ("one/a.csv", "two/b.csv", "two/c.csv"):
        terminal.write(name, b"x,y\nana@gmail.com,bo@gmail.com\n" if "c" in name[4] else LIST)
    server = make_server([terminal.folder / "one", terminal.folder / "two"])
    done = call(server, "clean_file", path="b.csv").structured_content
    assert done["out"].endswith("two/b-checked.csv")
    done = call(server, "clean_file", path="c.csv", out="d.csv", email_column=2).structured_content
    assert (done["out"].endswith("two/d.csv"), done["email_column"]) == (True, "y")
    terminal.write("one/b.csv", LIST)
    said = read_error(call(server, "clean_file", path="b.csv"))
    assert said.endswith("path: is in several folders. Give the whole path.")
    said = read_error(call(server, "clean_file", path="c.csv"))
    assert ("email_column" in said, "--" in said) == (True, False)
    assert "is not below" in read_error(call(make_server([]), "clean_file", path="b.csv"))


@pytest.mark.parametrize(
    ("path", "out", "target"),
    [
        pytest.param("l.csv", "o.csv", "a/b/o.csv", id="inner"),
        pytest.param("b/l.csv", "b/o.csv", "a/b/o.csv", id="outer"),
        pytest.param("{folder}/a/b/l.csv", "o.csv", "a/b/o.csv", id="whole"),
        pytest.param("k.csv", "o.csv", "a/o.csv", id="beside"),
    ],
)
@pytest.mark.parametrize("order", [1, -1])
def test_of_folders_in_each_other_one_has_the_list(
    terminal: Terminal, order: int, path: str, out: str, target: str
) -> None:
    for name in ("a/k.csv", "a/b/l.csv"):
        terminal.write(name, LIST)
    folder = terminal.folder.resolve()
    server = make_server([folder / "a", folder / "a/b"][::order])
    done = call(server, "clean_file", path=path.format(folder=folder), out=out)
    assert done.structured_content["out"] == str(folder / target)


def test_clients_learn_which_tools_only_read(server: Any) -> None:
    async def ask() -> Any:
        async with Client(server) as client:
            return await client.list_tools()

    hints = {one.name: one.annotations for one in anyio.run(ask).tools}
    assert {name for name, hint in hints.items() if not hint.read_only_hint} == {"clean_file"}
    assert hints["clean_file"].destructive_hint is False
    assert not any(hint.open_world_hint for hint in hints.values())


@pytest.mark.parametrize(
    ("path", "out", "said"),
    [
        pytest.param("{outside}", None, "is not below the folders", id="outside"),
        pytest.param("{folder}/../list.csv", None, "is not below the folders", id="dots"),
        pytest.param("{folder}/link.csv", None, "is not below the folders", id="link"),
        pytest.param("{folder}/a.csv", "{outside}2", "is not below the folders", id="out"),
        pytest.param("{folder}/a.csv", "{folder}/.bashrc", "must end with .csv", id="hidden"),
        pytest.param("{folder}/a.csv", "{folder}/.a.csv", "not begin with a dot", id="dot"),
        pytest.param("{folder}/a.csv", "{folder}/x.py", "must end with .csv", id="other-ending"),
        pytest.param("a\0.csv", None, "path: is no path", id="nul"),
    ],
)
def test_a_path_elsewhere_is_refused(
    server: Any, terminal: Terminal, tmp_path: Path, path: str, out: str | None, said: str
) -> None:
    outside, inside = tmp_path / "list.csv", terminal.write("a.csv", LIST)
    outside.write_bytes(LIST)
    inside.with_name("link.csv").symlink_to(outside)
    arguments = {
        name: text.format(folder=terminal.folder, outside=outside)
        for name, text in (("path", path), ("out", out))
        if text is not None
    }
    before = sorted(tmp_path.rglob("*"))
    assert said in read_error(call(server, "clean_file", **arguments))
    assert sorted(tmp_path.rglob("*")) == before


def test_codes_are_explained_and_projects_listed(server: Any) -> None:
    said = call(server, "explain", code="disposable_reviewed").content[0].text
    assert said == "On a list of disposable mail services that is reviewed by hand."
    assert "neither a reason" in read_error(call(server, "explain", code="x"))
    assert call(server, "list_projects").structured_content == {"projects": []}


def test_the_command_speaks_the_protocol(tmp_path: Path) -> None:
    program = StdioServerParameters(
        command=sys.executable, args=["-m", "winnow", "mcp", str(tmp_path)]
    )
    answer = call(program, "check", address="ana@gmail.com").structured_content
    assert (answer["category"], answer["type"]) == ("white", "free")


def test_a_folder_that_is_none_is_refused(terminal: Terminal) -> None:
    assert "is no folder" in terminal.run("winnow mcp missing", code=1)[1]
