"""Uploads: streamed, counted, refused or dropped without a trace."""

import hashlib

import pytest
from sqlalchemy import update

from tests.applications import LIST, Clock, OpenApplication, measure_use, receive, run, stage
from tests.full_disk import limited_file_size
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.errors import (
    Gone,
    KeyRejected,
    QuotaExceeded,
    StorageFull,
    TooLarge,
)
from winnow.core.lists.input_head import Choices
from winnow.services.tasks.integrity import find_faults
from winnow.services.uploads.uploads import STEP_BYTES
from winnow.storage.database.tables import uploads
from winnow.storage.repositories.uploads import remove_unfinished_uploads
from winnow.wiring import Application


def test_an_upload_is_stored_hashed_and_counted(opened: Application) -> None:
    with opened.services.uploads.begin(LOCAL_ACCOUNT, "C:\\lists\\a.CSV", 999) as writer:
        assert measure_use(opened) == (0, 3 * 999)
        for place in range(0, len(LIST), 7):
            writer.write(LIST[place : place + 7])
        upload = writer.finish()
    assert measure_use(opened) == (len(LIST), 2 * len(LIST))
    assert opened.blobs.fetch(upload.key).read_bytes() == LIST
    assert opened.blobs.fetch(upload.key).stat().st_mode & 0o777 == 0o600
    assert upload.sha256 == hashlib.sha256(LIST).hexdigest()
    assert upload.file_name == "a.CSV"
    assert opened.services.uploads.get(LOCAL_ACCOUNT, upload.upload_id) == upload
    head = opened.services.uploads.read_head(LOCAL_ACCOUNT, upload.upload_id, Choices())
    assert head.columns == ("id", "email")
    assert find_faults(opened.database, opened.blobs) == ()


def test_leaving_early_drops_the_upload(opened: Application) -> None:
    with opened.services.uploads.begin(LOCAL_ACCOUNT, "a.csv", 100) as writer:
        writer.write(b"x" * 50)
    assert measure_use(opened) == (0, 0)
    assert list(opened.folder.inputs.iterdir()) == []
    writer.abort()
    with pytest.raises(Gone):
        opened.services.uploads.get(LOCAL_ACCOUNT, writer.upload_id)


def test_discarding_frees_the_room_of_the_own_account(opened: Application) -> None:
    upload = stage(opened)
    with pytest.raises(Gone):
        opened.services.uploads.get("other", upload.upload_id)
    opened.services.uploads.discard("other", upload.upload_id)
    assert measure_use(opened) == (len(LIST), 2 * len(LIST))
    opened.services.uploads.discard(LOCAL_ACCOUNT, upload.upload_id)
    opened.services.uploads.discard(LOCAL_ACCOUNT, upload.upload_id)
    assert measure_use(opened) == (0, 0)
    assert not (opened.folder.inputs / upload.upload_id).exists()


def test_an_upload_whose_file_was_removed_is_gone(opened: Application) -> None:
    upload = stage(opened)
    opened.blobs.fetch(upload.key).unlink()
    with pytest.raises(Gone, match="no longer there"):
        opened.services.uploads.read_head(LOCAL_ACCOUNT, upload.upload_id, Choices())


def test_more_than_declared_is_reserved_on_the_way(open_application: OpenApplication) -> None:
    opened = open_application(quota_bytes=1500)
    with opened.services.uploads.begin(LOCAL_ACCOUNT, "a.csv", 10) as writer:
        writer.write(b"x" * 500)
        assert measure_use(opened) == (0, 1500)
        with pytest.raises(QuotaExceeded):
            writer.write(b"x")
    assert measure_use(opened) == (0, 0)
    assert list(opened.folder.inputs.iterdir()) == []


def test_unknown_lengths_reserve_by_steps(opened: Application) -> None:
    with opened.services.uploads.begin(LOCAL_ACCOUNT, "a.csv", None) as writer:
        writer.write(b"x")
        assert measure_use(opened) == (0, 3 * STEP_BYTES)


def test_the_limit_of_one_file(open_application: OpenApplication) -> None:
    opened = open_application(max_upload_bytes=100)
    with pytest.raises(TooLarge):
        opened.services.uploads.begin(LOCAL_ACCOUNT, "a.csv", 101)
    with opened.services.uploads.begin(LOCAL_ACCOUNT, "a.csv", None) as writer:
        writer.write(b"x" * 100)
        with pytest.raises(TooLarge):
            writer.write(b"x")
    assert measure_use(opened) == (0, 0)


def test_a_full_disk_leaves_nothing_behind(opened: Application) -> None:
    writer = opened.services.uploads.begin(LOCAL_ACCOUNT, "a.csv", 8 << 20)
    with limited_file_size(1 << 20), pytest.raises(StorageFull):
        writer.write(b"x" * (4 << 20))
    assert measure_use(opened) == (0, 0)
    assert list(opened.folder.inputs.iterdir()) == []
    assert find_faults(opened.database, opened.blobs) == ()


def test_tokens_live_ten_minutes_and_name_their_account(opened: Application, clock: Clock) -> None:
    uploads = opened.services.uploads
    token = uploads.issue_token(LOCAL_ACCOUNT)
    clock.advance(minutes=10, seconds=-1)
    assert uploads.account_of_token(token) == LOCAL_ACCOUNT
    clock.advance(seconds=1)
    with pytest.raises(KeyRejected):
        uploads.account_of_token(token)


def test_a_cookie_is_no_upload_token(open_application: OpenApplication) -> None:
    opened = open_application(password="a secret")
    with pytest.raises(KeyRejected):
        opened.services.uploads.account_of_token(opened.services.sign_in.begin_session())


def test_what_was_received_before_a_crash_is_gone_at_the_next_start(
    opened: Application,
) -> None:
    received = receive(opened, LIST)
    staged = stage(opened)
    assert opened.blobs.fetch(received.key).read_bytes() == LIST
    with pytest.raises(Gone):  # no page shows it
        opened.services.uploads.get(LOCAL_ACCOUNT, received.upload_id)
    remove_unfinished_uploads(opened.database, opened.blobs)
    assert list(opened.folder.inputs.iterdir()) == [opened.blobs.fetch(staged.key)]
    assert opened.services.usage.storage(LOCAL_ACCOUNT).used_bytes == len(LIST)
    assert find_faults(opened.database, opened.blobs) == ()


def test_what_was_received_is_completed_by_its_task(opened: Application) -> None:
    received = receive(opened, LIST)
    task = opened.services.tasks.submit(LOCAL_ACCOUNT, received)
    remove_unfinished_uploads(opened.database, opened.blobs)
    run(opened)
    assert opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id).summary is not None
    assert find_faults(opened.database, opened.blobs) == ()


def test_a_removal_that_was_broken_off_goes_on_with_the_next_sweep(
    opened: Application, clock: Clock
) -> None:
    upload = stage(opened)
    with opened.database.write() as connection:  # as far as a kill lets it come
        connection.execute(update(uploads).values(sha256=None))
    opened.services.retention.sweep(clock.now)
    assert not (opened.folder.inputs / upload.upload_id).exists()
    assert opened.services.usage.storage(LOCAL_ACCOUNT).used_bytes == 0
    assert find_faults(opened.database, opened.blobs) == ()
