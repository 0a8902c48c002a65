"""Uploads: streamed, counted, refused or dropped without a trace."""

import hashlib

import pytest
from sqlalchemy import update

from tests.applications import LIST, Clock, OpenApplication, measure_use, receive, run, stage
from tests.full_disk import limited_file_size
from winnow.core.errors import (
    Gone,
    KeyRejected,
    QuotaExceeded,
    StorageFull,
    TooLarge,
)
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.input_head import Choices
from winnow.services.uploads.uploads import STEP_BYTES
from winnow.storage.database.tables import uploads
from winnow.storage.repositories.uploads import remove_unfinished_uploads
from winnow.wiring import Application


def test_an_upload_is_stored_hashed_and_counted(opened: Application) -> None:
    uploads = opened.services.uploads
    with uploads.begin(LOCAL_ACCOUNT, "C:\\lists\\a.CSV", 999) as writer:
        assert measure_use(opened) == (0, 3 * 999)
        for place in range(0, len(LIST), 7):
            writer.write(LIST[place : place + 7])
        upload = writer.finish()
    assert measure_use(opened) == (len(LIST), 2 * len(LIST))
    path = opened.blobs.fetch(upload.key)
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (LIST, 0o600)
    assert upload.sha256 == hashlib.sha256(LIST).hexdigest()
    assert upload.file_name == "a.CSV"
    assert uploads.get(LOCAL_ACCOUNT, upload.upload_id) == upload
    head = uploads.read_head(LOCAL_ACCOUNT, upload.upload_id, Choices())
    assert head.columns == ("id", "email")
    path.unlink()
    with pytest.raises(Gone, match="no longer there"):
        uploads.read_head(LOCAL_ACCOUNT, upload.upload_id, Choices())
    with pytest.raises(Gone):
        uploads.get("other", upload.upload_id)
    uploads.discard("other", upload.upload_id)
    assert measure_use(opened) == (len(LIST), 2 * len(LIST))
    for _ in range(2):
        uploads.discard(LOCAL_ACCOUNT, upload.upload_id)
    assert measure_use(opened) == (0, 0)


def require_nothing(opened: Application) -> None:
    assert measure_use(opened) == (0, 0)
    assert list(opened.folder.inputs.iterdir()) == []


def test_leaving_early_drops_the_upload(opened: Application) -> None:
    with opened.services.uploads.begin(LOCAL_ACCOUNT, "a.csv", None) as writer:
        writer.write(b"x")
        assert measure_use(opened) == (0, 3 * STEP_BYTES)  # of an unknown length by steps
    require_nothing(opened)
    writer.abort()
    with pytest.raises(Gone):
        opened.services.uploads.get(LOCAL_ACCOUNT, writer.upload_id)


def test_more_than_declared_is_reserved_on_the_way(open_application: OpenApplication) -> None:
    opened = open_application(quota_bytes=1500)
    with opened.services.uploads.begin(LOCAL_ACCOUNT, "a.csv", 10) as writer:
        writer.write(b"x" * 500)
        assert measure_use(opened) == (0, 1500)
        with pytest.raises(QuotaExceeded):
            writer.write(b"x")
    require_nothing(opened)


def test_the_limit_of_one_file(open_application: OpenApplication) -> None:
    opened = open_application(max_upload_bytes=100)
    with pytest.raises(TooLarge):
        opened.services.uploads.begin(LOCAL_ACCOUNT, "a.csv", 101)
    with opened.services.uploads.begin(LOCAL_ACCOUNT, "a.csv", None) as writer:
        writer.write(b"x" * 100)
        with pytest.raises(TooLarge):
            writer.write(b"x")
    require_nothing(opened)


def test_a_full_disk_leaves_nothing_behind(opened: Application) -> None:
    writer = opened.services.uploads.begin(LOCAL_ACCOUNT, "a.csv", 8 << 20)
    with limited_file_size(1 << 20), pytest.raises(StorageFull):
        writer.write(b"x" * (4 << 20))
    require_nothing(opened)


def test_tokens_live_ten_minutes_and_name_their_account(
    open_application: OpenApplication, clock: Clock
) -> None:
    services = open_application(password="a secret").services
    with pytest.raises(KeyRejected):
        services.uploads.account_of_token(services.sign_in.begin_session())
    token = services.uploads.issue_token(LOCAL_ACCOUNT)
    clock.advance(minutes=10, seconds=-1)
    assert services.uploads.account_of_token(token) == LOCAL_ACCOUNT
    clock.advance(seconds=1)
    with pytest.raises(KeyRejected):
        services.uploads.account_of_token(token)


def test_what_was_received_is_completed_by_its_task_or_gone_at_the_next_start(
    opened: Application,
) -> None:
    submitted, received, staged = receive(opened, LIST), receive(opened, LIST), stage(opened)
    task = opened.services.tasks.submit(LOCAL_ACCOUNT, submitted)
    assert opened.blobs.fetch(received.key).read_bytes() == LIST
    with pytest.raises(Gone):  # no page shows it
        opened.services.uploads.get(LOCAL_ACCOUNT, received.upload_id)
    remove_unfinished_uploads(opened.database, opened.blobs)
    kept = {opened.blobs.fetch(one.key) for one in (submitted, staged)}
    assert set(opened.folder.inputs.iterdir()) == kept
    assert opened.services.usage.storage(LOCAL_ACCOUNT).used_bytes == 2 * len(LIST)
    run(opened)
    assert opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id).summary is not None


def test_a_removal_that_was_broken_off_goes_on_with_the_next_sweep(
    opened: Application, clock: Clock
) -> None:
    upload = stage(opened)
    with opened.database.writing() as connection:  # as far as a kill lets it come
        connection.execute(update(uploads).values(sha256=None))
    opened.services.retention.sweep(clock.now)
    assert not (opened.folder.inputs / upload.upload_id).exists()
    assert opened.services.usage.storage(LOCAL_ACCOUNT).used_bytes == 0
