"""Do-not-mail files beside a list: laid there before or after, kept with it, gone with it."""

import re
from datetime import timedelta
from pathlib import Path

import pytest

from tests.applications import (
    Clock,
    OpenApplication,
    complete,
    download,
    open_test_application,
    run,
    stage,
)
from winnow.core.accounts import LOCAL_ACCOUNT, Upload
from winnow.core.blobs import BlobKind
from winnow.core.errors import EmptyFile, Gone, QuotaExceeded
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.dimensions import REASON
from winnow.core.lists.exports import Export
from winnow.core.lists.rows import Chosen, RowFilter, Variant
from winnow.core.lists.side_files import OwnFile, OwnFileKind
from winnow.core.verdicts.domain_types import Ground
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category
from winnow.services.tasks.integrity import find_faults
from winnow.wiring import Application

LIST = (
    b"id,email\n1,ana@mailboxes.example\n2,bo@throwaway.example\n3,cy@firma.example\n"
    b"4,di@sub.firma.example\n5,not an address\n6,eve@other.example\n"
)
FILE = b"Email Address,Why\nANA@mailboxes.example,asked\nbo@throwaway.example,asked\n"


def receive(opened: Application, content: bytes, name: str) -> Upload:
    with opened.services.uploads.begin(LOCAL_ACCOUNT, name, None, formats=None) as writer:
        writer.write(content)
        return writer.receive()


def lay_beside(
    opened: Application, task_id: str, content: bytes = FILE, name: str = "do-not-mail.csv"
) -> OwnFile:
    received = receive(opened, content, name)
    return opened.services.own_files.add_to_task(LOCAL_ACCOUNT, task_id, received)


def lay_beside_upload(opened: Application, upload_id: str, content: bytes, name: str) -> OwnFile:
    received = receive(opened, content, name)
    return opened.services.own_files.add(
        LOCAL_ACCOUNT, OwnFileKind.DO_NOT_MAIL, received, upload_id=upload_id
    )


def count_rows(opened: Application, task_id: str) -> dict[str, int]:
    """Return the rows that each file of a project matches, by its name, the oldest first."""
    counts = opened.services.own_files.count_rows(LOCAL_ACCOUNT, task_id)
    files = opened.services.own_files.list_of_task(LOCAL_ACCOUNT, task_id)
    return {file.file_name: counts[file.file_id] for file in files} if counts is not None else {}


def read_database(opened: Application) -> bytes:
    return b"".join(path.read_bytes() for path in opened.folder.root.glob("winnow.db*"))


def test_a_file_takes_its_rows_from_a_cleaned_list_at_once(
    opened: Application, clock: Clock
) -> None:
    task = complete(opened, LIST)
    before = download(opened, task)
    lay_beside(opened, task.task_id)
    clock.advance(seconds=1)
    lay_beside(opened, task.task_id, b"*.firma.example\n", "domains.txt")
    assert [*count_rows(opened, task.task_id).items()] == [
        ("do-not-mail.csv", 2),
        ("domains.txt", 1),
    ]
    kept = download(opened, task, Variant.CLEANED).decode()
    assert re.findall(r"^\d", kept, re.MULTILINE) == ["3", "6"]
    gone = download(opened, task, Variant.REMOVED).decode()
    assert re.findall(r"^\d", gone, re.MULTILINE) == ["1", "2", "4", "5"]
    assert download(opened, task) == before
    effect = opened.services.results.weigh(LOCAL_ACCOUNT, task.task_id, CleaningPolicy())
    assert effect.lost_by_reason[Reason.DO_NOT_MAIL] == 3
    assert effect.by_ground[Ground.BLACK] == 2
    without = CleaningPolicy(frozenset({Ground.BLACK}))
    assert opened.services.results.weigh(LOCAL_ACCOUNT, task.task_id, without).lost == 2
    chosen = RowFilter(Chosen().choose(REASON, Reason.DO_NOT_MAIL.value))
    found = opened.services.results.rows(LOCAL_ACCOUNT, task.task_id, chosen, 0, 10)
    assert [row.number for row in found.rows] == [1, 2, 4]


def test_a_file_laid_beside_an_upload_goes_with_it_into_the_project(opened: Application) -> None:
    upload = stage(opened, LIST)
    waiting = lay_beside_upload(opened, upload.upload_id, FILE, "do-not-mail.csv")
    assert waiting.counts.addresses == 2
    kind = OwnFileKind.DO_NOT_MAIL
    assert opened.services.own_files.list(LOCAL_ACCOUNT, kind, upload.upload_id) == (waiting,)
    task = opened.services.tasks.submit(LOCAL_ACCOUNT, upload.upload_id)
    assert opened.services.own_files.count_rows(LOCAL_ACCOUNT, task.task_id) is None
    run(opened)
    names = [blob.key.name for blob in opened.blobs.list(BlobKind.OWN_FILE)]
    assert sum(name.endswith(f".{task.task_id}") for name in names) == 1, "found before a page asks"
    lay_beside_upload(opened, upload.upload_id, b"eve@other.example\n", "late.txt")
    assert count_rows(opened, task.task_id) == {"do-not-mail.csv": 2, "late.txt": 1}


def test_a_do_not_mail_file_outranks_a_keep_list(opened: Application) -> None:
    task = complete(opened, LIST)
    opened.services.own_lists.add(LOCAL_ACCOUNT, "mailboxes.example", Category.WHITE)
    lay_beside(opened, task.task_id)
    assert b"\n1," not in download(opened, task, Variant.CLEANED)
    row = opened.services.results.row(LOCAL_ACCOUNT, task.task_id, 1)
    assert row.verdict.category is Category.WHITE
    [file_said, list_said, *_] = opened.services.results.explain(
        LOCAL_ACCOUNT, task.task_id, row
    ).evidence
    assert (file_said.reason, file_said.source) == (Reason.DO_NOT_MAIL, "do-not-mail.csv")
    assert list_said.reason is Reason.OWN_DOMAIN


def test_a_workbook_made_for_a_link_follows_the_files(opened: Application) -> None:
    from winnow.core.lists.exports import DownloadChoice
    from winnow.core.lists.file_format import FileFormat

    task = complete(opened, LIST)
    choice = DownloadChoice(file_format=FileFormat.XLSX)
    link = opened.services.downloads.issue(
        LOCAL_ACCOUNT, task.task_id, Export(Variant.CLEANED, choice)
    )
    token = link.path.rpartition("/")[2]
    before = opened.services.downloads.open(token).path
    file = lay_beside(opened, task.task_id)
    after = opened.services.downloads.open(token).path
    opened.services.own_files.remove(LOCAL_ACCOUNT, file.file_id)
    again = opened.services.downloads.open(token).path
    assert before == again != after


def test_files_are_there_after_a_restart_and_matched_no_more(
    opened: Application, tmp_path: Path, clock: Clock
) -> None:
    task = complete(opened, LIST)
    lay_beside(opened, task.task_id)
    count_rows(opened, task.task_id)
    opened.database.close()
    again = open_test_application(tmp_path, clock)
    (tmp_path / "data" / "results" / f"{task.task_id}.1" / "rows.names").rename(tmp_path / "away")
    assert count_rows(again, task.task_id) == {"do-not-mail.csv": 2}


@pytest.mark.parametrize("deleted", [True, False], ids=["deleted", "expired"])
def test_what_a_file_named_goes_with_its_project(
    opened: Application, clock: Clock, deleted: bool
) -> None:
    task = complete(opened, LIST)
    lay_beside(opened, task.task_id)
    count_rows(opened, task.task_id)
    assert opened.blobs.list(BlobKind.OWN_FILE)
    if deleted:
        opened.services.tasks.delete(LOCAL_ACCOUNT, task.task_id)
    else:
        clock.advance(days=31)
    assert deleted is (opened.services.usage.storage(LOCAL_ACCOUNT).used_bytes == 0)
    opened.services.retention.sweep(clock())
    assert not opened.blobs.list(BlobKind.OWN_FILE)
    assert opened.services.usage.storage(LOCAL_ACCOUNT).used_bytes == 0
    assert find_faults(opened.database, opened.blobs) == ()


def test_a_discarded_upload_takes_its_files_along(opened: Application, clock: Clock) -> None:
    upload = stage(opened, LIST)
    lay_beside_upload(opened, upload.upload_id, FILE, "do-not-mail.csv")
    opened.services.uploads.discard(LOCAL_ACCOUNT, upload.upload_id)
    opened.services.retention.sweep(clock())
    assert not opened.blobs.list(BlobKind.OWN_FILE)
    assert opened.services.usage.storage(LOCAL_ACCOUNT).used_bytes == 0
    with pytest.raises(Gone):
        lay_beside_upload(opened, upload.upload_id, FILE, "late.csv")
    assert find_faults(opened.database, opened.blobs) == ()


def test_a_removed_file_gives_its_rows_back(opened: Application) -> None:
    task = complete(opened, LIST)
    before = opened.services.usage.storage(LOCAL_ACCOUNT).used_bytes
    file = lay_beside(opened, task.task_id)
    assert opened.services.usage.storage(LOCAL_ACCOUNT).used_bytes > before
    assert not opened.services.own_files.remove("other", file.file_id)
    assert opened.services.own_files.list_of_task(LOCAL_ACCOUNT, task.task_id)
    assert opened.services.own_files.remove(LOCAL_ACCOUNT, file.file_id)
    assert not opened.services.own_files.remove(LOCAL_ACCOUNT, file.file_id)
    assert b"\n1," in download(opened, task, Variant.CLEANED)
    assert opened.services.usage.storage(LOCAL_ACCOUNT).used_bytes == before
    assert not opened.services.own_files.list_of_task(LOCAL_ACCOUNT, task.task_id)


def test_a_list_checked_again_keeps_its_files(opened: Application) -> None:
    task = complete(opened, LIST)
    lay_beside(opened, task.task_id)
    again = opened.services.tasks.submit_again(LOCAL_ACCOUNT, task.task_id)
    run(opened)
    assert count_rows(opened, again.task_id) == {"do-not-mail.csv": 2}
    opened.services.tasks.delete(LOCAL_ACCOUNT, task.task_id)
    assert b"\n1," not in download(opened, again, Variant.CLEANED)
    assert find_faults(opened.database, opened.blobs) == ()


def test_a_file_that_names_nobody_leaves_nothing(opened: Application, clock: Clock) -> None:
    task = complete(opened, LIST)
    used = opened.services.usage.storage(LOCAL_ACCOUNT)
    with pytest.raises(EmptyFile):
        lay_beside(opened, task.task_id, b"name\nAna\nBo\n", "names.csv")
    assert opened.services.usage.storage(LOCAL_ACCOUNT) == used
    assert not opened.blobs.list(BlobKind.OWN_FILE)
    assert not opened.services.own_files.list_of_task(LOCAL_ACCOUNT, task.task_id)


def test_hashes_count_toward_the_quota(open_application: OpenApplication) -> None:
    opened = open_application(quota_bytes=90_000)
    task = complete(opened, LIST)
    many = b"".join(b"user%d@firma.example\n" % number for number in range(1000))
    before = opened.services.usage.storage(LOCAL_ACCOUNT).used_bytes
    lay_beside(opened, task.task_id, many[:4000], "many.txt")
    grown = opened.services.usage.storage(LOCAL_ACCOUNT).used_bytes - before
    hashes = (one.key for one in opened.blobs.list(BlobKind.OWN_FILE) if "." not in one.key.name)
    assert grown == sum(map(opened.blobs.size, hashes))
    lay_beside(opened, task.task_id, many, "more.txt")
    with pytest.raises(QuotaExceeded):
        lay_beside(opened, task.task_id, many * 3, "most.txt")
    assert find_faults(opened.database, opened.blobs) == ()


def test_what_broke_off_is_swept(opened: Application, clock: Clock) -> None:
    from winnow.storage.repositories.own_files import begin_file

    task = complete(opened, LIST)
    file_id = "0" * 8 + "-0000-0000-0000-" + "0" * 12
    begin_file(
        opened.database, LOCAL_ACCOUNT, file_id, OwnFileKind.DO_NOT_MAIL, "half.csv", clock()
    )
    (opened.folder.own_files / f"{file_id}.tmp").write_bytes(b"half")
    (opened.folder.own_files / file_id).write_bytes(b"half")
    opened.services.retention.sweep(clock() + timedelta(minutes=5))
    assert (opened.folder.own_files / file_id).exists()
    opened.services.retention.sweep(clock() + timedelta(hours=2))
    opened.services.retention.sweep(clock() + timedelta(days=31))
    assert not list(opened.folder.own_files.iterdir())
    assert task.task_id


def test_no_address_is_kept_of_a_file(
    opened: Application, caplog: pytest.LogCaptureFixture
) -> None:
    """Whom a file names stands in no database, no stored file, and no log."""
    caplog.set_level("DEBUG")
    task = complete(opened, LIST)
    lay_beside(opened, task.task_id, b"Secret.Person@hidden.example\nquiet.example\n", "x.txt")
    count_rows(opened, task.task_id)
    kept = read_database(opened) + b"".join(
        path.read_bytes() for path in opened.folder.root.rglob("*") if path.is_file()
    )
    for word in (b"secret.person", b"Secret.Person", b"hidden.example", b"quiet.example"):
        assert word not in kept
        assert word.decode() not in caplog.text
