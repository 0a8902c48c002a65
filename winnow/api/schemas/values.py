"""Values that several answers have."""

from datetime import UTC, datetime
from typing import Annotated

from msgspec import Meta

from winnow.api.schemas.operations import Parameter

Count = Annotated[int, Meta(ge=0)]
TaskId = Annotated[str, Meta(extra_json_schema={"format": "uuid"})]
EXAMPLE_TASK_ID = "0b6f4a1e-5b0e-4c55-9d0a-1f4f0f6a7c11"
TASK_ID = Parameter("task_id", "path", "From the submission.", EXAMPLE_TASK_ID)


def about(description: str, **schema: str) -> Meta:
    """Return what the document says of a field: its description, and more keys of its schema."""
    return Meta(description=description, extra_json_schema=schema or None)


def cut_to_seconds(at: datetime) -> datetime:
    """Return a time as answers have it: UTC, whole seconds (as JSON: RFC 3339)."""
    return at.astimezone(UTC).replace(microsecond=0)
