"""Links: what they lead to, how long, under which name."""

import errno
import os
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from tests.applications import Clock, OpenApplication, complete, follow
from tests.workbooks import read_cells, write_workbook
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.blobs import BlobKey
from winnow.core.errors import BadField, Gone, ResultLost
from winnow.core.lists.dimensions import Dimension
from winnow.core.lists.exports import Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import Chosen, RowFilter, Variant
from winnow.core.verdicts.verdict import Category
from winnow.services.uploads.names import name_download, read_name
from winnow.storage.blobs.local_blobs import LocalBlobs
from winnow.storage.database.tables import links
from winnow.wiring import Application


def test_a_link_with_a_filter_of_another_release_has_expired(opened: Application) -> None:
    task = complete(opened)
    age = Dimension(name="age", title="", one="", many="", values=("older",))
    export = Export(Variant.SELECTION, rows=RowFilter(Chosen().choose(age, "older")))
    link = opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id, export)
    with pytest.raises(Gone):
        follow(opened, link)


def test_a_link_to_a_file_that_only_another_release_has_is_expired(opened: Application) -> None:
    task = complete(opened)
    link = opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id, Export(Variant.CLEANED))
    opened.database.run(update(links).values(variant="black"))
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
    opened.services.tasks.delete(LOCAL_ACCOUNT, task.task_id)
    with pytest.raises(Gone, match="deleted"):
        opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id, Export(Variant.ORIGINAL))


class FailingDisk(LocalBlobs):
    """A data folder on a disk that reports errors once ``is_failing``."""

    is_failing = False

    def size(self, key: BlobKey) -> int:
        """Fail, or look."""
        if self.is_failing:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return super().size(key)


@pytest.mark.usefixtures("damages")
def test_a_result_that_cannot_be_read_is_not_called_missing(
    open_application: OpenApplication,
) -> None:
    opened = open_application(open_blobs=FailingDisk)
    task = complete(opened)
    assert isinstance(opened.blobs, FailingDisk)
    opened.blobs.is_failing = True
    with pytest.raises(OSError, match="Input/output error"):
        opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id, Export(Variant.ORIGINAL))


def test_a_name_is_one_line_of_text() -> None:
    assert read_name("name", "\x00 a\r\nb\x1b[31m\u2028c \x07") == "a  b [31m c"
    assert read_name("name", "\U0001f469\u200d\U0001f52c") == "\U0001f469\u200d\U0001f52c"
    for text in ("\x00\n", "a" * 51, "\ud800"):
        with pytest.raises(BadField):
            read_name("name", text)
