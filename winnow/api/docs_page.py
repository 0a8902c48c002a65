"""The reference page: one self-contained HTML page, written from the OpenAPI document."""

import json
import re
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any

from winnow.api.errors import ANSWERS

PAGE_POLICY: Mapping[str, str] = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

Document = Mapping[str, Any]


def render_reference(document: Document, base_url: str) -> str:
    """Return the page. ``base_url`` is the API's absolute base address as the reader sees it."""
    operations = [
        (method, path, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    page = Path(__file__).with_name("docs_page.html").read_text(encoding="utf-8")
    parts = {
        "description": escape(document["info"]["description"]),
        "base_url": escape(base_url),
        "key": _render_code(document["components"]["securitySchemes"]["ApiKey"]["description"]),
        "links": "".join(
            f'<li><a href="#{operation["operationId"]}">{escape(operation["summary"])}</a></li>'
            for _, _, operation in operations
        ),
        "operations": "".join(
            _render_operation(method, path, operation, base_url)
            for method, path, operation in operations
        ),
        "schemas": "".join(
            _render_schema(name, schema)
            for name, schema in document["components"]["schemas"].items()
        ),
        "problems": _render_problems(),
    }
    for name, text in parts.items():
        page = page.replace(f"{{{{{name}}}}}", text)
    return page


def _render_operation(method: str, path: str, operation: Document, base_url: str) -> str:
    anchor = operation["operationId"]
    key = "open" if operation.get("security") == [] else "X-API-Key"
    answer = operation["responses"]["200"]
    return (
        f'<section id="{anchor}"><h3>{escape(operation["summary"])}</h3>'
        f'<p class="route"><b>{method.upper()}</b> <code>{escape(path)}</code> '
        f'<span class="tag">{key}</span></p>'
        f"<p>{escape(operation.get('description', ''))}</p>"
        f"{_render_inputs(operation)}"
        f"{_render_code_block(_write_curl(method, path, operation, base_url))}"
        f"<h4>Answer</h4><p>{escape(answer['description'])} {_link_schema(answer)}</p>"
        f"{_render_example(answer)}"
        f"<h4>Problems</h4>{_render_answers(operation)}</section>"
    )


def _render_inputs(operation: Document) -> str:
    rows = [
        (item["name"], item["in"], item.get("required", False), item.get("description", ""))
        for item in operation.get("parameters", ())
    ]
    body = operation.get("requestBody", {}).get("content", {}).get("multipart/form-data")
    if body is not None:
        schema = body["schema"]
        rows += [
            (name, "part", name in schema["required"], field["description"])
            for name, field in schema["properties"].items()
        ]
    return _render_table(
        ("name", "where", "needed", "meaning"),
        (
            (
                f"<code>{escape(name)}</code>",
                place,
                "required" if needed else "optional",
                escape(text),
            )
            for name, place, needed, text in rows
        ),
    )


def _write_curl(method: str, path: str, operation: Document, base_url: str) -> str:
    parts = ["curl" if method == "get" else f"curl -X {method.upper()}"]
    if operation.get("security") != []:
        parts.append('-H "X-API-Key: $WINNOW_KEY"')
    if "requestBody" in operation:
        parts += ["-F file=@list.csv", '-F "project_name=November"', "-F deduplicate=true"]
    url, query = base_url + path, []
    for item in operation.get("parameters", ()):
        if item["in"] == "path" and "example" in item:
            url = url.replace(f"{{{item['name']}}}", item["example"])
        elif item["in"] == "query":
            query.append(f"{item['name']}={item['example']}")
    parts.append(f'"{url}{"?" if query else ""}{"&".join(query)}"')
    return " \\\n  ".join(parts)


def _render_example(answer: Document) -> str:
    example = next(iter(answer["content"].values())).get("example")
    if example is None:
        return ""
    text = json.dumps(example, indent=2, ensure_ascii=False)
    return _render_code_block(text)


def _render_code_block(text: str) -> str:
    """Render code that scrolls inside itself, also by keyboard."""
    return f'<pre tabindex="0"><code>{escape(text)}</code></pre>'


def _link_schema(answer: Document) -> str:
    return _render_type(next(iter(answer["content"].values()))["schema"])


def _render_answers(operation: Document) -> str:
    return _render_table(
        ("status", "codes"),
        (
            (
                status,
                ", ".join(
                    f'<a href="#{code}"><code>{code}</code></a>'
                    for code in answer["content"]["application/problem+json"]["examples"]
                ),
            )
            for status, answer in operation["responses"].items()
            if status != "200"
        ),
    )


def _render_schema(name: str, schema: Document) -> str:
    heading = f'<section id="schema-{name}"><h3>{name}</h3>'
    text = f"<p>{escape(schema.get('description', ''))}</p>" if "description" in schema else ""
    if "enum" in schema:
        values = ", ".join(f"<code>{escape(value)}</code>" for value in schema["enum"])
        return f"{heading}{text}<p>{values}</p></section>"
    required = schema["required"]
    rows = (
        (
            f"<code>{escape(field)}</code>",
            _render_type(part),
            "always" if field in required else "optional",
            _render_code(part.get("description", "")),
        )
        for field, part in schema["properties"].items()
    )
    return f"{heading}{text}{_render_table(('field', 'type', 'given', 'meaning'), rows)}</section>"


def _render_type(schema: Document) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f'<a href="#schema-{name}">{name}</a>'
    if "enum" in schema:
        return " | ".join(f"<code>{escape(str(value))}</code>" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_render_type(schema['items'])}"
    kind = schema.get("type", "")
    return escape(kind if isinstance(kind, str) else " or ".join(kind))


def _render_problems() -> str:
    rows = sorted(
        {(int(answer.status), kind.code, answer.title) for kind, answer in ANSWERS.items()}
    )
    return _render_table(
        ("status", "code", "title"),
        (
            (str(status), f'<code id="{code}">{code}</code>', escape(title))
            for status, code, title in rows
        ),
    )


def _render_code(text: str) -> str:
    """Render text in which backticks stand around code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _render_table(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Render cells that are HTML already; nothing without rows."""
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    if not body:
        return ""
    head = "".join(f"<th>{heading}</th>" for heading in headings)
    return f'<div class="wide" tabindex="0"><table><tr>{head}</tr>{body}</table></div>'
