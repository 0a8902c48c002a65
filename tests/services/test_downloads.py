"""Links: what they lead to, how long, under which name; the rows and the form that were chosen."""

import errno
import io
import os
import zipfile
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import insert, update

from tests.applications import (
    CHECKED_LIST,
    Clock,
    Interrupted,
    OpenApplication,
    complete,
    delete_for_good,
    follow,
    send,
)
from tests.workbooks import read_cells, write_workbook
from winnow.core.errors import BadField, DoesNotFit, Gone, ResultLost
from winnow.core.identities import LOCAL_ACCOUNT, Identity, Role
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.dimensions import Dimension
from winnow.core.lists.exports import DownloadChoice, Export
from winnow.core.lists.file_format import TRAITS, FileFormat
from winnow.core.lists.rows import Chosen, RowFilter, Variant
from winnow.core.verdicts.domain_types import Ground
from winnow.core.verdicts.verdict import Category
from winnow.services.names import name_download, read_name
from winnow.services.results.link_files import OpenDownload
from winnow.storage.database.tables import links
from winnow.storage.repositories.links import hash_token
from winnow.wiring import Application

HEAD, FREE, DISPOSABLE, INVALID = CHECKED_LIST.splitlines(keepends=True)
PERSON = Identity(LOCAL_ACCOUNT, "ana", Role.READER)
WITHOUT_FREE = CleaningPolicy(frozenset({Ground.FREE_PROVIDER}))


def unpack(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {info.filename: archive.read(info) for info in archive.infolist()}


def test_a_link_of_another_release_has_expired(opened: Application) -> None:
    task, issue = complete(opened), opened.services.downloads.issue
    age = Dimension(name="age", title="", one="", many="", values=("older",))
    unknown = Export(Variant.SELECTION, rows=RowFilter(Chosen().choose(age, "older")))
    by_filter, by_file = (
        issue(LOCAL_ACCOUNT, task.task_id, one) for one in (unknown, Export(Variant.CLEANED))
    )
    is_cleaned = links.c.variant == Variant.CLEANED.value
    opened.database.run(update(links).where(is_cleaned).values(variant="black"))
    for link in (by_filter, by_file):
        with pytest.raises(Gone):
            follow(opened, link)


def test_a_cleaned_workbook_is_made_once_and_swept(
    opened: Application, clock: Clock, tmp_path: Path
) -> None:
    source = write_workbook(
        tmp_path / "list.xlsx", [("email",), ("a@mailboxes.example",), ("b@throwaway.example",)]
    )
    task = complete(opened, source.read_bytes(), name="list.xlsx")
    link = opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id, Export(Variant.CLEANED))
    found = follow(opened, link)
    assert found.path is not None
    assert found.file_name == "spring-cleaned.xlsx"
    assert read_cells(found.path) == [
        ("email", "category", "domain_type"),
        ("a@mailboxes.example", "white", "free"),
    ]
    made_at = found.path.stat().st_mtime_ns
    assert follow(opened, link).path == found.path
    opened.services.retention.sweep(clock.now)
    assert found.path.stat().st_mtime_ns == made_at
    clock.advance(seconds=opened.settings.link_seconds)
    opened.services.retention.sweep(clock.now)
    assert list(opened.folder.variants.iterdir()) == []


def test_a_link_takes_the_life_that_is_set_and_never_outlives_its_project(
    open_application: OpenApplication, clock: Clock
) -> None:
    opened = open_application(link_seconds=5)
    task = complete(opened)
    link = opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id)
    clock.advance(seconds=5)
    with pytest.raises(Gone):
        follow(opened, link)
    clock.now = task.expires_at - timedelta(seconds=1)
    link = opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id)
    assert link.expires_at == task.expires_at
    clock.advance(days=-1)
    with pytest.raises(Gone):  # the clock was set back since: it lasts no day
        follow(opened, link)
    later = complete(opened)
    clock.now = task.expires_at - timedelta(seconds=1)
    difference = opened.services.downloads.issue(
        LOCAL_ACCOUNT, later.task_id, earlier_id=task.task_id
    )
    assert difference.expires_at == task.expires_at, "it ends with the first of its projects"


def test_a_page_that_is_drawn_again_has_the_same_link_for_a_third_of_its_life(
    opened: Application, clock: Clock
) -> None:
    task, downloads = complete(opened), opened.services.downloads
    draw = partial(downloads.issue, LOCAL_ACCOUNT, task.task_id, is_new=False)
    cleaned, third = Export(Variant.CLEANED), timedelta(seconds=opened.settings.link_seconds / 3)
    link = draw()
    assert downloads.issue(LOCAL_ACCOUNT, task.task_id) != link
    link = draw()
    others = draw(cleaned), draw(session="one"), draw(cleaned, identity=PERSON)
    assert len({link.path, *(one.path for one in others)}) == 4
    clock.now += third
    assert draw() == link
    clock.now += timedelta(seconds=1)
    assert draw() != link
    assert follow(opened, draw()).task_ids == (task.task_id,)


@pytest.mark.parametrize(
    ("project_name", "file_name"),
    [
        ("spring", "spring-checked.csv"),
        ("Frühjahr 2026", "Frühjahr 2026-checked.csv"),
        ("a/b\\c", "a-b-c-checked.csv"),
        ('x"y\r\nz', "x-y--z-checked.csv"),
        ("..", "list-checked.csv"),
        ("../../etc", "-..-etc-checked.csv"),
        ("CON.x", "_CON.x-checked.csv"),
        ("\u202egpj.exe", "-gpj.exe-checked.csv"),
    ],
)
def test_file_names_are_safe_everywhere(project_name: str, file_name: str) -> None:
    assert name_download(project_name, Variant.AUGMENTED, FileFormat.CSV) == file_name


@pytest.mark.parametrize("name", ["result", "rows.json", "rows.verdicts"])
def test_no_link_is_made_to_a_result_that_is_missing(opened: Application, name: str) -> None:
    task = complete(opened)
    (opened.folder.results / f"{task.task_id}.1" / name).unlink()
    with pytest.raises(ResultLost):
        opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id, Export(Variant.ORIGINAL))
    opened.services.own_lists.add(LOCAL_ACCOUNT, "mailboxes.example", Category.BLACK)
    with pytest.raises(ResultLost):
        opened.services.results.facets(LOCAL_ACCOUNT, task.task_id, RowFilter())
    delete_for_good(opened.services, task.task_id)
    with pytest.raises(Gone, match="deleted"):
        opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id, Export(Variant.ORIGINAL))


def test_a_result_that_cannot_be_read_is_not_called_missing(opened: Application) -> None:
    def fail() -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    task, services = complete(opened), opened.services
    results = replace(services.results, blobs=Interrupted(opened.blobs, "size", fail))
    downloads = replace(services.downloads, results=results)
    with pytest.raises(OSError, match="Input/output error"):
        downloads.issue(LOCAL_ACCOUNT, task.task_id, Export(Variant.ORIGINAL))


def test_a_name_is_one_line_of_text() -> None:
    assert read_name("name", "\x00 a\r\nb\x1b[31m\u2028c \x07") == "a  b [31m c"
    assert read_name("name", "\U0001f469\u200d\U0001f52c") == "\U0001f469\u200d\U0001f52c"
    for text in ("\x00\n", "a" * 51, "\ud800"):
        with pytest.raises(BadField):
            read_name("name", text)


def test_what_goes_is_what_was_chosen(opened: Application) -> None:
    task, everything = complete(opened), CleaningPolicy(frozenset(Ground))
    for policy, variant, rows, name in (
        (CleaningPolicy(), Variant.CLEANED, [FREE], "spring-cleaned.csv"),
        (CleaningPolicy(), Variant.REMOVED, [DISPOSABLE, INVALID], "spring-removed.csv"),
        (CleaningPolicy(), Variant.REVIEW, [], "spring-review.csv"),
        (WITHOUT_FREE, Variant.CLEANED, [DISPOSABLE, INVALID], "spring-kept.csv"),
        (WITHOUT_FREE, Variant.REMOVED, [FREE], "spring-removed.csv"),
        (everything, Variant.CLEANED, [], "spring-cleaned.csv"),  # nothing black is in it
    ):
        found = send(opened, task, Export(variant, DownloadChoice(policy)))
        assert found == (name, b"".join([HEAD, *rows]))


def test_a_workbook_as_text(opened: Application, tmp_path: Path) -> None:
    source = write_workbook(
        tmp_path / "list.xlsx", [("email", "n"), ("a@mailboxes.example", "007, =1")]
    )
    task = complete(opened, source.read_bytes(), name="list.xlsx")
    export = Export(Variant.CLEANED, DownloadChoice(file_format=FileFormat.CSV))
    assert send(opened, task, export)[1] == (
        b'email,n,category,domain_type\r\na@mailboxes.example,"007, =1",white,free\r\n'
    )


def test_too_many_rows_for_a_sheet_are_refused_before_anybody_waits(
    opened: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(TRAITS, FileFormat.XLSX, replace(FileFormat.XLSX.traits, most_rows=2))
    task = complete(opened)
    choice = DownloadChoice(file_format=FileFormat.XLSX)
    for variant in (Variant.AUGMENTED, Variant.PACK):
        with pytest.raises(DoesNotFit, match="2 rows below its header; this file has 3"):
            opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id, Export(variant, choice))
    assert send(opened, task, Export(Variant.REMOVED, choice))[1]  # two rows fit


@pytest.mark.parametrize("project_name", ["spring", "K\u00e4ufer / 'x' 2026", "../../etc"])
def test_all_files_in_one_zip(opened: Application, project_name: str) -> None:
    task = complete(opened, project_name=project_name)
    choice = DownloadChoice(CleaningPolicy(), adds_reason=True)
    variants = (Variant.CLEANED, Variant.REMOVED, Variant.REVIEW, Variant.AUGMENTED)
    lists = dict(send(opened, task, Export(variant, choice)) for variant in variants)
    found = unpack(send(opened, task, Export(Variant.PACK, choice))[1])
    reports = {name: content for name, content in found.items() if name not in lists}
    assert {name: found[name] for name in lists} == lists
    assert {name.rpartition("-")[2] for name in reports} == {"report.html"}
    assert not any("/" in name or "\\" in name for name in found)
    assert list(opened.folder.variants.iterdir()) == []


def test_a_pack_that_is_sent_while_own_lists_change_is_made_anew(
    opened: Application, tmp_path: Path
) -> None:
    rows = [("email",), ("a@mailboxes.example",), ("b@throwaway.example",)]
    source = write_workbook(tmp_path / "list.xlsx", rows)
    task = complete(opened, source.read_bytes(), name="list.xlsx")
    link = opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id, Export(Variant.PACK))

    def count_cleaned(sent: OpenDownload) -> int:
        (tmp_path / "cleaned.xlsx").write_bytes(
            unpack(b"".join(sent.read_content()))["spring-cleaned.xlsx"]
        )
        return len(read_cells(tmp_path / "cleaned.xlsx")) - 1

    sent = follow(opened, link)
    opened.services.own_lists.add(LOCAL_ACCOUNT, "throwaway.example", Category.WHITE)
    assert count_cleaned(sent) == 1, "every file of a pack is of one moment"
    assert count_cleaned(follow(opened, link)) == 2


def test_a_link_of_an_older_data_folder_goes_on_working(opened: Application, clock: Clock) -> None:
    task = complete(opened)
    old = {"token_hash": hash_token("old"), "task_id": task.task_id, "variant": "cleaned"}
    values = {**old, "expires_at": clock.now.replace(hour=13), "choice": None}
    opened.database.run(insert(links).values(values))
    sent = opened.services.downloads.open("old")
    assert (sent.file_name, b"".join(sent.read_content())) == ("spring-cleaned.csv", HEAD + FREE)
