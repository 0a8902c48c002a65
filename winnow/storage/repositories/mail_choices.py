"""What was decided of the columns that say who may be mailed, by the headings of lists."""

from datetime import datetime

from msgspec import convert, to_builtins
from sqlalchemy import select
from sqlalchemy.dialects.sqlite import insert

from winnow.core.meaning.columns import NO_DECISIONS, MailDecisions
from winnow.storage.database.database import Database
from winnow.storage.database.tables import mail_choices


def read_choices(database: Database, account: str, headings: str) -> MailDecisions:
    """Return what an account decided last for a set of headings."""
    row = database.first(
        select(mail_choices.c.decisions).where(
            mail_choices.c.account == account, mail_choices.c.headings == headings
        )
    )
    return NO_DECISIONS if row is None else convert(row.decisions, MailDecisions)


def write_choices(
    database: Database, account: str, headings: str, decisions: MailDecisions, now: datetime
) -> None:
    """Store what an account decided for a set of headings, instead of what it did before."""
    values = {"decisions": to_builtins(decisions), "decided_at": now}
    statement = insert(mail_choices).values(account=account, headings=headings, **values)
    with database.writing() as connection:
        connection.execute(
            statement.on_conflict_do_update(index_elements=["account", "headings"], set_=values)
        )
