"""A packed list through the whole service: room, refusals at the door, files packed alike."""

import gzip

import pytest

from tests.applications import (
    CHECKED_LIST,
    LIST,
    OpenApplication,
    complete,
    delete_for_good,
    follow,
    measure_use,
    run,
    send,
    stage,
    submit,
)
from tests.services.test_downloads import unpack
from winnow.core.errors import BrokenFile, QuotaExceeded, TooLarge, UnsupportedFormat
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.exports import DownloadChoice, Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import Variant
from winnow.core.tasks.task import TaskState
from winnow.wiring import Application

LONG = b"email\n" + b"".join(b"user%d@mailboxes.example\n" % one for one in range(20_000))
PACKED_LONG = gzip.compress(LONG, mtime=0)


def test_every_file_comes_back_packed_alike(opened: Application) -> None:
    task = complete(opened, gzip.compress(LIST, mtime=0), name="list.csv.gz")
    plain = complete(opened)
    assert task.plan.file_format is FileFormat("csv.gz")
    assert task.summary == plain.summary
    for choice in (DownloadChoice(), DownloadChoice(adds_reason=True, safe_for_excel=True)):
        for variant in set(Variant) - {Variant.PACK}:
            export = Export(variant, choice)
            (name, sent), (usual_name, usual) = (send(opened, one, export) for one in (task, plain))
            assert (name, gzip.decompress(sent)) == (f"{usual_name}.gz", usual)
    link = opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id)
    assert follow(opened, link).media_type == "application/gzip"
    whole = unpack(send(opened, task, Export(Variant.PACK))[1])
    assert gzip.decompress(whole["spring-checked.csv.gz"]) == CHECKED_LIST
    as_csv = Export(Variant.CLEANED, DownloadChoice(file_format=FileFormat.CSV))
    assert send(opened, task, as_csv)[0] == "spring-cleaned.csv"


def test_the_unpacked_list_counts(opened: Application) -> None:
    upload = stage(opened, PACKED_LONG, name="list.csv.gz")
    assert upload.size_bytes == len(PACKED_LONG) < len(LONG) / 3
    assert measure_use(opened) == (len(PACKED_LONG), 2 * len(LONG))
    plain = submit(opened, LONG)
    held = measure_use(opened)[1] - 2 * len(LONG)
    opened.services.tasks.cancel(LOCAL_ACCOUNT, plain.task_id)
    delete_for_good(opened.services, plain.task_id)
    opened.services.uploads.discard(LOCAL_ACCOUNT, upload.upload_id)
    assert measure_use(opened) == (0, 0)
    task = submit(opened, PACKED_LONG, name="list.csv.gz")
    assert measure_use(opened) == (len(PACKED_LONG), held)
    run(opened)
    assert opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id).state is TaskState.COMPLETED
    assert measure_use(opened)[1] == 0


@pytest.mark.parametrize(
    ("content", "settings", "refused"),
    [
        pytest.param(PACKED_LONG, {"max_upload_bytes": len(LONG) - 1}, TooLarge, id="large"),
        pytest.param(PACKED_LONG, {"quota_bytes": 2 * len(LONG)}, QuotaExceeded, id="no-room"),
        pytest.param(PACKED_LONG, {"quota_bytes": len(LONG) // 2}, QuotaExceeded, id="none-at-all"),
        pytest.param(gzip.compress(bytes(100 << 20), mtime=0), {}, BrokenFile, id="bomb"),
        pytest.param(gzip.compress(LIST, mtime=0)[:-4], {}, BrokenFile, id="truncated"),
        pytest.param(LIST, {}, UnsupportedFormat, id="not-packed"),
    ],
)
def test_what_cannot_be_unpacked_is_refused_at_the_door(
    open_application: OpenApplication,
    content: bytes,
    settings: dict[str, int],
    refused: type[Exception],
) -> None:
    opened = open_application(**settings)
    with pytest.raises(refused) as caught:
        stage(opened, content, name="list.csv.gz")
    assert type(caught.value) is refused
    assert measure_use(opened) == (0, 0)
    assert list(opened.folder.inputs.iterdir()) == []


def test_a_long_name_keeps_both_its_ends(opened: Application) -> None:
    upload = stage(opened, gzip.compress(LIST, mtime=0), name=f"{'x' * 300}.CSV.gz")
    assert upload.file_name == f"{'x' * 200}.CSV.gz"
