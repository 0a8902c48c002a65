"""Keys: shown once, kept as a hash, dead when revoked. Sign-in by one password."""

import threading
from pathlib import Path

import pytest

from tests.applications import Clock, Interrupted, OpenApplication, complete
from tests.waiting import PATIENCE_SECONDS
from winnow.core.errors import BadField, KeyRejected, StorageFull
from winnow.core.identities import LOCAL_ACCOUNT, Role
from winnow.core.tasks.task import KeyType
from winnow.services.accounts import usage
from winnow.wiring import Application


@pytest.mark.parametrize("key_type", KeyType)
def test_a_key_is_recognised_and_counted(
    opened: Application, clock: Clock, key_type: KeyType
) -> None:
    keys = opened.services.keys
    key, text = keys.create(LOCAL_ACCOUNT, " crm ", key_type)
    assert text.startswith(f"{key.prefix}.")
    assert key.prefix.startswith(f"wk_{key_type}_")
    clock.advance(hours=1)
    assert keys.authenticate(text).prefix == key.prefix
    keys.authenticate(text)
    (listed,) = keys.list(LOCAL_ACCOUNT)
    assert (listed.name, listed.key_type) == ("crm", key_type)
    assert (listed.use_count, listed.last_used_at) == (2, clock.now)


def test_uses_are_committed_together_by_a_running_server(opened: Application, clock: Clock) -> None:
    keys, counter = opened.services.keys, opened.services.usage_counter
    key, text = keys.create(LOCAL_ACCOUNT, "crm", KeyType.LIVE)
    wrong = text[:-1] + ("A" if text[-1] != "A" else "B")
    counter.start()
    for _ in range(20):
        keys.authenticate(text)
        with pytest.raises(KeyRejected):  # a wrong secret stays wrong beside the right one
            keys.authenticate(wrong)
        counter.count_checks(key, clock.now)
    assert keys.list(LOCAL_ACCOUNT)[0].use_count == 20
    keys.authenticate(text)
    counter.stop()
    assert keys.list(LOCAL_ACCOUNT)[0].use_count == 21
    assert opened.services.usage.days(LOCAL_ACCOUNT, 1)[0].single == 20


def test_a_commit_waits_for_one_that_is_being_written(opened: Application, clock: Clock) -> None:
    key, _ = opened.services.keys.create(LOCAL_ACCOUNT, "crm", KeyType.LIVE)
    other = threading.Thread(target=lambda: counts.commit())

    def look() -> None:
        other.start()
        other.join(0.2)
        assert other.is_alive()

    counts = usage.UsageCounter(Interrupted(opened.database, "writing", look))
    counts.count_checks(key, clock.now)
    counts.commit()
    other.join()


def test_a_full_disk_ends_no_committing(
    opened: Application, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usage, "COMMIT_SECONDS", 0.01)
    key, _ = opened.services.keys.create(LOCAL_ACCOUNT, "crm", KeyType.LIVE)
    has_written = threading.Event()

    def fail() -> None:
        raise StorageFull("The disk is full.")

    database = Interrupted(opened.database, "writing", fail, has_written.set)
    counts = usage.UsageCounter(database)
    counts.start()
    counts.count_checks(key, clock.now)
    assert has_written.wait(PATIENCE_SECONDS)
    counts.stop()
    assert opened.services.usage.days(LOCAL_ACCOUNT, 1)[0].single == 1


def test_the_database_holds_no_secret(open_application: OpenApplication, tmp_path: Path) -> None:
    opened = open_application(password="open sesame")
    services, task = opened.services, complete(opened)
    key, text = services.keys.create(LOCAL_ACCOUNT, "crm", KeyType.LIVE)
    link = services.downloads.issue(LOCAL_ACCOUNT, task.task_id)
    hook = services.hooks.set_url(LOCAL_ACCOUNT, key.prefix, "https://shop.example/")
    session = services.sign_in.begin_session()
    services.people.add("ana", Role.ADMIN, "correct horse")
    opened.database.copy_to(tmp_path / "copy.db")
    content = (tmp_path / "copy.db").read_bytes()
    assert hook is not None
    for secret in (
        *(text.partition(".")[2], link.path.rpartition("/")[2], hook.removeprefix("whsec_")),
        *(session, "open sesame", "correct horse"),
    ):
        assert secret.encode() not in content
    assert opened.folder.read_pepper() not in content


def test_another_pepper_knows_no_key(
    opened: Application, open_application: OpenApplication
) -> None:
    _, text = opened.services.keys.create(LOCAL_ACCOUNT, "crm", KeyType.LIVE)
    opened.folder.pepper.write_bytes(bytes(32))
    with pytest.raises(KeyRejected):
        open_application().services.keys.authenticate(text)


def test_unknown_and_revoked_keys_get_the_same_answer(opened: Application) -> None:
    keys = opened.services.keys
    key, text = keys.create(LOCAL_ACCOUNT, "crm", KeyType.LIVE)
    _, other = keys.create(LOCAL_ACCOUNT, "other", KeyType.LIVE)
    keys.revoke("someone else", key.prefix)
    keys.authenticate(text)
    keys.revoke(LOCAL_ACCOUNT, key.prefix)
    keys.revoke(LOCAL_ACCOUNT, key.prefix)
    mixed = f"{key.prefix}.{other.partition('.')[2]}"
    answers = set()
    for wrong in (text, mixed, f"{other[:-1]}", f"{other}x", "nonsense", "é" * 50, key.prefix):
        with pytest.raises(KeyRejected) as caught:
            keys.authenticate(wrong)
        answers.add((caught.value.detail, caught.value.hint))
    assert len(answers) == 1
    assert keys.authenticate(other)
    assert {key.revoked_at is None for key in keys.list(LOCAL_ACCOUNT)} == {True, False}


@pytest.mark.parametrize(
    ("account", "name"), [(LOCAL_ACCOUNT, " "), (LOCAL_ACCOUNT, "x" * 51), ("nobody", "crm")]
)
def test_keys_that_cannot_be(opened: Application, account: str, name: str) -> None:
    with pytest.raises(BadField):
        opened.services.keys.create(account, name, KeyType.LIVE)


def test_accounts_keep_their_keys_apart(opened: Application) -> None:
    opened.services.accounts.create("other")
    _, text = opened.services.keys.create("other", "crm", KeyType.LIVE)
    assert opened.services.keys.list(LOCAL_ACCOUNT) == ()
    assert opened.services.keys.authenticate(text).account == "other"
    for name in ("other", "", "Ä", "a b", "-x", "x" * 51):
        with pytest.raises(BadField):
            opened.services.accounts.create(name)
