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
from tests.test_command_line import data_dir
from winnow.cli.check import open_data
from winnow.cli.commands import main
from winnow.cli.mcp import MANY, make_server
from winnow.domain_data.build.refreshed import RefreshedCopy, read_sources, write_copy
from winnow.storage.blobs.folder import DataFolder

__all__ = ["data_dir"]  # the fixture


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
def server(tmp_path: Path) -> Any:
    (tmp_path / "lists").mkdir()
    return make_server([tmp_path / "lists"])


def test_an_address_is_answered_as_by_the_api(server: Any) -> None:
    answer = call(server, "check", address="x@mailinator.com").structured_content
    assert (answer["category"], answer["type"]) == ("black", "disposable")
    assert answer["explanation"]["reasons"][0] == "disposable_reviewed"
    many = call(server, "check_many", addresses=["x@mailinator.com", "n/a", "ana@gmail.com"])
    results = many.structured_content["results"]
    assert [one["category"] for one in results] == ["black", "black", "white"]
    assert results[0] == answer


def test_the_domain_data_of_a_folder_stays_open(
    server: Any, data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["keys", "create", "--name", "assistant", "--type", "live"]) == 0
    capsys.readouterr()
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


def test_a_list_is_cleaned_below_the_folders_only(server: Any, tmp_path: Path) -> None:
    inside = tmp_path / "lists" / "list.csv"
    inside.write_bytes(LIST)
    done = call(server, "clean_file", path=str(inside)).structured_content
    assert done["summary"]["rows_in"] == len(pd.read_csv(inside))
    assert "category" in pd.read_csv(done["out"]).columns
    assert "@" not in str(done)
    assert "already there" in read_error(call(server, "clean_file", path=str(inside)))


@pytest.mark.parametrize("kind", ["outside", "dots", "link", "out"])
def test_a_path_elsewhere_is_refused(server: Any, tmp_path: Path, kind: str) -> None:
    outside, inside = tmp_path / "list.csv", tmp_path / "lists" / "inside.csv"
    outside.write_bytes(LIST)
    inside.write_bytes(LIST)
    (tmp_path / "lists" / "link.csv").symlink_to(outside)
    arguments = {
        "outside": {"path": str(outside)},
        "dots": {"path": str(tmp_path / "lists" / ".." / "list.csv")},
        "link": {"path": str(tmp_path / "lists" / "link.csv")},
        "out": {"path": str(inside), "out": str(tmp_path / "out.csv")},
    }[kind]
    before = sorted(tmp_path.rglob("*"))
    assert "is not below the folders" in read_error(call(server, "clean_file", **arguments))
    assert sorted(tmp_path.rglob("*")) == before


def test_what_no_path_can_be_is_refused(server: Any) -> None:
    assert "path: is no path" in read_error(call(server, "clean_file", path="a\0.csv"))


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


def test_a_folder_that_is_none_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["mcp", str(tmp_path / "missing")]) == 1
    assert "is no folder" in capsys.readouterr().err


def test_help_needs_no_package() -> None:
    with pytest.raises(SystemExit) as ended:
        main(["mcp", "--help"])
    assert ended.value.code == 0
