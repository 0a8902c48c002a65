"""Account names and their storage counters."""

from datetime import datetime

from sqlalchemy import insert, select

from winnow.storage.database.database import Database
from winnow.storage.database.tables import accounts


def create_account(database: Database, name: str, now: datetime) -> bool:
    """Create an account; False if there is one of that name already."""
    with database.write() as connection:
        known = select(accounts.c.name).where(accounts.c.name == name)
        if connection.execute(known).first() is not None:
            return False
        connection.execute(insert(accounts).values(name=name, created_at=now))
        return True


def account_exists(database: Database, name: str) -> bool:
    """Return whether there is an account of that name."""
    with database.read() as connection:
        known = select(accounts.c.name).where(accounts.c.name == name)
        return connection.execute(known).first() is not None
