"""What the server says of itself: that it answers, and how it is asked."""

from typing import Literal

from msgspec import Struct

from winnow.api.schemas.operations import Operation


class Health(Struct, frozen=True):
    """The server answers."""

    status: Literal["ok"] = "ok"


HEALTH = Operation(
    "health",
    "GET",
    "/health",
    "See whether the server answers",
    Health,
    "It does.",
    example=Health(),
    is_open=True,
)
OPENAPI: Operation[Struct] = Operation(
    "openapi",
    "GET",
    "/openapi.json",
    "Fetch this document",
    ("application/json",),
    "OpenAPI 3.1.",
    is_open=True,
)
DOCS: Operation[Struct] = Operation(
    "reference",
    "GET",
    "/docs",
    "Read the reference",
    ("text/html",),
    "A page that loads nothing from elsewhere.",
    is_open=True,
)
