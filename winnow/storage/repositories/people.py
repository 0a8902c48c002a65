"""People who sign in by name, with role and credential, and the audit log of what they did."""

from dataclasses import asdict
from datetime import datetime

from sqlalchemy import Connection, delete, func, insert, inspect, select, update

from winnow.core.errors import BadField
from winnow.core.identities import AuditEntry, Person, Role
from winnow.storage.database.database import Database, value_from_row
from winnow.storage.database.tables import api_keys, audit_log, desk_sessions, people
from winnow.storage.repositories.accounts import revoke_keys
from winnow.words import translatable


def list_people(database: Database) -> tuple[Person, ...]:
    """Return everyone, by name."""
    rows = database.fetch(select(people).order_by(people.c.name))
    return tuple(value_from_row(row, Person) for row in rows)


def has_people(database: Database) -> bool:
    """Return whether anyone signs in by name; also in a database of an older release."""
    with database.reading() as connection:
        if not inspect(connection).has_table(people.name):
            return False
        return connection.execute(select(people.c.name).limit(1)).first() is not None


def insert_person(database: Database, person: Person) -> None:
    """Store a new person.

    Raises:
        BadField: The name is taken, or the first person is not an admin; nothing changed.
    """
    with database.writing() as connection:
        known = set(connection.execute(select(people.c.name)).scalars())
        if person.name in known:
            raise BadField("name", translatable("is already there"))
        if not known and person.role is not Role.ADMIN:
            raise BadField("role", translatable("must be admin for the first person"))
        connection.execute(insert(people).values(**asdict(person)))


def change_person(
    database: Database, name: str, *, role: Role | None = None, credential: str | None = None
) -> None:
    """Change a person's role or credential; sign-ins with another credential are void.

    Raises:
        BadField: There is no such person, or it is the last admin, who must stay one.
    """
    changes = {"role": role and role.value, "credential": credential}
    with database.writing() as connection:
        if role is not None and role is not Role.ADMIN:
            _require_other_admin(connection, name)
        changed = connection.execute(
            update(people)
            .where(people.c.name == name)
            .values({column: value for column, value in changes.items() if value is not None})
        )
        if not changed.rowcount:
            raise BadField("name", translatable("is unknown"))


def remove_person(database: Database, name: str, now: datetime) -> None:
    """Remove a person, and end their keys and sign-ins, in one transaction.

    Raises:
        BadField: There is no such person, or it is the last admin; nothing changed.
    """
    with database.writing() as connection:
        _require_other_admin(connection, name)
        if not connection.execute(delete(people).where(people.c.name == name)).rowcount:
            raise BadField("name", translatable("is unknown"))
        revoke_keys(connection, now, api_keys.c.maker == name)
        connection.execute(delete(desk_sessions).where(desk_sessions.c.person == name))


def _require_other_admin(connection: Connection, name: str) -> None:
    """Raise BadField for the last admin."""
    is_admin = people.c.role == Role.ADMIN.value
    others = select(func.count()).where(is_admin, people.c.name != name)
    own = select(people.c.name).where(is_admin, people.c.name == name)
    if connection.execute(own).first() and not connection.execute(others).scalar_one():
        raise BadField("name", translatable("is that of the last admin, who stays admin"))


def insert_entry(database: Database, entry: AuditEntry) -> None:
    """Store an entry."""
    database.run(insert(audit_log).values(**asdict(entry)))


def list_entries(
    database: Database, since: datetime, *, limit: int | None = None
) -> tuple[AuditEntry, ...]:
    """Return the entries since a time, the newest first."""
    statement = (
        select(audit_log)
        .where(audit_log.c.recorded_at >= since)
        .order_by(audit_log.c.entry_id.desc())
        .limit(limit)
    )
    return tuple(value_from_row(row, AuditEntry) for row in database.fetch(statement))


def forget_old_entries(database: Database, recorded_before: datetime) -> int:
    """Remove old entries; return how many."""
    return database.run(delete(audit_log).where(audit_log.c.recorded_at < recorded_before))
