"""The OpenAPI 3.1 document: what the reference page shows and what clients are made from."""

from typing import Any

from winnow.api.schemas.openapi_paths import build_paths
from winnow.api.schemas.schemas import build_schemas

API_VERSION = "1"  # the path's segment v1; fields are added, never changed or taken away


def build_openapi(base_path: str) -> dict[str, Any]:
    """Return the document of the API that is served below ``base_path``."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Winnow",
            "version": API_VERSION,
            "summary": "Email list hygiene on your own machine.",
            "description": (
                "Single checks answer at once; lists are submitted, polled and downloaded. "
                "White means no known problem, never deliverable. An address that fails format "
                "validation is an answer (black, invalid, not charged), not an error. Errors are "
                "problem details (RFC 9457) with a stable code; every answer carries X-Request-Id."
            ),
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": base_path}],
        "security": [{"ApiKey": []}],
        "paths": build_paths(),
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
            "headers": _build_headers(),
            "schemas": build_schemas(),
        },
    }


def _build_headers() -> dict[str, Any]:
    whole = {"type": "integer"}
    return {
        "X-Request-Id": {
            "description": "Leads to the server's log line. A plain one of yours is taken over.",
            "schema": {"type": "string"},
        },
        "RateLimit-Limit": {"description": "Requests a minute and key.", "schema": whole},
        "RateLimit-Remaining": {"description": "Requests left.", "schema": whole},
        "RateLimit-Reset": {
            "description": "Seconds until the oldest counted request is forgotten.",
            "schema": whole,
        },
        "RateLimit-Policy": {
            "description": "The limit and its window in seconds.",
            "schema": {"type": "string"},
        },
    }
