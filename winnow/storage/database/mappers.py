"""Rows of the tables as the core's values, and back. JSON columns hold plain values only."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from sqlalchemy import Row

from winnow.core.lists.file_format import FileFormat
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


def plan_to_json(plan: InputPlan) -> dict[str, Any]:
    """Return a plan as plain values."""
    return asdict(plan)


def plan_from_json(values: Mapping[str, Any]) -> InputPlan:
    """Read what ``plan_to_json`` wrote."""
    return InputPlan(
        **{
            **values,
            "file_format": FileFormat(values["file_format"]),
            "columns": tuple(values["columns"]),
        }
    )


def summary_to_json(summary: Summary) -> dict[str, Any]:
    """Return exact counts as plain values."""
    return {**asdict(summary)}


def summary_from_json(values: Mapping[str, Any]) -> Summary:
    """Read what ``summary_to_json`` wrote."""
    return Summary(
        **{
            **values,
            "by_category_and_type": tuple(tuple(row) for row in values["by_category_and_type"]),
            "top_domains": tuple(tuple(row) for row in values["top_domains"]),
        }
    )


def notices_to_json(notices: tuple[Notice, ...]) -> list[dict[str, Any]]:
    """Return notices as plain values."""
    return [asdict(notice) for notice in notices]


def notices_from_json(values: list[dict[str, Any]] | None) -> tuple[Notice, ...]:
    """Read what ``notices_to_json`` wrote."""
    return tuple(Notice(**{**value, "lines": tuple(value["lines"])}) for value in values or ())


def task_from_row(row: Row[Any]) -> Task:
    """Return a row of ``tasks`` as the core's value."""
    return Task(
        task_id=row.task_id,
        account=row.account,
        project_name=row.project_name,
        file_name=row.file_name,
        key_type=KeyType(row.key_type),
        deduplicate=row.deduplicate,
        plan=plan_from_json(row.plan),
        state=TaskState(row.state),
        progress=Progress(
            Phase(row.phase), row.rows_done, row.rows_total, row.bytes_done, row.bytes_total
        ),
        submitted_at=row.created_at,
        expires_at=row.expires_at,
        completed_at=row.completed_at,
        deleted_at=row.deleted_at,
        summary=None if row.summary is None else summary_from_json(row.summary),
        notices=notices_from_json(row.notices),
        error=row.error,
        input_bytes=row.input_bytes,
        result_bytes=row.result_bytes,
        attempt=row.attempt,
    )
