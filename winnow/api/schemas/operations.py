"""An operation of the API, declared once: what is served and what the document says of it."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Generic, Literal, TypeVar

from msgspec import Meta, Struct

from winnow.core import errors
from winnow.core.errors import WinnowError

Model = TypeVar("Model", bound=Struct)

KEY_ERRORS = (errors.KeyRejected, errors.RateLimited)
"""What every operation that asks for a key may answer."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an operation; ``kind`` is its type, with msgspec's ``Meta`` where it has one.

    Those in the path are required in any case.
    """

    name: str
    place: Literal["path", "query", "header"]
    description: str = ""
    example: str = ""
    kind: Any = str
    is_required: bool = False


@dataclass(frozen=True, slots=True)
class Operation(Generic[Model]):
    """One method at one path, relative to the API's base path.

    ``answer`` is the model of the answer, or the media types of a file. ``body`` is the form that
    comes as ``multipart/form-data``. ``problems`` are the errors of its own: what any operation
    may answer is added. ``is_open``: it asks for no key.
    """

    operation_id: str
    method: Literal["GET", "POST"]
    path: str
    summary: str
    answer: type[Model] | tuple[str, ...]
    answer_description: str
    description: str = ""
    example: Model | None = None
    parameters: tuple[Parameter, ...] = ()
    body: type[Struct] | None = None
    problems: tuple[type[WinnowError], ...] = ()
    is_open: bool = False


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
