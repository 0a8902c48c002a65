"""Single checks made on the page, kept until they are cleared."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, insert, select

from winnow.core.accounts import RecentCheck
from winnow.core.verdicts.verdict import Verdict
from winnow.storage.database.database import Database
from winnow.storage.database.tables import recent_checks

KEPT_PER_ACCOUNT = 200


def add_checks(
    database: Database, account: str, checks: Sequence[tuple[str, Verdict]], now: datetime
) -> None:
    """Store checks, the last as the newest, and delete the oldest beyond the bound.

    One transaction. Each check is the address as typed, and its verdict.
    """
    if not checks:
        return
    newest = (
        select(recent_checks.c.check_id)
        .where(recent_checks.c.account == account)
        .order_by(recent_checks.c.check_id.desc())
        .limit(KEPT_PER_ACCOUNT)
    )
    with database.write() as connection:
        connection.execute(
            insert(recent_checks),
            [
                {
                    "account": account,
                    "email": email,
                    "verdict": verdict.to_json(),
                    "checked_at": now,
                }
                for email, verdict in checks[-KEPT_PER_ACCOUNT:]
            ],
        )
        connection.execute(
            delete(recent_checks).where(
                recent_checks.c.account == account, recent_checks.c.check_id.not_in(newest)
            )
        )


def list_checks(database: Database, account: str, limit: int) -> tuple[RecentCheck, ...]:
    """Return the newest checks first."""
    statement = (
        select(recent_checks)
        .where(recent_checks.c.account == account)
        .order_by(recent_checks.c.check_id.desc())
        .limit(limit)
    )
    with database.read() as connection:
        return tuple(
            RecentCheck(row.check_id, row.email, Verdict.from_json(row.verdict), row.checked_at)
            for row in connection.execute(statement)
        )


def clear_checks(database: Database, account: str) -> None:
    """Delete all checks of an account."""
    with database.write() as connection:
        connection.execute(delete(recent_checks).where(recent_checks.c.account == account))
