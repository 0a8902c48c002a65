"""Table rows as the core's values; JSON columns hold them as ``asdict`` returns them."""

from typing import Any, TypeVar

from msgspec import convert, to_builtins
from sqlalchemy import Row

from winnow.core.tasks.run_options import USUAL, RunOptions
from winnow.core.tasks.task import Task

T = TypeVar("T")


def value_from_row(row: Row[Any], kind: type[T]) -> T:
    """Return a row as a value with fields of its columns' names."""
    return convert(row, kind, from_attributes=True)


def task_from_row(row: Row[Any]) -> Task:
    """Return a row of ``tasks`` as the core's value."""
    present = {str(name): value for name, value in row._mapping.items() if value is not None}
    return convert({**present, "submitted_at": row.created_at, "progress": present}, Task)


def options_to_row(options: RunOptions) -> dict[str, Any] | None:
    """Return options as a row of ``tasks`` has them; None for the usual ones."""
    return None if options == USUAL else to_builtins(options, order="deterministic")
