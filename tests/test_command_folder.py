"""``winnow clean FOLDER``, run after run, as a timer starts it."""

import json
import os
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tests.applications import LIST
from tests.conftest import Terminal
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.side_files import OwnFile, OwnFileKind
from winnow.core.verdicts.verdict import Category
from winnow.environment import read_environment
from winnow.storage.blobs.folder import DataFolder, FolderLock
from winnow.storage.database.light_read import read_versions
from winnow.storage.repositories.own_files import begin_file, finish_file
from winnow.wiring import open_application


@pytest.fixture
def inbox(terminal: Terminal) -> Terminal:
    """A folder with two lists, which changed a minute ago."""
    for name in ("inbox/a.csv", "inbox/b.csv"):
        settle(terminal.write(name, LIST))
    return terminal


def settle(path: Path, seconds: float = 60) -> Path:
    """Let a file have changed some time ago."""
    os.utime(path, (then := time.time() - seconds, then))
    return path


def clean_inbox(inbox: Terminal, options: str = "", *, code: int = 0) -> tuple[set[str], str]:
    """Return which lists were cleaned, and what was written to standard error."""
    out, err = inbox.run(f"winnow clean inbox {options} --out cleaned/ --json", code=code)
    lists = json.loads(out)["lists"]
    return {Path(one["source"]).name for one in lists if "error" not in one}, err


def list_cleaned(inbox: Terminal) -> list[str]:
    found = (name for name in inbox.list_files() if name.startswith("cleaned/"))
    return [name.removeprefix("cleaned/") for name in found if "/." not in name]


Change = Callable[[Terminal], object]


def change_noes(inbox: Terminal, *, kind: OwnFileKind | None = None) -> None:
    """Let another process change the own lists, or add an own file."""
    services = open_application(read_environment(os.environ)).services
    if kind is None:
        services.own_lists.add(LOCAL_ACCOUNT, "x@*", Category.BLACK)
        return
    with services.uploads.begin(LOCAL_ACCOUNT, "x.csv", None, formats=None) as writer:
        writer.write(b"email,type\nx@example.org,hard\n")
        services.own_files.add(LOCAL_ACCOUNT, kind, writer.receive())


CHANGES: dict[str, tuple[Change, set[str]]] = {
    "nothing": (lambda inbox: None, set()),
    "list": (lambda inbox: settle(inbox.write("inbox/a.csv", LIST + b"x\n"), 30), {"a.csv"}),
    "same-size": (lambda inbox: settle(inbox.write("inbox/a.csv", LIST.swapcase())), {"a.csv"}),
    "result": (lambda inbox: (inbox.folder / "cleaned/b-checked.csv").unlink(), {"b.csv"}),
    "recipe": (lambda inbox: inbox.write("r.toml", b"join_aliases = true\n"), {"a.csv", "b.csv"}),
    "file": (lambda inbox: inbox.write("no.txt", b"yy@example.org\n"), {"a.csv", "b.csv"}),
    "own-list": (change_noes, {"a.csv", "b.csv"}),
    "bounces": (partial(change_noes, kind=OwnFileKind.BOUNCES), {"a.csv", "b.csv"}),
    "never-mail": (partial(change_noes, kind=OwnFileKind.DO_NOT_MAIL), {"a.csv", "b.csv"}),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_folder_is_cleaned_again_only_where_something_changed(inbox: Terminal, what: str) -> None:
    given = "--recipe r.toml --do-not-mail no.txt"
    inbox.write("r.toml", b'keep = "first"\n')
    inbox.write("no.txt", b"x@example.org\n")
    change, again = CHANGES[what]
    assert clean_inbox(inbox, given) == ({"a.csv", "b.csv"}, "")
    change(inbox)
    assert clean_inbox(inbox, given)[0] == again
    assert clean_inbox(inbox, given)[0] == set()
    assert list_cleaned(inbox) == ["a-checked.csv", "b-checked.csv"]


def test_lists_on_their_way_wait(inbox: Terminal) -> None:
    for name in (".hidden.csv", "~$a.csv", "c.csv.part", "deep/d.csv", "e.pdf"):
        settle(inbox.write(f"inbox/{name}", LIST))
    inbox.write("inbox/c.csv", LIST)
    assert clean_inbox(inbox)[0] == {"a.csv", "b.csv"}
    settle(inbox.folder / "inbox/c.csv")
    settle(inbox.folder / "inbox/a.csv", 2)
    made, said = clean_inbox(inbox)
    assert (made, "a-checked.csv was moved to outdated" in said) == ({"c.csv"}, True)
    assert {*list_cleaned(inbox)} >= {"b-checked.csv", "c-checked.csv", "outdated/a-checked.csv"}
    assert "a-checked.csv" not in list_cleaned(inbox)


def test_a_list_whose_name_is_no_text_fails_alone(inbox: Terminal) -> None:
    (inbox.folder / "inbox" / os.fsdecode(b"b\xfc.csv")).write_bytes(LIST)
    for path in (inbox.folder / "inbox").iterdir():
        settle(path)
    assert clean_inbox(inbox, code=1)[0] == {"a.csv", "b.csv"}


def test_a_result_that_cannot_be_moved_stops_no_other(inbox: Terminal) -> None:
    clean_inbox(inbox)
    inbox.write("cleaned/outdated", b"a file")
    (inbox.folder / "inbox/a.csv").unlink()
    settle(inbox.write("inbox/c.csv", LIST))
    made, said = clean_inbox(inbox, code=1)
    assert made == {"c.csv"}
    assert "a-checked.csv could not be moved to outdated: the list is gone" in said
    assert "could not be cleaned" not in said


def test_another_folder_has_an_out_of_its_own(inbox: Terminal) -> None:
    clean_inbox(inbox)
    settle(inbox.write("other/c.csv", LIST))
    _, err = inbox.run("winnow clean other --out cleaned/", code=1)
    assert "has the results of another folder" in err
    assert list_cleaned(inbox) == ["a-checked.csv", "b-checked.csv"]


def test_a_file_that_is_not_whole_yet_counts_once_it_is(inbox: Terminal) -> None:
    application = open_application(read_environment(os.environ))
    path, now = DataFolder(application.settings.data_dir).database, application.services.clock()
    file = OwnFile("f", LOCAL_ACCOUNT, OwnFileKind.BOUNCES, "b.csv", now)
    begin_file(application.database, file)
    before = read_versions(path, LOCAL_ACCOUNT)
    finish_file(application.database, replace(file, size_bytes=1, sha256="00"))
    assert read_versions(path, LOCAL_ACCOUNT) != before


def test_the_result_of_a_list_that_fails_or_is_gone_is_put_away(inbox: Terminal) -> None:
    clean_inbox(inbox, "--for klaviyo")
    for number in range(2):
        settle(inbox.write("inbox/a.csv", b"PK\x03\x04"), 60 + number)
        cleaned, err = clean_inbox(inbox, "--for klaviyo", code=1)
        assert (cleaned, "1 of 2 lists could not be cleaned" in err) == (set(), True)
        assert ("outdated/a-klaviyo.csv" in err) == (number == 0)
    (inbox.folder / "inbox/b.csv").unlink()
    settle(inbox.write("inbox/a.csv", LIST))
    cleaned, err = clean_inbox(inbox, "--for klaviyo")
    assert (cleaned, "b-klaviyo.csv was moved to outdated/b-klaviyo.csv" in err) == (
        {"a.csv"},
        True,
    )
    cleaned, err = clean_inbox(inbox)  # other files now
    assert "a-klaviyo.csv was moved to outdated/1-a-klaviyo.csv" in err
    assert list_cleaned(inbox) == [
        *("a-checked.csv", "outdated", "outdated/1-a-klaviyo-suppression.csv"),
        *("outdated/1-a-klaviyo.csv", "outdated/a-klaviyo-suppression.csv"),
        *("outdated/a-klaviyo.csv", "outdated/b-klaviyo-suppression.csv", "outdated/b-klaviyo.csv"),
    ]
    settle(inbox.write("inbox/a.tsv", LIST.replace(b",", b"\t")))
    assert "two lists would be written to" in clean_inbox(inbox, "--for brevo", code=1)[1]


def test_where_results_of_a_folder_may_be(inbox: Terminal) -> None:
    for out in ("", "--out inbox/", "--out inbox/cleaned/", "--out -", "--out inbox/a.csv/x/"):
        assert "out: " in inbox.run(f"winnow clean inbox {out}", code=1)[1]
    clean_inbox(inbox)
    folder = inbox.folder / "cleaned"
    held = FolderLock.try_acquire(DataFolder(folder), folder / ".winnow.lock")
    assert held is not None
    said = inbox.run("winnow clean inbox --out cleaned/", code=1)[1]
    assert "another run is writing to this folder" in said
    held.release()
    for missing in ("nope/", "nope"):
        said = inbox.run(f"winnow clean {missing} --out cleaned/", code=1)[1]
        assert "there is no" in said


@pytest.mark.parametrize("waits", [False, True], ids=["cleaned", "no-list-yet"])
def test_files_from_before_the_first_run_stay(inbox: Terminal, waits: bool) -> None:
    theirs = ["2025-kept.xlsx", "friends-mailchimp.csv"]
    for name in theirs:
        inbox.write(f"cleaned/{name}", b"theirs")
    lists = [inbox.folder / "inbox" / name for name in ("a.csv", "b.csv")]
    for path in lists if waits else ():
        path.rename(path.with_suffix(".part"))
    made = set() if waits else {"a.csv", "b.csv"}
    assert [clean_inbox(inbox) for _ in range(2)] == [(made, ""), (set(), "")]
    assert [name for name in list_cleaned(inbox) if "-checked" not in name] == theirs


@pytest.mark.parametrize("is_stuck", [False, True], ids=["moved", "stuck"])
def test_a_file_that_no_run_noted_is_never_written_over(inbox: Terminal, is_stuck: bool) -> None:
    names = ("a-klaviyo.csv", "b-klaviyo-suppression.csv", "b-klaviyo.zip")
    for name in names:
        inbox.write(f"cleaned/{name}", b"theirs")
    if is_stuck:
        inbox.write("cleaned/outdated", b"a file")
    made, said = clean_inbox(inbox, "--for klaviyo", code=int(is_stuck))
    assert made == (set() if is_stuck else {"a.csv", "b.csv"})
    assert said.count("it was there before") == 3
    found = inbox.folder / "cleaned" / ("" if is_stuck else "outdated")
    assert all((found / name).read_bytes() == b"theirs" for name in names)


@pytest.mark.parametrize("is_stuck", [False, True], ids=["moved", "stuck"])
def test_no_later_run_writes_over_a_file_that_is_not_noted(inbox: Terminal, is_stuck: bool) -> None:
    rows = b"email,Last click\nx@example.org,2020-01-02\ny@example.org,"
    today = time.strftime("%Y-%m-%d").encode()
    for name in ("a", "b"):
        settle(inbox.write(f"inbox/{name}.csv", rows + today + b"\n"))
    clean_inbox(inbox, "--for klaviyo")
    inbox.write("cleaned/a-klaviyo-not-mailed.csv", b"theirs")
    if is_stuck:
        inbox.write("cleaned/outdated", b"a file")
    made, said = clean_inbox(inbox, "--for klaviyo --silent-months 6", code=int(is_stuck))
    assert made == ({"b.csv"} if is_stuck else {"a.csv", "b.csv"})
    assert said.count("it was there before") == 1
    found = inbox.folder / "cleaned" / ("" if is_stuck else "outdated")
    assert (found / "a-klaviyo-not-mailed.csv").read_bytes() == b"theirs"
    assert b"x@" in (inbox.folder / "cleaned/b-klaviyo-not-mailed.csv").read_bytes()


@pytest.mark.parametrize("options", ["--for klaviyo", "--policy standard"])
def test_a_list_named_as_an_export_of_noes_is_not_mailed(inbox: Terminal, options: str) -> None:
    name = "unsubscribed_export_2026"
    settle(inbox.write(f"inbox/{name}.csv", LIST))
    assert clean_inbox(inbox)[0] == {"a.csv", "b.csv", f"{name}.csv"}  # all rows, for no mail
    for _ in range(2):
        _, said = clean_inbox(inbox, options, code=1)
        assert f"{name}.csv: file: By its name, this file lists people who said no" in said
        assert "--do-not-mail from another folder, or rename it" in said
        assert "1 of 3 lists could not be cleaned" in said
    found = [one for one in list_cleaned(inbox) if not one.startswith("outdated")]
    assert {one[0] for one in found} == {"a", "b"}
    (inbox.folder / f"inbox/{name}.csv").rename(inbox.folder / f"{name}.csv")
    assert clean_inbox(inbox, f"{options} --do-not-mail {name}.csv")[0] == {"a.csv", "b.csv"}


@pytest.mark.parametrize("notes", [b"{", None], ids=["damaged", "lost"])
def test_without_notes_no_earlier_result_stays(inbox: Terminal, notes: bytes | None) -> None:
    clean_inbox(inbox, "--for klaviyo")
    inbox.write("cleaned/mine.csv", b"x")
    (inbox.folder / "inbox/a.csv").unlink()
    path = inbox.folder / "cleaned/.winnow-results.json"
    path.unlink() if notes is None else path.write_bytes(notes)
    made, said = clean_inbox(inbox, "--for klaviyo")
    assert (made, said.count("notes of earlier runs are lost")) == ({"b.csv"}, 4)
    found = [name for name in list_cleaned(inbox) if not name.startswith("outdated/")]
    assert found == ["b-klaviyo-suppression.csv", "b-klaviyo.csv", "mine.csv", "outdated"]
    assert clean_inbox(inbox, "--for klaviyo") == (set(), "")
