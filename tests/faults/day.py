"""A day of work on one installation: everything that writes, once; what was said is kept."""

import sqlite3
from datetime import date, timedelta
from pathlib import Path

from sqlalchemy.exc import OperationalError

from tests.applications import run
from tests.faults.client import Client, judge_notes
from tests.faults.lists import MadeList, MadeWorkbook
from winnow.core.errors import WinnowError
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.ports import StaticKnowledge
from winnow.core.settings import Settings
from winnow.core.tasks.task import KeyType
from winnow.core.verdicts.facts import DomainFacts, Listing
from winnow.storage.repositories.leases import release_all_leases
from winnow.storage.repositories.uploads import remove_unfinished_uploads
from winnow.wiring import Application, build_application

WORKBOOK = MadeWorkbook(20, 2)
KNOWN = {
    "gmail.com": DomainFacts("gmail.com", free=Listing("free", "free", "gmail.com")),
    "mailinator.com": DomainFacts(
        "mailinator.com",
        listings=(
            Listing("one", "family one", "mailinator.com", date(2026, 3, 2)),
            Listing("two", "family two", "mailinator.com", date(2026, 3, 2)),
        ),
    ),
}


def open_day(data_dir: Path) -> Application:
    """Open a folder, as a server that starts on it does."""
    opened = build_application(
        Settings(data_dir=data_dir), open_knowledge=lambda: StaticKnowledge(KNOWN)
    )
    release_all_leases(opened.database)
    remove_unfinished_uploads(opened.database, opened.blobs)
    return opened


def pass_day(opened: Application) -> list[str]:
    """Do everything; what fails is given up, and the next thing is tried. Return the notes.

    Full and failing disks are decided: 507, or 500 with nothing written.
    """
    notes: list[str] = []
    decided = (WinnowError, OperationalError, sqlite3.OperationalError)
    client = Client(opened.services, notes.append, decided)
    attempt = client.attempt
    first = attempt(client.submit, MadeList(300, 1))
    attempt(run, opened)
    attempt(client.break_off_an_upload)
    attempt(client.discard_an_upload)
    book = attempt(client.submit, WORKBOOK)
    attempt(run, opened)
    if book is not None:
        attempt(client.download, book)
    attempt(opened.services.keys.create, LOCAL_ACCOUNT, "key", KeyType.LIVE)
    attempt(opened.services.checks.check_address, LOCAL_ACCOUNT, "ana@gmail.com")
    last = attempt(client.submit, MadeList(30, 3))
    if last is not None:
        attempt(client.cancel, last)
    if first is not None:
        attempt(client.delete, first)
    attempt(client.sweep)
    attempt(client.submit, MadeList(30, 4))
    attempt(run, opened)
    return notes


def judge_day(data_dir: Path, notes: list[str]) -> None:
    """Open the folder anew, work off what is left, and hold it to the promises.

    Raises:
        AssertionError: One is broken.
    """
    reopened = open_day(data_dir)
    run(reopened)
    reopened.services.retention.sweep(reopened.services.clock() + timedelta(hours=25))
    judge_notes(reopened, notes)
    reopened.database.close()
