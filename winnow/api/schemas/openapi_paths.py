"""Every operation of the API as the OpenAPI document describes it."""

from collections.abc import Mapping
from typing import Any

from winnow.api.errors import ANSWERS, InternalError, RangeNotSatisfiable
from winnow.core import errors
from winnow.core.errors import WinnowError
from winnow.core.lists.file_format import FORMATS
from winnow.services.downloads import ZIP_TYPE

EXAMPLE_CHECK = {
    "email": "ana@mailinator.com",
    "domain": "mailinator.com",
    "category": "black",
    "mx_record": "unknown",
    "premium": "False",
    "domain_age": "unknown",
    "date_added": "19.03.2016",
    "type": "disposable",
    "remaining_attempts_before_ban": 4,
    "explanation": {
        "reasons": ["disposable_reviewed"],
        "evidence": [
            {
                "reason": "disposable_reviewed",
                "rule": "On a list of throw-away mail services that is reviewed by hand.",
                "source": "disposable-email-domains 0.0.293",
                "dated": "2026-10-01",
                "matched": "mailinator.com",
                "asked_at": None,
            }
        ],
        "suggestion": None,
        "data_version": "2026-11-09.3fa2c1",
        "disposable_probability": 0.995,
    },
}
EXAMPLE_TASK_ID = "0b6f4a1e-5b0e-4c55-9d0a-1f4f0f6a7c11"

ADMISSION_ERRORS = (errors.KeyRejected, errors.RateLimited)
SERVER_ERRORS = (errors.ShuttingDown, InternalError)
LIST_ERRORS = (
    errors.MalformedRequest,
    errors.UnsupportedFormat,
    errors.BrokenFile,
    errors.MixedEscapes,
    errors.EmptyFile,
    errors.EmailColumnMissing,
    errors.EmailColumnAmbiguous,
    errors.BadField,
    errors.TooLarge,
    errors.QuotaExceeded,
    errors.StorageFull,
)


def build_paths() -> dict[str, Any]:
    """Return every path below the base address."""
    return {
        "/check-email": {
            "post": _operation(
                "checkEmail",
                "Check one address",
                "No body. A literal + in the query is a plus.",
                answer=_json("Check", EXAMPLE_CHECK, "The classification."),
                problems=(*ADMISSION_ERRORS, errors.BadField, errors.Banned),
                parameters=[
                    {
                        "name": "email",
                        "in": "query",
                        "required": True,
                        "description": "The address, percent-encoded UTF-8.",
                        "schema": {"type": "string"},
                        "example": "ana@mailinator.com",
                    }
                ],
            )
        },
        "/batch-check-emails": {
            "post": _operation(
                "submitBatch",
                "Submit a list",
                "Streams to disk; the parts may come in any order. The answer comes once the list "
                "is queued; ask for its status every few seconds.",
                answer=_json(
                    "Submitted",
                    {"task_id": EXAMPLE_TASK_ID, "status": "processing", "message": "…"},
                    "The list is queued.",
                ),
                problems=(*ADMISSION_ERRORS, *LIST_ERRORS),
                parameters=[
                    {
                        "name": "Idempotency-Key",
                        "in": "header",
                        "description": "The same key, file and fields return the same task; "
                        "the same key with anything else is 422.",
                        "schema": {"type": "string", "minLength": 1, "maxLength": 255},
                    }
                ],
                body=_submission_body(),
            )
        },
        "/batch-check-status/{task_id}": {
            "get": _operation(
                "batchStatus",
                "Ask how far a list is",
                "Poll until the status is completed or failed.",
                answer=_json("Status", None, "The state of the task."),
                problems=(*ADMISSION_ERRORS, errors.TaskUnknown, errors.Gone),
                parameters=[_TASK_ID],
            )
        },
        "/batch-task-download/{task_id}": {
            "get": _operation(
                "batchDownload",
                "Get a link to the result",
                "The whole list in its own format, with category and domain_type behind its "
                "columns.",
                answer=_json("Link", None, "A temporary link."),
                problems=(
                    *ADMISSION_ERRORS,
                    errors.TaskUnknown,
                    errors.ResultNotReady,
                    errors.Gone,
                ),
                parameters=[_TASK_ID],
            )
        },
        "/downloads/{token}": {
            "get": _operation(
                "download",
                "Fetch a file",
                "The link that batchDownload answered. Range requests resume a broken download.",
                answer={
                    "description": "The file; 206 for a part of it.",
                    "content": {
                        kind: {"schema": {"type": "string", "format": "binary"}}
                        for kind in (*(one.traits.media_type for one in FORMATS), ZIP_TYPE)
                    },
                },
                problems=(errors.TaskUnknown, errors.Gone, RangeNotSatisfiable),
                parameters=[
                    {
                        "name": "token",
                        "in": "path",
                        "required": True,
                        "schema": {"type": "string"},
                    }
                ],
                is_open=True,
            )
        },
        "/health": {
            "get": _operation(
                "health",
                "See whether the server answers",
                "",
                answer=_json("Health", {"status": "ok"}, "It does."),
                problems=(),
                is_open=True,
            )
        },
        "/openapi.json": {
            "get": _operation(
                "openapi",
                "Fetch this document",
                "",
                answer={
                    "description": "OpenAPI 3.1.",
                    "content": {"application/json": {"schema": {"type": "object"}}},
                },
                problems=(),
                is_open=True,
            )
        },
        "/docs": {
            "get": _operation(
                "reference",
                "Read the reference",
                "",
                answer={
                    "description": "A page that loads nothing from elsewhere.",
                    "content": {"text/html": {"schema": {"type": "string"}}},
                },
                problems=(),
                is_open=True,
            )
        },
    }


_TASK_ID: Mapping[str, Any] = {
    "name": "task_id",
    "in": "path",
    "required": True,
    "description": "From the submission.",
    "schema": {"type": "string"},
    "example": EXAMPLE_TASK_ID,
}


def _submission_body() -> dict[str, Any]:
    properties = {
        "file": {
            "type": "string",
            "format": "binary",  # OpenAPI 3.0's word, which generators go by
            "contentMediaType": "application/octet-stream",
            "description": "CSV, TSV or XLSX by its file name, with a column named email.",
        },
        "project_name": {
            "type": "string",
            "maxLength": 50,
            "description": "1 to 50 characters; absent or empty: the file's stem.",
        },
        "deduplicate": {
            "type": "boolean",
            "default": True,
            "description": "Keep only the last row of each address. Also 1, 0, yes, no.",
        },
        "email_column": {
            "type": "string",
            "description": "The column to use: its name, or its position from 1.",
        },
    }
    schema = {"type": "object", "properties": properties, "required": ["file"]}
    return {"required": True, "content": {"multipart/form-data": {"schema": schema}}}


def _operation(
    operation_id: str,
    summary: str,
    description: str,
    *,
    answer: Mapping[str, Any],
    problems: tuple[type[WinnowError], ...],
    parameters: list[Mapping[str, Any]] | None = None,
    body: Mapping[str, Any] | None = None,
    is_open: bool = False,
) -> dict[str, Any]:
    names = ["X-Request-Id"]
    if not is_open:
        names += ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "RateLimit-Policy"]
    headers = {name: {"$ref": f"#/components/headers/{name}"} for name in names}
    operation: dict[str, Any] = {"operationId": operation_id, "summary": summary}
    if description:
        operation["description"] = description
    if is_open:
        operation["security"] = []
    if parameters:
        operation["parameters"] = parameters
    if body:
        operation["requestBody"] = body
    operation["responses"] = {
        "200": {**answer, "headers": headers},
        **_problem_responses((*problems, *SERVER_ERRORS)),
    }
    return operation


def _problem_responses(problems: tuple[type[WinnowError], ...]) -> dict[str, Any]:
    """Group error types by their status, each with its code and title as an example."""
    by_status: dict[int, list[type[WinnowError]]] = {}
    for problem in problems:
        by_status.setdefault(int(ANSWERS[problem].status), []).append(problem)
    return {
        str(status): {
            "description": "; ".join(ANSWERS[kind].title for kind in kinds),
            "headers": {"X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}},
            "content": {
                "application/problem+json": {
                    "schema": {"$ref": "#/components/schemas/Problem"},
                    "examples": {
                        kind.code: {
                            "value": {
                                "type": f"docs#{kind.code}",
                                "title": ANSWERS[kind].title,
                                "status": status,
                                "detail": "…",
                                "code": kind.code,
                                "request_id": "…",
                            }
                        }
                        for kind in kinds
                    },
                }
            },
        }
        for status, kinds in sorted(by_status.items())
    }


def _json(schema: str, example: Mapping[str, Any] | None, description: str) -> dict[str, Any]:
    content: dict[str, Any] = {"schema": {"$ref": f"#/components/schemas/{schema}"}}
    if example is not None:
        content["example"] = dict(example)
    return {"description": description, "content": {"application/json": content}}
