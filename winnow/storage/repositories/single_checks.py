"""Single checks: attempts before a ban by client, and the checks made on the page."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from sqlalchemy import case, delete, or_, select
from sqlalchemy.dialects.sqlite import insert

from winnow.core.judging.check_result import RecentCheck
from winnow.core.verdicts.verdict import Verdict
from winnow.storage.database.database import Database
from winnow.storage.database.tables import bans, recent_checks


def find_attempts(database: Database, client: str) -> tuple[int, datetime] | None:
    """Return the attempts a client has taken and when they lapse, lapsed or not."""
    statement = select(bans.c.attempts_taken, bans.c.lapses_at).where(bans.c.client == client)
    row = database.first(statement)
    return None if row is None else (row.attempts_taken, row.lapses_at)


def take_attempt(
    database: Database,
    client: str,
    clock: Callable[[], datetime],
    lapse: timedelta,
    threshold: int,
) -> int | None:
    """Take one attempt in one statement; return how many are taken, None if none was left.

    What had lapsed restarts. So does what would lapse later than this attempt: it was taken before
    the clock was set back. The clock is read inside the transaction, because an attempt of another
    thread that was committed since an earlier reading would look like one from the future.
    """
    with database.writing() as connection:
        now = clock()
        is_over = or_(bans.c.lapses_at <= now, bans.c.lapses_at > now + lapse)
        first = insert(bans).values(client=client, attempts_taken=1, lapses_at=now + lapse)
        next_one = first.on_conflict_do_update(
            index_elements=[bans.c.client],
            set_={
                "attempts_taken": case((is_over, 1), else_=bans.c.attempts_taken + 1),
                "lapses_at": now + lapse,
            },
            where=or_(is_over, bans.c.attempts_taken < threshold),
        )
        return connection.execute(next_one.returning(bans.c.attempts_taken)).scalar()


def list_attempts(
    database: Database, now: datetime, latest_lapse: datetime
) -> tuple[tuple[str, int, datetime], ...]:
    """Return (client, attempts taken, lapse) of all that have not lapsed, most taken first."""
    statement = (
        select(bans)
        .where(bans.c.lapses_at > now, bans.c.lapses_at <= latest_lapse)
        .order_by(bans.c.attempts_taken.desc(), bans.c.client)
    )
    return tuple(
        (row.client, row.attempts_taken, row.lapses_at) for row in database.fetch(statement)
    )


def forget_client(database: Database, client: str) -> None:
    """Restore all attempts of a client."""
    database.run(delete(bans).where(bans.c.client == client))


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
    with database.writing() as connection:
        connection.execute(
            insert(recent_checks),
            [
                {
                    "email": email,
                    "verdict": verdict.to_json(),
                    "account": account,
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
    return tuple(
        RecentCheck(row.check_id, row.email, Verdict.from_json(row.verdict), row.checked_at)
        for row in database.fetch(statement)
    )


def clear_checks(database: Database, account: str) -> None:
    """Delete all checks of an account."""
    database.run(delete(recent_checks).where(recent_checks.c.account == account))
