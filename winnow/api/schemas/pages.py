"""Answers in pages: the tasks of an account, and the rows of a result."""

from typing import Annotated

from msgspec import Struct

from winnow.api.operations import (
    CURSOR,
    TASK_ID,
    NextCursor,
    Operation,
    Parameter,
    about,
    limit_parameter,
    one_of,
)
from winnow.api.schemas.batch import Status
from winnow.core import errors
from winnow.core.tasks.task import TaskState
from winnow.core.verdicts.verdict import Category

TASKS_DEFAULT, TASKS_MAX = 20, 100
ROWS_DEFAULT, ROWS_MAX = 100, 1_000


class TaskPage(Struct, frozen=True):
    """Tasks of an account."""

    tasks: Annotated[list[Status], about("The newest first, those of the pages as well.")]
    next_cursor: NextCursor


class RowPage(Struct, frozen=True):
    """Rows of a result."""

    rows: Annotated[
        list[dict[str, str]],
        about(
            "Every column of the result by its name, in its order. Of equal names the later ones "
            "get _2, _3 …; columns without a name are called by their position from 1."
        ),
    ]
    next_cursor: NextCursor


BATCH_TASKS = Operation(
    "batchTasks",
    "GET",
    "/batch-tasks",
    "List the tasks",
    TaskPage,
    "Some of the tasks.",
    parameters=(
        limit_parameter(TASKS_DEFAULT, TASKS_MAX),
        CURSOR,
        Parameter("status", "query", "Only tasks in this state.", kind=one_of(TaskState)),
    ),
    problems=(errors.BadField,),
)
BATCH_RESULTS = Operation(
    "batchResults",
    "GET",
    "/batch-results/{task_id}",
    "Read rows of a result",
    RowPage,
    "Some of the rows.",
    description="The rows of the result file, in its order. They never change: what your lists say "
    "since does not count.",
    parameters=(
        TASK_ID,
        limit_parameter(ROWS_DEFAULT, ROWS_MAX),
        CURSOR,
        Parameter("category", "query", "Only rows of this category.", kind=one_of(Category)),
    ),
    problems=(
        errors.BadField,
        errors.TaskUnknown,
        errors.ResultNotReady,
        errors.Gone,
        errors.ResultLost,
    ),
)
