"""What was decided of lists with the same headings, and the settings of the last of them.

No address is in it, and no hash of one; it outlives the projects. An account has the newest
``KEPT`` of them.
"""

from datetime import datetime
from typing import Any

from msgspec import convert, to_builtins
from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects.sqlite import insert

from winnow.core.meaning.columns import NO_DECISIONS, MailDecisions
from winnow.core.tasks.run_request import LastList
from winnow.storage.database.database import Database
from winnow.storage.database.tables import mail_choices

KEPT = 200


def read_choices(
    database: Database, account: str, headings: str
) -> tuple[MailDecisions, LastList | None]:
    """Return what an account decided for a set of headings, and the last list that has it."""
    where = mail_choices.c.account == account, mail_choices.c.headings == headings
    row = database.first(select(mail_choices).where(*where))
    if row is None:
        return NO_DECISIONS, None
    last = None if row.last_list is None else convert(row.last_list, LastList)
    return convert(row.decisions, MailDecisions), last


def add_choices(
    database: Database, account: str, headings: str, decisions: MailDecisions, now: datetime
) -> None:
    """Add to what an account decided for a set of headings; one transaction."""
    where = mail_choices.c.account == account, mail_choices.c.headings == headings
    with database.writing() as connection:
        stored = connection.scalar(select(mail_choices.c.decisions).where(*where))
        former = NO_DECISIONS if stored is None else convert(stored, MailDecisions)
        added = to_builtins(former.add(decisions))
        _write(connection, account, headings, decisions=added, decided_at=now)


def write_last_list(database: Database, account: str, headings: str, last: LastList) -> None:
    """Store the last list with a set of headings; only what was decided on pages stays."""
    changed = {"last_list": to_builtins(last), "decided_at": last.cleaned_at}
    with database.writing() as connection:
        _write(connection, account, headings, **changed)


def _write(connection: Connection, account: str, headings: str, **changed: Any) -> None:
    new = {"decisions": to_builtins(NO_DECISIONS), **changed}
    statement = insert(mail_choices).values(account=account, headings=headings, **new)
    statement = statement.on_conflict_do_update(
        index_elements=["account", "headings"], set_=changed
    )
    of_account = mail_choices.c.account == account
    newest = select(mail_choices.c.headings).where(of_account)
    newest = newest.order_by(mail_choices.c.decided_at.desc()).limit(KEPT)
    connection.execute(statement)
    is_old = mail_choices.c.headings.not_in(newest)
    connection.execute(delete(mail_choices).where(of_account, is_old))
