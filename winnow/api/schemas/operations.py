"""An operation of the API, declared once: what is served and what the document says of it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Generic, Literal, TypeVar

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

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


class OperationRoute(Route):
    """The route of an operation."""

    def __init__(self, operation: Operation[Any], endpoint: Callable[..., Any]) -> None:
        super().__init__(operation.path, endpoint, methods=[operation.method])
        self.operation = operation


class ModelEndpoint(Generic[Model]):
    """An ASGI application that answers with what its handler returns, as JSON."""

    def __init__(self, handle: Callable[[Request], Awaitable[Model]]) -> None:
        self._handle = handle

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        body = msgspec.json.encode(await self._handle(Request(scope, receive)))
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": HTTPStatus.OK, "headers": headers})
        await send({"type": "http.response.body", "body": body})


def route_model(
    operation: Operation[Model], handle: Callable[[Request], Awaitable[Model]]
) -> OperationRoute:
    """Return the route of an operation whose handler returns the model that it declares."""
    return OperationRoute(operation, ModelEndpoint(handle))
