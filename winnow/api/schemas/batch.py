"""Whole lists: submitting one, its status, the link to its result and the file behind it."""

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from winnow.api.errors import RangeNotSatisfiable
from winnow.api.operations import (
    EXAMPLE_TASK_ID,
    TASK_ID,
    Cell,
    Count,
    Operation,
    Parameter,
    TaskId,
    about,
    cut_to_seconds,
)
from winnow.core import errors
from winnow.core.file_faults import FAULT_MEANINGS, FileFault
from winnow.core.lists.file_format import FORMATS
from winnow.core.tasks import task as tasks
from winnow.core.tasks.keep_rule import Keep
from winnow.core.tasks.run_request import RunRequest
from winnow.core.tasks.task import Phase, Task, TaskState
from winnow.core.verdicts.verdict import Category
from winnow.lists.recipe import RECIPE_MAX_BYTES
from winnow.services.names import IDEMPOTENCY_KEY_MAX_CHARACTERS, NAME_MAX_CHARACTERS
from winnow.services.results.zip_stream import ZIP_TYPE


class ListFields(Struct, frozen=True, kw_only=True):
    """How a list is cleaned."""

    project_name: Annotated[
        str,
        Meta(max_length=NAME_MAX_CHARACTERS),
        about("1 to 50 characters; absent or empty: the file's stem, or api-list."),
    ] = ""
    deduplicate: Annotated[
        bool, about("Keep only the last row of each address. Also 1, 0, yes, no.")
    ] = True
    email_column: Annotated[str, about("The column to use: its name, or its position from 1.")] = ""
    second_email_column: Annotated[
        str,
        about(
            "The column with the address of rows whose first one is blank: its name, or its "
            "position from 1. The result has a column email_used with each row's address."
        ),
    ] = ""
    keep: Annotated[
        Keep,
        about(
            "Which row of a duplicate stays: the last; the first; the newest by the dates of "
            "keep_by; the one with the most filled cells. Of equals the last."
        ),
    ] = Keep.LAST
    keep_by: Annotated[
        str,
        about(
            "With keep=newest, and only then: the column of dates, its name or its position from "
            "1. Empty and unreadable dates are the oldest."
        ),
    ] = ""
    join_aliases: Annotated[
        bool,
        about(
            "Count addresses that reach one mailbox as duplicates: plus tags where the provider "
            "is known for them, dots at Gmail, googlemail.com as gmail.com. Also 1, 0, yes, no."
        ),
    ] = False
    repair: Annotated[
        Literal["safe"] | UnsetType,
        about(
            "With safe, the column email_repaired is added before category: the address that a "
            "cell plainly holds (a name or link around it, blanks, a comma for a dot), else the "
            "cell as it is. The row is judged, compared and charged by it. Absent: nothing is "
            "repaired."
        ),
    ] = UNSET
    recipe: Annotated[
        str,
        Meta(max_length=RECIPE_MAX_BYTES),
        about(
            "The text of a recipe (TOML), as a project's page saves it. Other fields go before it; "
            "its policy, silent_months and platform do nothing here."
        ),
    ] = ""


class SubmitBatchBody(ListFields, frozen=True, kw_only=True):
    """A list to be cleaned, and how."""

    file: Annotated[
        str,
        about(
            "CSV, TSV or XLSX by its file name, with a column named email.",
            format="binary",  # OpenAPI 3.0's word, which generators go by
            contentMediaType="application/octet-stream",
        ),
    ]


class SubmitRowsBody(ListFields, frozen=True, kw_only=True):
    """A list to be cleaned, as JSON: emails or rows, and the other fields of the form."""

    emails: Annotated[
        list[Cell] | UnsetType, about("1 to 100,000 addresses. Not together with rows.")
    ] = UNSET
    rows: Annotated[
        list[dict[str, Cell]] | UnsetType,
        about(
            "1 to 100,000 objects of texts, numbers, true, false and null, with an email column "
            "among their names. Columns are in the order in which they first appear."
        ),
    ] = UNSET


class Submitted(Struct, frozen=True):
    """A list that is queued."""

    task_id: TaskId
    status: TaskState
    message: Annotated[str, about("What to do next.")]


class Progress(Struct, frozen=True):
    """How far a list is."""

    rows_done: Count
    rows_total: Annotated[int | None, about("null until the whole list was read once.")]
    phase: Phase


class TopDomain(Struct, frozen=True):
    """One of the domains with the most rows."""

    domain: Annotated[str, about("A-label form.")]
    category: Category
    rows: Count


class Summary(Struct, frozen=True):
    """The counts of a completed list."""

    rows_in: Count
    rows_out: Count
    duplicates_removed: Count
    charged: Annotated[Count, about("Rows out that pass format validation.")]
    by_category: dict[str, Count]
    by_domain_type: dict[str, Count]
    by_reason: dict[str, Count]
    top_domains: list[TopDomain]
    data_version: Annotated[str, about("Version of the domain data.")]
    do_not_mail: Annotated[
        dict[str, Count] | UnsetType,
        about("Rows out whose mailbox said no (`said_no`) or bounced, in any row of the list."),
    ] = UNSET
    repaired: Annotated[Count | UnsetType, about("Rows out with a repaired address.")] = UNSET
    by_repair: Annotated[
        dict[str, Count] | UnsetType, about("The same by kind of repair, where it was asked for.")
    ] = UNSET


class Warning(Struct, frozen=True):
    """Something that was assumed or repaired."""

    code: Annotated[str, about("Stable, for programs.")]
    text: Annotated[str, about("What was assumed or repaired.")]
    lines: Annotated[tuple[Count, ...], about("Lines (or sheet rows) from 1, the first 100.")]
    count: Annotated[Count, about("How many there are in all.")]


class Failure(Struct, frozen=True):
    """Why a list failed."""

    code: Annotated[str, about("Stable, for programs; a cancelled task: `cancelled`.")]
    title: Annotated[str, about("The kind of failure.")]
    detail: Annotated[str, about("What is wrong, and where. A failed task is never charged.")]
    fault: Annotated[FileFault | UnsetType, about(f"Of the file: {FAULT_MEANINGS}.")] = UNSET
    hint: Annotated[str | UnsetType, about("How to mend it.")] = UNSET
    line: Annotated[int | UnsetType, about("The line, from 1.")] = UNSET
    sheet: Annotated[str | UnsetType, about("The sheet of a workbook.")] = UNSET


class Status(Struct, frozen=True, kw_only=True):
    """The state of a list."""

    task_id: TaskId
    status: TaskState
    project_name: Annotated[str, about("1 to 50 characters.")]
    progress: Progress
    summary: Summary | UnsetType = UNSET
    warnings: list[Warning]
    error: Failure | UnsetType = UNSET
    submitted_at: Annotated[datetime, about("When the list was submitted.")]
    completed_at: Annotated[datetime | None, about("When it ended.")]
    expires_at: Annotated[datetime, about("When it is deleted.")]


SUBMIT_BATCH = Operation(
    "submitBatch",
    "POST",
    "/batch-check-emails",
    "Submit a list",
    Submitted,
    "The list is queued.",
    description="A form streams to disk; its parts may come in any order. JSON has 32 MiB at most "
    "and is stored as CSV in UTF-8. The answer comes once the list is queued; ask for its status "
    "every few seconds.",
    example=Submitted(EXAMPLE_TASK_ID, TaskState.PROCESSING, "…"),
    parameters=(
        Parameter(
            "Idempotency-Key",
            "header",
            "The same key, file and fields return the same task; the same key with anything else "
            "is 422. Empty: none.",
            kind=Annotated[str, Meta(max_length=IDEMPOTENCY_KEY_MAX_CHARACTERS)],
        ),
    ),
    body=SubmitBatchBody,
    json_body=SubmitRowsBody(emails=["ana@mailinator.com", "bo@gmail.com"]),
    problems=(
        errors.MalformedRequest,
        errors.UnsupportedFormat,
        errors.BrokenFile,
        errors.MixedEscapes,
        errors.EmptyFile,
        errors.EmailColumnMissing,
        errors.EmailColumnAmbiguous,
        errors.BadField,
        errors.TooLarge,
        errors.BodyTooLarge,
        errors.QuotaExceeded,
        errors.StorageFull,
        errors.InspectionLost,
    ),
)
BATCH_STATUS = Operation(
    "batchStatus",
    "GET",
    "/batch-check-status/{task_id}",
    "Ask how far a list is",
    Status,
    "The state of the task.",
    description="Poll until the status is completed or failed.",
    parameters=(TASK_ID,),
    problems=(errors.TaskUnknown, errors.Gone),
)


def present_status(task: Task) -> Status:
    """Return the state of a task as its answer."""
    progress, failed = task.progress, task.error
    return Status(
        task_id=task.task_id,
        status=task.state,
        project_name=task.project_name,
        progress=Progress(progress.rows_done, progress.rows_total, progress.phase),
        summary=UNSET if task.summary is None else present_summary(task.summary, task.request),
        warnings=[Warning(one.code, one.text, one.lines, one.count) for one in task.notices],
        error=UNSET if failed is None else msgspec.convert(failed, Failure),
        submitted_at=cut_to_seconds(task.submitted_at),
        completed_at=task.completed_at and cut_to_seconds(task.completed_at),
        expires_at=cut_to_seconds(task.expires_at),
    )


def present_summary(summary: tasks.Summary, asked: RunRequest) -> Summary:
    """Return the counts of a list as its answer has them."""
    is_repaired = asked.repair is not None
    return Summary(
        rows_in=summary.rows_in,
        rows_out=summary.rows_out,
        duplicates_removed=summary.duplicates_removed,
        charged=summary.charged,
        by_category=summary.count_categories(),
        by_domain_type=dict(summary.by_domain_type),
        by_reason=dict(summary.by_reason),
        top_domains=[
            TopDomain(domain, Category(category), rows)
            for domain, category, rows in summary.top_domains
        ],
        data_version=summary.data_version,
        do_not_mail=dict(summary.do_not_mail) or UNSET,
        repaired=sum(summary.repaired.values()) if is_repaired else UNSET,
        by_repair=dict(summary.repaired) if is_repaired else UNSET,
    )


class Link(Struct, frozen=True):
    """A temporary link to a file."""

    download_url: Annotated[
        str, about("Serves the file directly, without a key; Range works.", format="uri")
    ]
    expires_at: Annotated[datetime, about("One hour after it was issued, unless set otherwise.")]


BATCH_DOWNLOAD = Operation(
    "batchDownload",
    "GET",
    "/batch-task-download/{task_id}",
    "Get a link to the result",
    Link,
    "A temporary link.",
    description="The whole list in its own format, with category and domain_type behind its "
    "columns.",
    parameters=(TASK_ID,),
    problems=(errors.TaskUnknown, errors.ResultNotReady, errors.Gone),
)
DOWNLOAD: Operation[Struct] = Operation(
    "download",
    "GET",
    "/downloads/{token}",
    "Fetch a file",
    (*dict.fromkeys(one.result.traits.media_type for one in FORMATS), ZIP_TYPE),
    "The file; 206 for a part of it.",
    description="The link that batchDownload answered. Range requests resume a broken download.",
    parameters=(Parameter("token", "path"),),
    problems=(errors.TaskUnknown, errors.Gone, RangeNotSatisfiable),
    is_open=True,
)
