"""The JSON shapes of the API, as OpenAPI 3.1 (JSON Schema 2020-12) has them."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from winnow.core.tasks.task import Phase, TaskState
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category

Schema = Mapping[str, Any]


def build_schemas() -> dict[str, Schema]:
    """Return every named schema, the closed sets taken from the code that decides on them."""
    return {
        "Check": _object(
            {
                "email": _text("The address as checked: outer white space trimmed, NFC."),
                "domain": _text(
                    "Lower-case A-label form. Without a usable domain: what stands after the last "
                    "at-sign."
                ),
                "category": _ref("Category"),
                "mx_record": _text(
                    'Host of the most preferred MX. "" the domain has none; "unknown": not looked '
                    "up, or no answer."
                ),
                "premium": {
                    **_text("Whether the domain belongs to a paid or premium mail service."),
                    "enum": ["True", "False", "unknown"],
                },
                "domain_age": _text('Whole days since registration, or "unknown".'),
                "date_added": _text(
                    'Earliest list date that names the domain, DD.MM.YYYY, or "not added".'
                ),
                "type": _ref("DomainType"),
                "remaining_attempts_before_ban": {
                    "type": "integer",
                    "minimum": 0,
                    "description": "Black answers left until this client address is banned.",
                },
                "explanation": _ref("Explanation"),
            }
        ),
        "Explanation": _object(
            {
                "reasons": {
                    "type": "array",
                    "items": _ref("Reason"),
                    "description": "Stable codes; the first decided.",
                },
                "evidence": {"type": "array", "items": _ref("Evidence")},
                "suggestion": {
                    "type": ["string", "null"],
                    "description": "A corrected address. Never applied by itself.",
                },
                "data_version": _text("Version of the domain data that was judged with."),
                "disposable_probability": {
                    "type": ["number", "null"],
                    "minimum": 0,
                    "maximum": 1,
                    "description": "How likely the domain is a throw-away service's, by lists and "
                    "the signs of its name; measured, and no rule. null: not known (malformed, "
                    "decided by own lists, sandbox).",
                },
            }
        ),
        "Evidence": _object(
            {
                "reason": _ref("Reason"),
                "rule": _text("The rule in words."),
                "source": _nullable("The list or answer behind it."),
                "dated": {**_nullable("Its date."), "format": "date"},
                "matched": _nullable("The name that matched there."),
                "asked_at": {
                    **_nullable("When DNS or a registry said so (RFC 3339, UTC)."),
                    "format": "date-time",
                },
            }
        ),
        "Category": _closed(Category, "white: keep. grey: review. black: remove."),
        "DomainType": _closed(DomainType, "The kind of domain."),
        "Reason": _closed(Reason, "What led to a verdict."),
        "Submitted": _object(
            {
                "task_id": {"type": "string", "format": "uuid"},
                "status": _ref("TaskState"),
                "message": _text("What to do next."),
            }
        ),
        "TaskState": _closed(TaskState, "The state of a list."),
        "Status": _object(
            {
                "task_id": {"type": "string", "format": "uuid"},
                "status": _ref("TaskState"),
                "project_name": _text("1 to 50 characters."),
                "progress": _ref("Progress"),
                "summary": _ref("Summary"),
                "warnings": {"type": "array", "items": _ref("Warning")},
                "error": _ref("Failure"),
                "submitted_at": _time("When the list was submitted."),
                "completed_at": {**_time("When it ended."), "type": ["string", "null"]},
                "expires_at": _time("When it is deleted."),
            },
            optional={"summary", "error"},
        ),
        "Progress": _object(
            {
                "rows_done": _count(),
                "rows_total": {
                    "type": ["integer", "null"],
                    "description": "null until the whole list was read once.",
                },
                "phase": _closed(Phase, "What is being done."),
            }
        ),
        "Summary": _object(
            {
                "rows_in": _count(),
                "rows_out": _count(),
                "duplicates_removed": _count(),
                "charged": {**_count(), "description": "Rows out that pass format validation."},
                "by_category": _counts(),
                "by_domain_type": _counts(),
                "by_reason": _counts(),
                "top_domains": {"type": "array", "items": _ref("TopDomain")},
                "data_version": _text("Version of the domain data."),
            }
        ),
        "TopDomain": _object(
            {"domain": _text("A-label form."), "category": _ref("Category"), "rows": _count()}
        ),
        "Warning": _object(
            {
                "code": _text("Stable, for programs."),
                "text": _text("What was assumed or repaired."),
                "lines": {
                    "type": "array",
                    "items": _count(),
                    "description": "Lines (or sheet rows) from 1, the first 100.",
                },
                "count": {**_count(), "description": "How many there are in all."},
            }
        ),
        "Failure": _object(
            {
                "code": _text("Stable, for programs; a cancelled task: `cancelled`."),
                "title": _text("The kind of failure."),
                "detail": _text("What is wrong, and where. A failed task is never charged."),
                "hint": _text("How to mend it."),
                "line": {"type": "integer", "description": "The line, from 1."},
                "sheet": _text("The sheet of a workbook."),
            },
            optional={"hint", "line", "sheet"},
        ),
        "Link": _object(
            {
                "download_url": {
                    **_text("Serves the file directly, without a key; Range works."),
                    "format": "uri",
                },
                "expires_at": _time("One hour after it was issued, unless set otherwise."),
            }
        ),
        "Health": _object({"status": {"type": "string", "const": "ok"}}),
        "Problem": _object(
            {
                "type": _text("Where this code is described.") | {"format": "uri-reference"},
                "title": _text("The kind of problem."),
                "status": {"type": "integer"},
                "detail": _text("What is wrong, and where."),
                "code": _text("Stable, for programs."),
                "request_id": _text("The same as in X-Request-Id."),
                "hint": _text("How to mend it."),
                "errors": {
                    "type": "array",
                    "items": {"type": "object"},
                    "description": "One entry a field, line or sheet.",
                },
                "error": _text("On 429: the same as detail."),
                "used": {**_count(), "description": "On 413: bytes in use."},
                "limit": {**_count(), "description": "On 413: bytes allowed."},
                "columns": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "Columns found where none is named email.",
                },
                "positions": {
                    "type": "array",
                    "items": {"type": "integer"},
                    "description": "Positions, from 1, of columns with the same name.",
                },
            },
            optional={"hint", "errors", "error", "used", "limit", "columns", "positions"},
        ),
    }


def _object(
    properties: Mapping[str, Schema], *, optional: frozenset[str] | set[str] = frozenset()
) -> Schema:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": dict(properties), "required": required}


def _closed(values: type[StrEnum], description: str) -> Schema:
    return {"type": "string", "enum": [value.value for value in values], "description": description}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


def _nullable(description: str) -> dict[str, Any]:
    return {"type": ["string", "null"], "description": description}


def _time(description: str) -> dict[str, Any]:
    return {"type": "string", "format": "date-time", "description": description}


def _count() -> dict[str, Any]:
    return {"type": "integer", "minimum": 0}


def _counts() -> Schema:
    return {"type": "object", "additionalProperties": _count()}
