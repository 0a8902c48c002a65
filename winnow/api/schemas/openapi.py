"""The OpenAPI 3.1 document, derived from the operations and their models."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from winnow.api.errors import ANSWERS, InternalError, Problem
from winnow.api.operations import KEY_ERRORS, Operation, Parameter
from winnow.core.errors import ServerBusy, ShuttingDown, WinnowError
from winnow.core.release import VERSION

REFERENCE = "#/components/schemas/{name}"
EVERYWHERE = (ShuttingDown, InternalError)  # what any operation may answer

Json = dict[str, Any]


def build_openapi(base_path: str, operations: Sequence[Operation[Any]]) -> Json:
    """Return the document of the operations that are served below ``base_path``."""
    paths: Json = {}
    for operation in operations:
        methods = paths.setdefault(operation.path, {})
        methods[operation.method.lower()] = _describe_operation(operation)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Winnow",
            "version": VERSION,
            "summary": "Email list hygiene on your own machine.",
            "description": (
                "Single checks answer at once; lists are submitted, polled and downloaded. "
                "White means no known problem, never deliverable. An address that fails format "
                "validation is an answer (black, invalid, not charged), not an error. Errors are "
                "problem details (RFC 9457) with a stable code; every answer carries X-Request-Id. "
                "Within v1 of the path, fields are added, never changed or taken away."
            ),
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": base_path}],
        "security": [{"ApiKey": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "ApiKey": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "X-API-Key",
                    "description": (
                        "Made on the page API or by `winnow keys create`. Type live, or sandbox: "
                        "free, and real only for test@disposable.com, test@multi-alias.com and "
                        "test@gmail.com; every other address is white, type unknown."
                    ),
                }
            },
            "headers": {
                name: {"description": description, "schema": {"type": kind}}
                for name, (kind, description) in _HEADERS.items()
            },
            "schemas": _build_schemas(operations),
        },
    }


_REQUEST_ID = "X-Request-Id"
_HEADERS: Mapping[str, tuple[str, str]] = {
    _REQUEST_ID: ("string", "Leads to the server's log line. A plain one of yours is taken over."),
    "RateLimit-Limit": ("integer", "Requests a minute and key."),
    "RateLimit-Remaining": ("integer", "Requests left."),
    "RateLimit-Reset": ("integer", "Seconds until the oldest counted request is forgotten."),
    "RateLimit-Policy": ("string", "The limit and its window in seconds."),
}


def _build_schemas(operations: Iterable[Operation[Any]]) -> Json:
    """Return the schema of every model; of a docstring, its first line is for all to read."""
    models: list[type] = []
    for operation in operations:
        bodies = (operation.answer, operation.body)
        models += [body for body in bodies if isinstance(body, type)]
        models += [] if operation.json_body is None else [type(operation.json_body)]
    schemas = msgspec.json.schema_components([*models, Problem], ref_template=REFERENCE)[1]
    for schema in schemas.values():
        schema["description"] = schema["description"].partition("\n")[0].replace("``", "`")
    return schemas


def _describe_operation(operation: Operation[Any]) -> Json:
    described: Json = {"operationId": operation.operation_id, "summary": operation.summary}
    if operation.description:
        described["description"] = operation.description
    if operation.is_open:
        described["security"] = []
    if operation.parameters:
        described["parameters"] = [_describe_parameter(one) for one in operation.parameters]
    content: Json = {}
    if operation.body is not None:
        content["multipart/form-data"] = {"schema": _refer_to(operation.body)}
    if operation.json_body is not None:
        content["application/json"] = {
            "schema": _refer_to(type(operation.json_body)),
            "example": msgspec.to_builtins(operation.json_body),
        }
    if content:
        described["requestBody"] = {"required": True, "content": content}
    asking: tuple[type[WinnowError], ...] = () if operation.is_open else KEY_ERRORS
    asking += () if operation.json_body is None else (ServerBusy,)
    described["responses"] = {
        **_describe_answers(operation),
        **_describe_problems((*asking, *operation.problems, *EVERYWHERE)),
    }
    return described


def _describe_answers(operation: Operation[Any]) -> Json:
    answer: Json = {"description": operation.answer_description}
    answer["headers"] = _refer_to_headers([_REQUEST_ID] if operation.is_open else _HEADERS)
    if operation.answer is None:
        return {"204": answer}
    answer["content"] = _describe_content(operation, operation.answer)
    if operation.tag:
        tag = {"description": operation.tag, "schema": {"type": "string"}}
        answer["headers"] = {"ETag": tag, **answer["headers"]}
    made = {"201": {**answer, "description": operation.made}} if operation.made else {}
    return {"200": answer, **made}


def _describe_parameter(parameter: Parameter) -> Json:
    described: Json = {"name": parameter.name, "in": parameter.place}
    if parameter.is_required or parameter.place == "path":
        described["required"] = True
    if parameter.description:
        described["description"] = parameter.description
    described["schema"] = msgspec.json.schema(parameter.kind)
    if parameter.example:
        described["example"] = parameter.example
    return described


def _describe_content(operation: Operation[Any], answer: type | tuple[str, ...]) -> Json:
    if isinstance(answer, tuple):
        return {kind: {"schema": _FILE_SCHEMAS.get(kind, _BINARY)} for kind in answer}
    content: Json = {"schema": _refer_to(answer)}
    if operation.example is not None:
        content["example"] = msgspec.json.decode(msgspec.json.encode(operation.example))
    return {"application/json": content}


_BINARY = {"type": "string", "format": "binary"}
_FILE_SCHEMAS = {"application/json": {"type": "object"}, "text/html": {"type": "string"}}


def _describe_problems(problems: Iterable[type[WinnowError]]) -> Json:
    """Group errors by their status, each with its code and title as an example."""
    by_status: dict[int, list[type[WinnowError]]] = {}
    for problem in problems:
        by_status.setdefault(ANSWERS[problem].status, []).append(problem)
    return {
        str(status): {
            "description": "; ".join(ANSWERS[kind].title for kind in kinds),
            "headers": _refer_to_headers([_REQUEST_ID]),
            "content": {
                "application/problem+json": {
                    "schema": _refer_to(Problem),
                    "examples": {kind.code: {"value": _give_example(kind)} for kind in kinds},
                }
            },
        }
        for status, kinds in sorted(by_status.items())
    }


def _give_example(kind: type[WinnowError]) -> Json:
    example = Problem(
        type=f"docs#{kind.code}",
        title=ANSWERS[kind].title,
        status=ANSWERS[kind].status,
        detail="…",
        code=kind.code,
        request_id="…",
    )
    return dict(msgspec.to_builtins(example))


def _refer_to(model: type) -> Json:
    return {"$ref": REFERENCE.format(name=model.__name__)}


def _refer_to_headers(names: Iterable[str]) -> Json:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}
