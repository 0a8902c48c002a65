"""A list cleaned from file to file by the library: what the command line writes, or nothing."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import winnow
from tests.applications import LIST
from winnow.core.errors import WinnowError
from winnow.core.lists.cleaning import USUAL_GROUNDS, CleaningPolicy
from winnow.core.tasks.task import Progress
from winnow.core.verdicts.domain_types import Ground
from winnow.domain_data.look_up.look_up import Knowledge
from winnow.library import clean_file, open_data


@pytest.fixture(autouse=True)
def real_data(knowledge: Knowledge, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real domain data, without the analyst's cache folder."""
    monkeypatch.setattr(clean_file, "open_domain_data", lambda: knowledge)
    assert open_data.open_domain_data is not clean_file.open_domain_data


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "list.csv"
    path.write_bytes(LIST)
    return path


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out.csv"


def test_the_list_comes_back_with_its_verdicts(source: Path, out: Path, tmp_path: Path) -> None:
    told: list[Progress] = []
    summary = winnow.clean(str(source), out, progress=told.append)
    lines = out.read_bytes().splitlines()
    assert lines[0].endswith(b",category,domain_type")
    assert len(lines) - 1 == summary.rows_out == sum(summary.by_category.values())
    assert told
    assert sorted(path.name for path in tmp_path.iterdir()) == ["list.csv", "out.csv"]


@pytest.mark.parametrize("name", ["out.txt", "out", "out.tsv.gz", "out.2026"])
def test_text_may_have_any_name_of_text(source: Path, tmp_path: Path, name: str) -> None:
    winnow.clean(source, tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(b"\x1f\x8b") is name.endswith(".gz")


def test_own_lists_decide(source: Path, out: Path) -> None:
    domains = {"mailboxes.example": "black", "throwaway.example": "black"}
    summary = winnow.clean(source, out, own_lists=domains)
    assert set(summary.by_category) == {"black"}


def test_repairs_and_a_second_column_are_as_chosen(source: Path, out: Path) -> None:
    source.write_bytes(b"email,home\nAna <ana@gmail.com>,bo@gmail.com\n,cy@mailinator.com\n")
    summary = winnow.clean(source, out, repair="safe", second_email_column="home")
    assert out.read_text().splitlines() == [
        "email,home,email_used,category,domain_type",
        "Ana <ana@gmail.com>,bo@gmail.com,ana@gmail.com,white,free",
        ",cy@mailinator.com,cy@mailinator.com,black,disposable",
    ]
    assert summary.by_category == {"black": 1, "white": 1}
    assert summary.repaired == {"wrapped": 1}
    with pytest.raises(WinnowError):
        winnow.clean(source, out, repair="all")


PEOPLE = (
    b"mail,when,opted out\nana@gmail.com,2024-01-02,\nA.na+x@gmail.com,2023-01-02,\n"
    b"info@siemens.com,,\nbo@siemens.com,,yes\ncy@mailinator.com,,\nb.o@siemens.com,,\n"
)


def test_settings_are_a_recipes_and_what_is_given_goes_before_it(
    source: Path, out: Path, tmp_path: Path
) -> None:
    source.write_bytes(PEOPLE)
    recipe = tmp_path / "r.toml"
    recipe.write_text(
        'keep = "newest"\nkeep_by = "when"\njoin_aliases = true\npolicy = "Standard"\n'
    )
    winnow.clean(source, out, recipe=recipe)
    kept = [line.split(",")[0] for line in out.read_text().splitlines()]
    assert kept == ["mail", "ana@gmail.com", "info@siemens.com", "b.o@siemens.com"]
    winnow.clean(source, out, recipe=recipe, keep="first")
    assert out.read_text().splitlines()[1].startswith("ana@gmail.com,2024")
    policy = CleaningPolicy(USUAL_GROUNDS | {Ground.ROLE_ACCOUNT})
    winnow.clean(source, out, recipe=recipe, join_aliases=False, policy=policy)
    kept = [line.split(",")[0] for line in out.read_text().splitlines()]
    assert kept == ["mail", "ana@gmail.com", "A.na+x@gmail.com", "b.o@siemens.com"]
    source.write_bytes(b"mail,opted out\nAna <ana@gmail.com>,yes\nana@gmail.com,\nbo@gmail.com,\n")
    winnow.clean(source, out, policy=policy)
    assert out.read_text().splitlines()[1:] == ["bo@gmail.com,,white,free"]
    source.write_bytes(PEOPLE)
    summary = winnow.clean(source, out, keep="first", join_aliases=True)
    assert "A.na" not in out.read_text()
    assert summary.rows_out == 5


def test_a_recipe_says_that_the_first_row_is_no_header(source: Path, out: Path) -> None:
    source.write_bytes(b"ana@gmail.com,1\nbo@gmail.com,2\n")
    recipe = source.with_name("r.toml")
    recipe.write_text("header = false\n")
    assert winnow.clean(source, out, recipe=recipe).rows_in == 2
    assert out.read_bytes() == b"ana@gmail.com,1,white,free\nbo@gmail.com,2,white,free\n"


@pytest.mark.parametrize("by_policy", [False, True], ids=["recipe", "policy"])
def test_silent_people_are_left_out_as_by_the_command(
    source: Path, out: Path, tmp_path: Path, by_policy: bool
) -> None:
    people = ("ana@gmail.com,2999-01-01", "bo@gmail.com,2019-02-01", "cy@gmail.com,", "di,")
    source.write_text("\n".join(["mail,last click", *people]))
    recipe = tmp_path / "a.toml"
    recipe.write_text('silent_by = "last click"\n' + "silent_months = 12\n" * (not by_policy))
    policy = CleaningPolicy(silent_months=12) if by_policy else None
    summary = winnow.clean(source, out, recipe=recipe, policy=policy)
    assert summary.rows_out == 4
    kept = [line.partition("@")[0] for line in out.read_text().splitlines()[1:]]
    assert kept == ["ana", "cy"], "without a date people stay"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"policy": CleaningPolicy(silent_months=6)}, ["ana"]),
        ({"policy": CleaningPolicy(silent_months=0)}, ["ana", "bo", "cy"]),
        ({"policy": CleaningPolicy()}, ["ana", "bo"]),
        ({}, ["ana", "bo"]),
    ],
    ids=["the-policy's", "none", "not-said", "the-recipe's"],
)
def test_months_that_are_given_go_before_a_recipes(
    source: Path, out: Path, tmp_path: Path, given: dict[str, Any], kept: list[str]
) -> None:
    today = datetime.now(UTC).date()
    days = {"ana": 30, "bo": 300, "cy": 900}
    people = [f"{one}@gmail.com,{today - timedelta(ago)}" for one, ago in days.items()]
    source.write_text("\n".join(["mail,last click", *people]))
    recipe = tmp_path / "r.toml"
    recipe.write_text("silent_months = 24\n")
    winnow.clean(source, out, recipe=recipe, **given)
    assert [line.partition("@")[0] for line in out.read_text().splitlines()[1:]] == kept


@pytest.mark.parametrize(
    "wrong",
    [
        {"keep": "oldest"},
        {"repair": "all"},
        {"deduplicate": "yes"},
        {"email_column": 1.5},
        {"policy": "Standard"},
        {"own_lists": ["ana@gmail.com"]},
        {"own_lists": {1: "white"}},
        {"own_lists": {"a@b": "white"}},
        {"own_lists": {"gmail.com": "green"}},
        {"keep": "newest"},
        {"keep_by": "when"},
        {"join_aliases": "yes"},
        {"recipe": "missing.toml"},
        {"policy": CleaningPolicy(silent_months=12), "is": "silent_by"},
    ],
    ids=lambda wrong: "-".join(wrong),
)
def test_a_wrong_setting_is_named(source: Path, out: Path, wrong: dict[str, Any]) -> None:
    field = wrong.pop("is", next(iter(wrong)))
    with pytest.raises(WinnowError, match=rf"^({field}|keep_by)\b"):
        winnow.clean(source, out, **wrong)
    assert not out.exists()


def test_a_refused_list_leaves_the_file_that_was_there(source: Path, out: Path) -> None:
    source.write_bytes(b"name\nAna\n")
    out.write_bytes(b"of yesterday")
    with pytest.raises(WinnowError):
        winnow.clean(source, out)
    assert out.read_bytes() == b"of yesterday"


def test_a_stop_in_the_middle_leaves_nothing(source: Path, out: Path) -> None:
    def stop(progress: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        winnow.clean(source, out, progress=stop)
    assert [path.name for path in out.parent.iterdir()] == ["list.csv"]
