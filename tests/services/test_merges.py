"""Several uploads as one list: nothing lost, nothing half-done, nothing kept that should go."""

import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from tests.applications import (
    Clock,
    OpenApplication,
    delete_for_good,
    download,
    measure_use,
    open_test_application,
    receive,
    run,
    stage,
)
from tests.tables import read_csv
from winnow.core.blobs import BlobKind
from winnow.core.errors import BrokenFile, Gone, QuotaExceeded
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.input_head import Choices, Head
from winnow.core.lists.rows import Variant
from winnow.core.lists.side_files import OwnFileKind
from winnow.core.lists.upload import Upload
from winnow.core.meaning.columns import NO_DECISIONS
from winnow.core.meaning.outcomes import Outcome
from winnow.core.tasks.task import Task
from winnow.lists.inspect import find_column
from winnow.services.tasks.integrity import find_faults
from winnow.storage.repositories.uploads import remove_unfinished_uploads
from winnow.wiring import Application

FIRST = b"id,email\n01,one@mailboxes.example\n02,two@throwaway.example\n"
SECOND = "E-Mail;città\nONE@mailboxes.example;Forlì\nthree@mailboxes.example;\n".encode("cp1252")


def stage_both(opened: Application) -> tuple[Upload, Upload]:
    return stage(opened, FIRST, name="jan.csv"), stage(opened, SECOND, name="feb.csv")


def look(opened: Application, upload: Upload) -> tuple[str, Head, int]:
    head = opened.services.uploads.read_head(LOCAL_ACCOUNT, upload.upload_id, Choices())
    return upload.upload_id, head, find_column(head)


def merge(opened: Application, *uploads: Upload) -> Upload:
    return opened.services.merges.merge(LOCAL_ACCOUNT, [look(opened, one) for one in uploads])


def submit(opened: Application, upload: Upload) -> Task:
    return opened.services.tasks.submit(LOCAL_ACCOUNT, upload.upload_id)


def read(opened: Application, upload: Upload) -> list[list[str]]:
    return read_csv(b"".join(opened.blobs.read_blob(upload.key)))


def list_names(opened: Application) -> list[str]:
    return [one.file_name for one in opened.services.uploads.list_waiting(LOCAL_ACCOUNT)]


def test_the_merged_list_takes_the_place_of_its_files_and_is_cleaned_like_any(
    opened: Application,
) -> None:
    merged = merge(opened, *stage_both(opened))
    assert read(opened, merged) == [
        ["id", "email", "città", "source_file"],
        ["01", "one@mailboxes.example", "", "jan.csv"],
        ["02", "two@throwaway.example", "", "jan.csv"],
        ["", "ONE@mailboxes.example", "Forlì", "feb.csv"],
        ["", "three@mailboxes.example", "", "feb.csv"],
    ]
    assert list_names(opened) == ["jan and 1 more.csv"]
    size_bytes = len(b"".join(opened.blobs.read_blob(merged.key)))
    assert merged.size_bytes == size_bytes  # room is reserved as for one upload of its size
    assert measure_use(opened) == (len(FIRST) + len(SECOND) + size_bytes, 2 * size_bytes)
    task = submit(opened, merged)
    assert task.project_name == "jan and 1 more"
    assert list_names(opened) == []
    assert [blob.key.name for blob in opened.blobs.list(BlobKind.INPUT)] == [merged.upload_id]
    run(opened)
    task = opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id)
    assert task.request.merge is not None
    files = [(one.file_name, one.rows) for one in task.request.merge.files]
    assert files == [("jan.csv", 2), ("feb.csv", 2)]
    assert download(opened, task).decode().splitlines() == [
        "id,email,città,source_file,category,domain_type",
        "02,two@throwaway.example,,jan.csv,black,disposable",
        ",ONE@mailboxes.example,Forlì,feb.csv,white,free",
        ",three@mailboxes.example,,feb.csv,white,free",
    ], "of an address in both files the row of the later one stays"


def test_a_name_of_an_export_of_noes_counts_for_its_rows(opened: Application) -> None:
    names = ("cleaned may.csv", "unsubscribed_members_export_1.csv")
    lists = (b"email\nana@a.example\nbo@a.example\n", b"email\nBO@a.example\ncy@a.example\n")
    files = [stage(opened, one, name=name) for one, name in zip(lists, names, strict=True)]
    task = submit(opened, merge(opened, *files))
    run(opened)
    mailed = read_csv(download(opened, task, Variant.CLEANED))
    assert [row[0] for row in mailed[1:]] == ["ana@a.example"]
    [column] = opened.services.mail_choices.list_columns(LOCAL_ACCOUNT, task.task_id)
    assert {word.value: word.outcome for word in column.words} == {
        names[0]: Outcome.NOTHING,
        names[1]: Outcome.NO_MAIL,
    }


def test_a_no_decided_of_one_file_holds_for_the_merged_list(opened: Application) -> None:
    files = [stage(opened, b"email,Status\nana@a.example,Gold\n") for _ in range(2)]
    for value, is_mailed in (("Gold", False), ("Unsubscribed", True)):
        decided = NO_DECISIONS.decide_value("Status", value, is_mailed)
        opened.services.uploads.decide(LOCAL_ACCOUNT, files[0].upload_id, decided)
    merged = opened.services.uploads.get(LOCAL_ACCOUNT, merge(opened, *files).upload_id)
    assert merged.mail == NO_DECISIONS.decide_value("Status", "Gold", is_mailed=False)


def test_its_files_come_back_when_it_is_discarded(opened: Application) -> None:
    first, second = stage_both(opened)
    merged = merge(opened, first, second)
    opened.services.uploads.discard(LOCAL_ACCOUNT, merged.upload_id)
    assert sorted(list_names(opened)) == ["feb.csv", "jan.csv"]
    again = merge(opened, first, second)
    assert len(read(opened, again)) == 5
    task = submit(opened, again)
    delete_for_good(opened.services, task.task_id)
    assert measure_use(opened) == (0, 0)


def test_a_merged_list_can_be_a_file_of_another(opened: Application) -> None:
    inner = merge(opened, *stage_both(opened))
    outer = merge(opened, inner, stage(opened, FIRST, name="mar.csv"))
    assert read(opened, outer)[0] == ["id", "email", "città", "source_file", "source_file_2"]
    assert list_names(opened) == ["jan and 1 more and 1 more.csv"]
    submit(opened, outer)
    opened.services.retention.sweep(opened.services.clock())
    assert list_names(opened) == []
    assert [blob.key.name for blob in opened.blobs.list(BlobKind.INPUT)] == [outer.upload_id]


def test_without_room_all_stays_as_it_was(open_application: OpenApplication) -> None:
    opened = open_application(quota_bytes=3 * (len(FIRST) + len(SECOND)))
    first, second = stage_both(opened)
    before = measure_use(opened)
    with pytest.raises(QuotaExceeded):
        merge(opened, first, second)
    assert measure_use(opened) == before
    assert sorted(list_names(opened)) == ["feb.csv", "jan.csv"]


def test_a_file_that_cannot_be_read_is_named_and_nothing_is_left(opened: Application) -> None:
    good = stage(opened, FIRST, name="good.csv")
    lines = b"a@mailboxes.example,1\n" * 100_000
    bad = stage(opened, b"email,n\n" + lines + b'"b,1\n', name="bad.csv")
    told: list[int] = []
    before = measure_use(opened)
    files = [look(opened, good), look(opened, bad)]
    with pytest.raises(BrokenFile, match="100,002"):
        opened.services.merges.merge(LOCAL_ACCOUNT, files, told.append)
    assert told == [0, 1], "the last one told is the one"
    assert measure_use(opened) == before
    assert len(opened.blobs.list(BlobKind.INPUT)) == 2


def test_a_file_that_was_taken_meanwhile_ends_the_merge(opened: Application) -> None:
    opened.services.accounts.create("other")
    first, second = stage_both(opened)
    files = [look(opened, first), look(opened, second)]
    with pytest.raises(Gone):  # another's files are not there
        opened.services.merges.merge("other", files)

    def take(number: int) -> None:
        if number == 1:
            opened.services.uploads.discard(LOCAL_ACCOUNT, first.upload_id)

    with pytest.raises(Gone):
        opened.services.merges.merge(LOCAL_ACCOUNT, files, take)
    assert list_names(opened) == ["feb.csv"]


def test_do_not_mail_files_beside_a_file_hold_for_the_merged_list(opened: Application) -> None:
    first, second = stage_both(opened)
    received = receive(opened, b"three@mailboxes.example\n", "no.txt")
    kind, files = OwnFileKind.DO_NOT_MAIL, opened.services.own_files
    files.add(LOCAL_ACCOUNT, kind, received, upload_id=second.upload_id)
    merged = merge(opened, first, second)
    beside = files.list(LOCAL_ACCOUNT, kind, merged.upload_id)
    assert [file.file_name for file in beside] == ["no.txt"]


def test_both_go_when_nobody_comes_back(opened: Application, clock: Clock) -> None:
    merge(opened, *stage_both(opened))
    clock.now += timedelta(days=2)
    opened.services.retention.sweep(clock())
    assert measure_use(opened) == (0, 0)
    assert opened.blobs.list(BlobKind.INPUT) == ()


def test_how_it_is_written_need_not_be_guessed(opened: Application) -> None:
    first = stage(opened, b'a,email\n"x;y;z|\\""",a@mailboxes.example\n', name="odd.csv")
    other = stage(opened, b"Mail,email\nq@other.example,b@mailboxes.example\n", name="two.csv")
    files = [look(opened, first)]
    head = opened.services.uploads.read_head(LOCAL_ACCOUNT, other.upload_id, Choices())
    files.append((other.upload_id, head, 1))
    merged = opened.services.merges.merge(LOCAL_ACCOUNT, files)
    head = opened.services.uploads.read_head(LOCAL_ACCOUNT, merged.upload_id, Choices())
    assert head.columns == ("a", "email", "Mail", "source_file")
    assert head.chosen_column == 1
    assert head.sample_rows[0] == ('x;y;z|\\"', "a@mailboxes.example", "", "odd.csv")


@pytest.mark.parametrize("at", [0, 1])
def test_a_crash_leaves_the_files_as_they_were(
    opened: Application, tmp_path: Path, clock: Clock, at: int
) -> None:
    files = [look(opened, one) for one in stage_both(opened)]
    before = measure_use(opened)

    def copy_folder(number: int) -> None:
        if number == at:  # the copy is what a process leaves that is killed now
            shutil.copytree(opened.folder.root, tmp_path / "killed" / "data")

    opened.services.merges.merge(LOCAL_ACCOUNT, files, copy_folder)
    again = open_test_application(tmp_path / "killed", clock)
    assert sorted(list_names(again)) == ["feb.csv", "jan.csv"], "nothing half-done is shown"
    remove_unfinished_uploads(again.database, again.blobs)  # as a start does
    assert measure_use(again) == before
    assert len(again.blobs.list(BlobKind.INPUT)) == 2
    assert find_faults(again.database, again.blobs) == ()
    merge(again, *again.services.uploads.list_waiting(LOCAL_ACCOUNT))
    again.database.close()
