"""The change counter sees every commit, whoever makes it, and waits for one that is under way."""

import sqlite3
import threading
from pathlib import Path

from tests.applications import Clock, open_test_application
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.wiring import Application


def test_each_commit_is_another_number_whoever_made_it(
    opened: Application, tmp_path: Path, clock: Clock
) -> None:
    changes = opened.database.changes
    other = open_test_application(tmp_path, clock)
    numbers = [changes.read()]
    opened.services.usage.days(LOCAL_ACCOUNT)
    assert changes.read() == numbers[0], "reading changes nothing"
    for application in (opened, other, opened, other):
        application.services.accounts.create(f"account-{len(numbers)}")
        numbers.append(changes.read())
    assert len(set(numbers)) == len(numbers)
    other.database.close()


def test_who_asks_while_somebody_commits_waits_for_the_end(opened: Application) -> None:
    changes = opened.database.changes
    before = changes.read()
    committing = sqlite3.connect(
        opened.database.path, isolation_level=None, check_same_thread=False
    )
    committing.execute("BEGIN EXCLUSIVE")
    committing.execute("INSERT INTO bans VALUES ('198.51.100.4', 1, '2026-11-21 00:00:00')")
    answers: list[int] = []
    waiting = threading.Thread(target=lambda: answers.append(changes.read()))
    waiting.start()
    committing.execute("COMMIT")
    waiting.join(60)
    committing.close()
    assert answers == [changes.read()]
    assert answers[0] != before


def test_a_new_connection_repeats_no_number(opened: Application) -> None:
    before = opened.database.changes.read()
    opened.database.close()
    assert opened.database.changes.read() != before
