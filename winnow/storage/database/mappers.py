"""Table rows as the core's values; JSON columns hold them as ``asdict`` returns them."""

from typing import Any

from msgspec import convert, to_builtins
from sqlalchemy import Row

from winnow.core.tasks.run_options import USUAL, RunOptions
from winnow.core.tasks.task import (
    InputPlan,
    KeyType,
    Notice,
    Phase,
    Progress,
    Summary,
    Task,
    TaskState,
)


def task_from_row(row: Row[Any]) -> Task:
    """Return a row of ``tasks`` as the core's value."""
    return Task(
        task_id=row.task_id,
        account=row.account,
        project_name=row.project_name,
        file_name=row.file_name,
        key_type=KeyType(row.key_type),
        deduplicate=row.deduplicate,
        plan=convert(row.plan, InputPlan),
        state=TaskState(row.state),
        progress=Progress(
            Phase(row.phase), row.rows_done, row.rows_total, row.bytes_done, row.bytes_total
        ),
        submitted_at=row.created_at,
        expires_at=row.expires_at,
        completed_at=row.completed_at,
        deleted_at=row.deleted_at,
        undo_until=row.undo_until,
        summary=None if row.summary is None else convert(row.summary, Summary),
        notices=convert(row.notices or (), tuple[Notice, ...]),
        error=row.error,
        input_bytes=row.input_bytes,
        result_bytes=row.result_bytes,
        attempt=row.attempt,
        options=convert(row.options or {}, RunOptions),
        tags=tuple(row.tags or ()),
    )


def options_to_row(options: RunOptions) -> dict[str, Any] | None:
    """Return options as a row of ``tasks`` has them; None for the usual ones."""
    return None if options == USUAL else to_builtins(options, order="deterministic")
