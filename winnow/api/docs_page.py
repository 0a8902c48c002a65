"""The reference page, written from the OpenAPI document."""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from starlette.responses import HTMLResponse

from winnow.api.errors import ANSWERS
from winnow.api.html_pages import answer_page

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
            {(int(answer.status), kind.code, answer.title) for kind, answer in ANSWERS.items()}
        ),
        base_url=base_url,
        show_json=partial(json.dumps, indent=2, ensure_ascii=False),
    )


def _write_curl(method: str, url: str, operation: Document) -> str:
    parts = ["curl" if method == "get" else f"curl -X {method.upper()}"]
    if "security" not in operation:
        parts.append('-H "X-API-Key: $WINNOW_KEY"')
    if "requestBody" in operation:
        parts += ["-F file=@list.csv", '-F "project_name=November"', "-F deduplicate=true"]
    query = []
    for item in operation.get("parameters", ()):
        if item["in"] == "path" and "example" in item:
            url = url.replace(f"{{{item['name']}}}", item["example"])
        elif item["in"] == "query":
            query.append(f"{item['name']}={item['example']}")
    parts.append(f'"{url}{"?" if query else ""}{"&".join(query)}"')
    return " \\\n  ".join(parts)
