"""Whole HTML pages of the server: Jinja2 templates that escape all values; the API reference."""

import json
from collections.abc import Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse

from winnow.api.errors import ANSWERS
from winnow.words import ENGLISH, pick_language, say, speaking

if TYPE_CHECKING:
    from jinja2 import Environment


def answer_page(
    name: str,
    status: int = 200,
    *,
    language: str = ENGLISH,
    form_action: Literal["none", "self"] = "none",
    **values: Any,
) -> HTMLResponse:
    """Return a page that runs no script and loads nothing.

    Args:
        name: The name of its template.
        status: The HTTP status.
        language: The language of its texts.
        form_action: Where its form, if it has one, may be sent (Content-Security-Policy).
        values: What the template shows.
    """
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; form-action '{form_action}'; "
        "base-uri 'none'; frame-ancestors 'none'"
    )
    with speaking(language):
        page = _open_templates().get_template(name).render(values, say=say, language=language)
    return HTMLResponse(page, status, headers={"content-security-policy": policy})


def choose_language(headers: Headers, chosen: str | None) -> str:
    """Return the language that is set, else the first of the browser's (RFC 9110, 12.5.4)."""
    asked = headers.get("accept-language", "").split(",")
    return pick_language((part.partition(";")[0].strip() for part in asked), chosen=chosen)


@cache
def _open_templates() -> "Environment":
    from jinja2 import Environment, PackageLoader  # no page of the desk needs it

    return Environment(
        loader=PackageLoader("winnow.api"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


Document = Mapping[str, Any]


def answer_reference(document: Document, base_url: str) -> HTMLResponse:
    """Return the page. ``base_url`` is the API's absolute base address as the reader sees it."""
    return answer_page(
        "docs.html",
        document=document,
        operations=[
            (method, path, operation, _write_curl(method, base_url + path, operation))
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
        ],
        problems=sorted(
            {(answer.status, kind.code, answer.title) for kind, answer in ANSWERS.items()}
        ),
        base_url=base_url,
        show_json=partial(json.dumps, indent=2, ensure_ascii=False),
    )


def _write_curl(method: str, url: str, operation: Document) -> str:
    parts = ["curl" if method == "get" else f"curl -X {method.upper()}"]
    if "security" not in operation:
        parts.append('-H "X-API-Key: $WINNOW_KEY"')
    content = operation.get("requestBody", {}).get("content", {})
    if "multipart/form-data" not in content:
        parts += [f"--json '{json.dumps(body['example'])}'" for body in content.values()]
    else:
        parts += ["-F file=@list.csv", '-F "project_name=November"', "-F deduplicate=true"]
    query = []
    for item in operation.get("parameters", ()):
        if item["in"] == "path" and "example" in item:
            url = url.replace(f"{{{item['name']}}}", item["example"])
        elif item["in"] == "query" and "example" in item:
            query.append(f"{item['name']}={item['example']}")
    parts.append(f'"{url}{"?" if query else ""}{"&".join(query)}"')
    return " \\\n  ".join(parts)
