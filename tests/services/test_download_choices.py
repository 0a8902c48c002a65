"""Links that remember what was chosen: which rows, which columns, which format, all in a zip."""

import io
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import insert

from tests.applications import CHECKED_LIST, Clock, complete
from tests.workbooks import read_cells, write_workbook
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.errors import DoesNotFit
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.exports import NOTHING_CHOSEN, DownloadChoice, Export
from winnow.core.lists.file_format import TRAITS, FileFormat
from winnow.core.lists.rows import Variant
from winnow.core.tasks.task import Task
from winnow.core.verdicts.domain_types import Ground
from winnow.core.verdicts.verdict import Category
from winnow.services.results.link_files import OpenDownload
from winnow.storage.database.tables import links
from winnow.storage.repositories.links import hash_token
from winnow.wiring import Application

HEAD, FREE, DISPOSABLE, INVALID = CHECKED_LIST.splitlines(keepends=True)
WITHOUT_FREE = CleaningPolicy(frozenset({Ground.FREE_PROVIDER}))


def follow(
    opened: Application, task: Task, variant: Variant, choice: DownloadChoice = NOTHING_CHOSEN
) -> OpenDownload:
    link = opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id, Export(variant, choice))
    sent = opened.services.downloads.open(link.path.rpartition("/")[2])
    assert sent.file_name == link.file_name
    return sent


def read(sent: OpenDownload) -> bytes:
    content = b"".join(sent.read())
    assert sent.size_bytes in (None, len(content))
    return content


def unpack(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {info.filename: archive.read(info) for info in archive.infolist()}


def test_what_goes_is_what_was_chosen(opened: Application) -> None:
    task, everything = complete(opened), CleaningPolicy(frozenset(Ground))
    for policy, variant, rows, name in (
        (CleaningPolicy(), Variant.CLEANED, [FREE], "spring-cleaned.csv"),
        (CleaningPolicy(), Variant.REMOVED, [DISPOSABLE, INVALID], "spring-removed.csv"),
        (CleaningPolicy(), Variant.REVIEW, [], "spring-review.csv"),
        (WITHOUT_FREE, Variant.CLEANED, [DISPOSABLE, INVALID], "spring-kept.csv"),
        (WITHOUT_FREE, Variant.REMOVED, [FREE], "spring-removed.csv"),
        (everything, Variant.CLEANED, [], "spring-cleaned.csv"),
    ):
        sent = follow(opened, task, variant, DownloadChoice(policy))
        assert read(sent) == b"".join([HEAD, *rows])
        assert (sent.file_name, sent.media_type) == (name, "text/csv")


def test_only_a_file_without_black_rows_is_called_cleaned(opened: Application) -> None:
    task = complete(opened)
    for grounds in (frozenset(), *(frozenset({one}) for one in Ground)):
        choice = DownloadChoice(CleaningPolicy(grounds))
        sent = follow(opened, task, Variant.CLEANED, choice)
        is_cleaned = b",black," not in read(sent)
        assert sent.file_name == ("spring-cleaned.csv" if is_cleaned else "spring-kept.csv")


def test_a_workbook_as_text(opened: Application, tmp_path: Path) -> None:
    source = write_workbook(
        tmp_path / "list.xlsx", [("email", "n"), ("a@mailboxes.example", "007, =1")]
    )
    task = complete(opened, source.read_bytes(), name="list.xlsx")
    choice = DownloadChoice(file_format=FileFormat.CSV)
    assert read(follow(opened, task, Variant.CLEANED, choice)) == (
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
    assert read(follow(opened, task, Variant.REMOVED, choice))  # two rows fit


@pytest.mark.parametrize("project_name", ["spring", "K\u00e4ufer / 'x' 2026", "../../etc"])
def test_all_files_in_one_zip(opened: Application, project_name: str) -> None:
    task = complete(opened, project_name=project_name)
    choice = DownloadChoice(CleaningPolicy(), adds_reason=True)
    pack = follow(opened, task, Variant.PACK, choice)
    assert pack.media_type == "application/zip"
    found = unpack(read(pack))
    variants = (Variant.CLEANED, Variant.REMOVED, Variant.REVIEW, Variant.AUGMENTED)
    alone = [follow(opened, task, variant, choice) for variant in variants]
    lists = {one.file_name: read(one) for one in alone}
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
        (tmp_path / "cleaned.xlsx").write_bytes(unpack(read(sent))["spring-cleaned.xlsx"])
        return len(read_cells(tmp_path / "cleaned.xlsx")) - 1

    token = link.path.rpartition("/")[2]
    sent = opened.services.downloads.open(token)
    opened.services.own_lists.add(LOCAL_ACCOUNT, "throwaway.example", Category.WHITE)
    assert count_cleaned(sent) == 1, "every file of a pack is of one moment"
    assert count_cleaned(opened.services.downloads.open(token)) == 2


def test_a_link_of_an_older_data_folder_goes_on_working(opened: Application, clock: Clock) -> None:
    task = complete(opened)
    old = {"token_hash": hash_token("old"), "task_id": task.task_id, "variant": "cleaned"}
    values = {**old, "expires_at": clock.now.replace(hour=13), "choice": None}
    opened.database.run(insert(links).values(values))
    sent = opened.services.downloads.open("old")
    assert (sent.file_name, read(sent)) == ("spring-cleaned.csv", HEAD + FREE)
