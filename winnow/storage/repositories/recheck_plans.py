"""Which projects are judged anew at intervals, with what was found; each function is one step."""

from datetime import datetime
from typing import Any

from sqlalchemy import Row, delete, insert, select, update

from winnow.core.tasks.recheck_notes import RecheckPlan, RecheckRhythm, RowsMoved
from winnow.core.verdicts.verdict import Category
from winnow.storage.database.database import Database
from winnow.storage.database.tables import recheck_plans


def find_plan(database: Database, account: str, task_id: str) -> RecheckPlan | None:
    """Return a project's plan, if it has one."""
    statement = select(recheck_plans).where(
        recheck_plans.c.task_id == task_id, recheck_plans.c.account == account
    )
    with database.read() as connection:
        row = connection.execute(statement).first()
    return None if row is None else _to_plan(row)


def list_plans(database: Database) -> tuple[RecheckPlan, ...]:
    """Return the plans of all accounts, those first that were looked at longest ago."""
    statement = select(recheck_plans).order_by(recheck_plans.c.checked_at, recheck_plans.c.task_id)
    with database.read() as connection:
        return tuple(map(_to_plan, connection.execute(statement)))


def keep_plan(
    database: Database, account: str, task_id: str, rhythm: RecheckRhythm, now: datetime
) -> None:
    """Choose how often; what was found before is forgotten. Never: the plan goes."""
    with database.write() as connection:
        connection.execute(
            delete(recheck_plans).where(
                recheck_plans.c.task_id == task_id, recheck_plans.c.account == account
            )
        )
        if rhythm is not RecheckRhythm.NEVER:
            connection.execute(
                insert(recheck_plans).values(
                    task_id=task_id,
                    account=account,
                    rhythm=rhythm.value,
                    checked_at=now,
                    is_dismissed=False,
                )
            )


def record_check(
    database: Database, plan: RecheckPlan, rows_moved: RowsMoved, now: datetime
) -> None:
    """Record a look. What differs from the look before is told, also where that was dismissed."""
    is_same = rows_moved == plan.rows_moved
    values: dict[str, Any] = {"checked_at": now}
    if not is_same:
        values |= {
            "rows_moved": [[was, now_is, count] for (was, now_is), count in rows_moved.items()],
            "is_dismissed": False,
        }
    with database.write() as connection:
        connection.execute(
            update(recheck_plans).where(recheck_plans.c.task_id == plan.task_id).values(**values)
        )


def dismiss_note(database: Database, account: str, task_id: str) -> None:
    """Tell no more of what the last look found."""
    with database.write() as connection:
        connection.execute(
            update(recheck_plans)
            .where(recheck_plans.c.task_id == task_id, recheck_plans.c.account == account)
            .values(is_dismissed=True)
        )


def _to_plan(row: Row[Any]) -> RecheckPlan:
    return RecheckPlan(
        row.task_id,
        row.account,
        RecheckRhythm(row.rhythm),
        row.checked_at,
        {(Category(was), Category(now)): count for was, now, count in row.rows_moved or ()},
        row.is_dismissed,
    )
