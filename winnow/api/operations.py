"""An operation of the API, declared once: what routes and the document say of it.

Commands write its answers as well, so that no module of schemas imports Starlette.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, Generic, Literal, TypeVar

from msgspec import Meta, Struct
from msgspec.json import Encoder

from winnow.core import errors
from winnow.core.errors import WinnowError

Model = TypeVar("Model", bound=Struct)


def _encode_text(value: object) -> str:
    if isinstance(value, str):  # a sentence, in English
        return str(value)
    raise NotImplementedError(type(value))


ENCODER = Encoder(enc_hook=_encode_text)

KEY_ERRORS = (errors.KeyRejected, errors.RateLimited)
"""What every operation that asks for a key may answer besides its own problems."""


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

    ``answer`` is the model of the answer, or the media types of a file; None: it is 204, without
    content. ``made`` describes an answer 201, ``tag`` the header ETag. ``body`` is the form that
    comes as ``multipart/form-data``, ``json_body`` an example of the object that comes as JSON.
    ``problems`` are the errors of its own: what any operation may answer is added. ``is_open``: it
    asks for no key.
    """

    operation_id: str
    method: Literal["GET", "POST", "PUT", "DELETE"]
    path: str
    summary: str
    answer: type[Model] | tuple[str, ...] | None
    answer_description: str
    description: str = ""
    example: Model | None = None
    parameters: tuple[Parameter, ...] = ()
    body: type[Struct] | None = None
    json_body: Struct | None = None
    problems: tuple[type[WinnowError], ...] = ()
    is_open: bool = False
    made: str = ""
    tag: str = ""


Count = Annotated[int, Meta(ge=0)]
Cell = str | int | float | bool | None
Items = Annotated[list[Any], Meta(extra_json_schema={"items": {}})]
"""Items of any type: those that are not accepted are named, or answered, one by one."""
TaskId = Annotated[str, Meta(extra_json_schema={"format": "uuid"})]
EXAMPLE_TASK_ID = "0b6f4a1e-5b0e-4c55-9d0a-1f4f0f6a7c11"
TASK_ID = Parameter("task_id", "path", "From the submission.", EXAMPLE_TASK_ID)
CURSOR = Parameter("cursor", "query", "next_cursor of the answer before; absent: from the start.")
NextCursor = Annotated[str | None, Meta(description="For the next call; null: there is no more.")]


def one_of(words: type[StrEnum]) -> Any:
    """Return the kind of a parameter that is one of an enumeration's values."""
    return Literal[*(word.value for word in words)]


def limit_parameter(default: int, most: int) -> Parameter:
    """Return the parameter ``limit`` of an operation that answers in pages."""
    kind = Annotated[int, Meta(ge=1, le=most)]
    return Parameter("limit", "query", f"1 to {most}; default {default}.", kind=kind)


def about(description: str, **schema: str) -> Meta:
    """Return what the document says of a field: its description, and more keys of its schema."""
    return Meta(description=description, extra_json_schema=schema or None)


def cut_to_seconds(at: datetime) -> datetime:
    """Return a time as answers have it: UTC, whole seconds (as JSON: RFC 3339)."""
    return at.astimezone(UTC).replace(microsecond=0)
