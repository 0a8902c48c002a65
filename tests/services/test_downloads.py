"""Links: what they lead to, how long, under which name."""

import errno
import os
from pathlib import Path

import pytest

from tests.applications import CHECKED_LIST, Clock, complete, open_test_application, submit
from tests.workbooks import read_cells, write_workbook
from winnow.core.accounts import LOCAL_ACCOUNT, DownloadLink
from winnow.core.blobs import BlobKey
from winnow.core.errors import BadField, Gone, ResultLost, ResultNotReady, TaskUnknown
from winnow.core.lists.dimensions import CATEGORY, Dimension
from winnow.core.lists.exports import Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import Chosen, RowFilter, Variant
from winnow.services.results.downloads import OpenDownload
from winnow.services.uploads.names import name_download, read_name
from winnow.storage.blobs.local_blobs import LocalBlobs
from winnow.wiring import Application


def follow(opened: Application, link: DownloadLink) -> OpenDownload:
    return opened.services.downloads.open(link.path.rpartition("/")[2])


def test_the_augmented_file_is_the_stored_one(opened: Application) -> None:
    task = complete(opened)
    link = opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id)
    found = follow(opened, link)
    assert found.path is not None
    assert found.path.read_bytes() == CHECKED_LIST
    assert found.size_bytes == len(CHECKED_LIST)
    assert link.file_name == found.file_name == "spring-checked.csv"
    assert found.media_type == "text/csv"
    assert link.path.startswith(f"{opened.settings.base_path}/downloads/")


@pytest.mark.parametrize(
    ("variant", "lines", "name"),
    [
        (Variant.CLEANED, (0, 1), "spring-cleaned.csv"),
        (Variant.BLACK, (0, 2, 3), "spring-black.csv"),
        (Variant.GREY, (0,), "spring-grey.csv"),
    ],
)
def test_variants_hold_only_their_rows(
    opened: Application, variant: Variant, lines: tuple[int, ...], name: str
) -> None:
    task = complete(opened)
    found = follow(opened, opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id, variant))
    assert found.stream is not None
    content = b"".join(found.stream())
    all_lines = CHECKED_LIST.splitlines(keepends=True)
    assert content == b"".join(all_lines[line] for line in lines)
    assert b"".join(found.stream()) == content
    assert (found.size_bytes, found.file_name) == (None, name)


def test_a_link_with_a_filter_of_another_release_has_expired(opened: Application) -> None:
    task = complete(opened)
    age = Dimension(name="age", title="", one="", many="", values=("older",))
    export = Export(Variant.SELECTION, rows=RowFilter(Chosen().choose(age, "older")))
    link = opened.services.downloads.issue_export(LOCAL_ACCOUNT, task.task_id, export)
    with pytest.raises(Gone):
        follow(opened, link)


def test_a_cleaned_workbook_is_made_once_and_swept(
    opened: Application, clock: Clock, tmp_path: Path
) -> None:
    source = write_workbook(
        tmp_path / "list.xlsx", [("email",), ("a@mailboxes.example",), ("b@throwaway.example",)]
    )
    task = complete(opened, source.read_bytes(), name="list.xlsx")
    link = opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id, Variant.CLEANED)
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


def test_a_link_never_outlives_its_project(opened: Application, clock: Clock) -> None:
    task = complete(opened)
    clock.advance(days=30, seconds=-10)
    link = opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id)
    assert link.expires_at == task.expires_at


def test_a_link_dies_with_its_project(opened: Application) -> None:
    task = complete(opened)
    links = [
        opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id, variant) for variant in Variant
    ]
    opened.services.tasks.delete(LOCAL_ACCOUNT, task.task_id)
    for link in links:
        with pytest.raises(Gone):
            follow(opened, link)


def test_a_link_takes_the_life_that_is_set(tmp_path: Path, clock: Clock) -> None:
    opened = open_test_application(tmp_path, clock, link_seconds=5)
    task = complete(opened)
    link = opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id)
    clock.advance(seconds=5)
    with pytest.raises(Gone):
        follow(opened, link)


def test_only_a_hash_of_the_token_is_stored(opened: Application, tmp_path: Path) -> None:
    task = complete(opened)
    link = opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id)
    opened.database.copy_to(tmp_path / "copy.db")
    assert link.path.rpartition("/")[2].encode() not in (tmp_path / "copy.db").read_bytes()


@pytest.mark.parametrize("token", ["", "x", "../../pepper", "\ud800", "x" * 10_000])
def test_an_unknown_token_leads_nowhere(opened: Application, token: str) -> None:
    with pytest.raises(TaskUnknown):
        opened.services.downloads.open(token)


def test_no_link_before_the_end_or_after_a_failure(opened: Application) -> None:
    task = submit(opened)
    with pytest.raises(ResultNotReady) as caught:
        opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id)
    assert caught.value.retry_after_seconds is not None
    opened.services.tasks.cancel(LOCAL_ACCOUNT, task.task_id)
    with pytest.raises(ResultNotReady) as caught:
        opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id)
    assert caught.value.retry_after_seconds is None


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


def test_pages_of_rows_and_their_reasons(opened: Application) -> None:
    task = complete(opened)
    results = opened.services.results
    assert results.columns(LOCAL_ACCOUNT, task.task_id) == ("id", "email")
    black = RowFilter(Chosen().choose(CATEGORY, "black"))
    page = results.rows(LOCAL_ACCOUNT, task.task_id, black, 0, 10)
    assert [(row.number, row.cells) for row in page.rows] == [
        (2, ("03", "two@throwaway.example")),
        (3, ("04", "not an address")),
    ]
    assert [row.verdict.domain_type for row in page.rows] == ["disposable", "invalid"]
    sources = {
        evidence.source
        for evidence in results.explain(LOCAL_ACCOUNT, task.task_id, page.rows[0]).evidence
    }
    assert sources == {"one", "two"}
    assert results.explain(LOCAL_ACCOUNT, task.task_id, page.rows[1]).evidence[0].rule
    opened.services.tasks.delete(LOCAL_ACCOUNT, task.task_id)
    with pytest.raises(Gone):
        results.rows(LOCAL_ACCOUNT, task.task_id, black, 0, 10)


@pytest.mark.parametrize("name", ["result", "rows.json", "rows.verdicts"])
def test_no_link_is_made_to_a_result_that_is_missing(opened: Application, name: str) -> None:
    task = complete(opened)
    (opened.folder.results / f"{task.task_id}.1" / name).unlink()
    with pytest.raises(ResultLost):
        opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id, Variant.ORIGINAL)
    with pytest.raises(ResultLost):
        opened.services.results.facets(LOCAL_ACCOUNT, task.task_id, RowFilter())
    opened.services.tasks.delete(LOCAL_ACCOUNT, task.task_id)
    with pytest.raises(Gone, match="deleted"):
        opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id, Variant.ORIGINAL)


class FailingDisk(LocalBlobs):
    """A data folder on a disk that reports errors once ``is_failing``."""

    is_failing = False

    def size(self, key: BlobKey) -> int:
        """Fail, or look."""
        if self.is_failing:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return super().size(key)


def test_a_result_that_cannot_be_read_is_not_called_missing(tmp_path: Path, clock: Clock) -> None:
    opened = open_test_application(tmp_path, clock, open_blobs=FailingDisk)
    task = complete(opened)
    assert isinstance(opened.blobs, FailingDisk)
    opened.blobs.is_failing = True
    with pytest.raises(OSError, match="Input/output error"):
        opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id, Variant.ORIGINAL)


def test_a_name_is_one_line_of_text() -> None:
    assert read_name("name", "\x00 a\r\nb\x1b[31m\u2028c \x07") == "a  b [31m c"
    assert read_name("name", "\U0001f469\u200d\U0001f52c") == "\U0001f469\u200d\U0001f52c"
    for text in ("\x00\n", "a" * 51, "\ud800"):
        with pytest.raises(BadField):
            read_name("name", text)
