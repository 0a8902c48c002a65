"""Named policies of an account."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, delete, insert, select

from winnow.core.lists.exports import DownloadChoice
from winnow.core.lists.named_policy import SHIPPED, NamedPolicy
from winnow.storage.database.database import Database
from winnow.storage.database.tables import policies


def list_policies(database: Database, account: str) -> tuple[NamedPolicy, ...]:
    """Return an account's policies, the oldest first."""
    with database.reading() as connection:
        return _read(connection, account)


@contextmanager
def editing_policies(database: Database, account: str) -> Iterator[list[NamedPolicy]]:
    """Yield an account's policies; as they are changed, they replace the stored ones.

    One transaction, with no other change of them. An error leaves all unchanged.
    """
    with database.writing() as connection:
        edited = list(_read(connection, account))
        yield edited
        connection.execute(delete(policies).where(policies.c.account == account))
        connection.execute(
            insert(policies),
            [
                {
                    "account": account,
                    "policy_id": one.policy_id,
                    "name": one.name,
                    "name_key": one.name.casefold(),
                    "choice": one.choice.to_json(),
                    "is_default": one.is_default,
                    "place": place,
                }
                for place, one in enumerate(edited)
            ],
        )


def _read(connection: Connection, account: str) -> tuple[NamedPolicy, ...]:
    statement = select(policies).where(policies.c.account == account).order_by(policies.c.place)
    found = [
        NamedPolicy(one.policy_id, one.name, DownloadChoice.from_json(one.choice), one.is_default)
        for one in connection.execute(statement)
    ]
    return tuple(found) or SHIPPED
