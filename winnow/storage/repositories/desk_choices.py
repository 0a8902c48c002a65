"""Choices made on the pages: of a whole account, or of one of its projects."""

from typing import Any

from sqlalchemy import delete, insert, select

from winnow.storage.database.database import Database
from winnow.storage.database.tables import desk_choices

ACCOUNT_WIDE = ""


def read_choice(database: Database, account: str, subject: str, name: str) -> Any | None:
    """Return the stored choice or None; ``subject`` is a task's id or ACCOUNT_WIDE."""
    statement = select(desk_choices.c.value).where(*_is(account, subject, name))
    with database.read() as connection:
        return connection.execute(statement).scalar_one_or_none()


def keep_choice(
    database: Database, account: str, subject: str, name: str, value: Any | None
) -> None:
    """Store a choice in place of the one before; None deletes it."""
    with database.write() as connection:
        connection.execute(delete(desk_choices).where(*_is(account, subject, name)))
        if value is not None:
            connection.execute(
                insert(desk_choices).values(
                    account=account, subject=subject, name=name, value=value
                )
            )


def _is(account: str, subject: str, name: str) -> tuple[Any, ...]:
    return (
        desk_choices.c.account == account,
        desk_choices.c.subject == subject,
        desk_choices.c.name == name,
    )
