"""Quota: used and reserved bytes of an account never exceed its quota together.

Each function is a step of its caller's write transaction; the quota is ``Database.quota_bytes``. A
reservation belongs to an upload and stays with the task that takes it: first for upload and
result, then for the result alone.
"""

from sqlalchemy import Connection, LargeBinary, cast, delete, func, insert, select, update

from winnow.core.errors import QuotaExceeded
from winnow.core.own_lists.entries import ENTRY_BYTES
from winnow.core.usage import StorageUse
from winnow.storage.database.database import QUOTA, Database
from winnow.storage.database.tables import accounts, own_changes, own_entries, reservations

ROOM = 3
"""An upload reserves three times its size: itself, and twice as much for its result."""


def reserve(connection: Connection, account: str, upload_id: str, size_bytes: int) -> None:
    """Add to an upload's reservation.

    Raises:
        QuotaExceeded: It does not fit; the caller must roll back the transaction.
    """
    hold(connection, account, upload_id, _held(connection, upload_id) + size_bytes)


def hold(
    connection: Connection, account: str, upload_id: str, size_bytes: int, *, used: int = 0
) -> None:
    """Set an upload's reservation, and count bytes as used.

    Raises:
        QuotaExceeded: It is more than before, and there is no space for it.
    """
    _move(connection, account, used, size_bytes - _held(connection, upload_id))
    connection.execute(delete(reservations).where(reservations.c.upload_id == upload_id))
    if size_bytes:
        connection.execute(
            insert(reservations).values(upload_id=upload_id, account=account, size_bytes=size_bytes)
        )


def hold_at_least(connection: Connection, account: str, upload_id: str, size_bytes: int) -> None:
    """Raise the reservation to the bytes written of the result, if it is smaller.

    Raises:
        QuotaExceeded: There is no space for it.
    """
    if size_bytes > _held(connection, upload_id):
        hold(connection, account, upload_id, size_bytes)


def use(connection: Connection, account: str, size_bytes: int) -> None:
    """Count bytes as used without a reservation; fewer than none are free again.

    Raises:
        QuotaExceeded: There is no space for them.
    """
    _move(connection, account, size_bytes, 0)


def measure_own_lists(connection: Connection) -> dict[str, int]:
    """Return what own lists and their undo take, by account."""
    columns = own_entries.c
    texts = (func.length(cast(text, LargeBinary)) for text in (columns.pattern, columns.note))
    size = func.sum(sum(texts, ENTRY_BYTES))
    measured: dict[str, int] = {}
    for statement in (
        select(columns.account, size).group_by(columns.account),
        select(
            own_changes.c.account, func.coalesce(func.sum(own_changes.c.size_bytes), 0)
        ).group_by(own_changes.c.account),
    ):
        for account, size_bytes in connection.execute(statement):
            measured[account] = measured.get(account, 0) + int(size_bytes)
    return measured


def read_storage(database: Database, account: str) -> StorageUse:
    """Return an account's counters; ``free_bytes`` is the largest list that fits now."""
    with database.reading() as connection:
        used, reserved = _count(connection, account)
    limit = database.quota_bytes
    return StorageUse(used, reserved, limit, max(0, limit - used - reserved) // ROOM)


def _held(connection: Connection, upload_id: str) -> int:
    held = select(reservations.c.size_bytes).where(reservations.c.upload_id == upload_id)
    return connection.scalar(held) or 0


def _move(connection: Connection, account: str, used: int, reserved: int) -> None:
    limit: int = connection.get_execution_options()[QUOTA]
    after = accounts.c.used_bytes + accounts.c.reserved_bytes + (used + reserved)
    statement = (
        update(accounts)
        .where(accounts.c.name == account)
        .values(
            used_bytes=accounts.c.used_bytes + used,
            reserved_bytes=accounts.c.reserved_bytes + reserved,
        )
    )
    if used + reserved > 0:
        statement = statement.where(after <= limit)
    if connection.execute(statement).rowcount != 1:
        taken = sum(_count(connection, account))
        raise QuotaExceeded(
            "{needed:d} more bytes are needed (a list needs room for its result and for "
            "the index of its rows as well); {taken:d} of {limit:d} bytes are taken.",
            needed=used + reserved,
            taken=taken,
            used=taken,
            limit=limit,
        )


def _count(connection: Connection, account: str) -> tuple[int, int]:
    """Return the used and the reserved bytes."""
    row = connection.execute(
        select(accounts.c.used_bytes, accounts.c.reserved_bytes).where(accounts.c.name == account)
    ).one()
    return int(row.used_bytes), int(row.reserved_bytes)
