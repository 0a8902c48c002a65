"""One look at the change counter for many questions, and who waits for it."""

import sqlite3
import threading

from winnow.wiring import Application


def test_a_hold_answers_its_thread_until_it_ends(opened: Application) -> None:
    changes = opened.database.changes
    before = changes.hold()
    opened.services.accounts.create("by-this-thread")
    assert changes.read() != before, "a commit of this thread ends its hold"
    held = changes.hold()
    other = threading.Thread(target=opened.services.accounts.create, args=("by-another",))
    other.start()
    other.join()
    assert changes.read() == held
    changes.release()
    assert changes.read() != held


def test_only_who_wants_to_waits_for_a_commit(opened: Application) -> None:
    changes = opened.database.changes
    before = changes.read()
    committing = sqlite3.connect(
        opened.database.path, isolation_level=None, check_same_thread=False
    )
    committing.execute("BEGIN EXCLUSIVE")
    assert changes.hold(waits=False) is None
    answers: list[int] = []
    waiting = threading.Thread(target=lambda: answers.append(changes.read()))
    waiting.start()
    assert changes.hold(waits=False) is None
    committing.execute("DELETE FROM bans")
    committing.execute("INSERT INTO bans VALUES ('198.51.100.4', 1, '2026-11-21 00:00:00')")
    committing.execute("COMMIT")
    waiting.join(60)
    committing.close()
    assert answers == [changes.read()]
    assert answers[0] != before


def test_a_new_connection_repeats_no_number(opened: Application) -> None:
    before = opened.database.changes.read()
    opened.database.close()
    assert opened.database.changes.read() != before


def test_a_call_that_asks_several_times_holds_once(opened: Application) -> None:
    changes = opened.database.changes
    with changes.holding():
        held = changes.read()
        other = threading.Thread(target=opened.services.accounts.create, args=("by-another",))
        other.start()
        other.join()
        with changes.holding():
            assert changes.read() == held
        assert changes.read() == held, "the inner one does not end the outer one's hold"
    assert changes.read() != held
