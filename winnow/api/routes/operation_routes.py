"""Routes of operations, whose handlers return the models that they declare."""

import re
from collections.abc import Awaitable, Callable
from inspect import iscoroutinefunction
from typing import Any

from msgspec import Struct
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from winnow.api.operations import ENCODER, Model, Operation


class OperationRoute(Route):
    """The route of an operation."""

    def __init__(self, operation: Operation[Any], endpoint: Callable[..., Any]) -> None:
        path = operation.path.replace("{pattern}", "{pattern:path}")  # an address may have a slash
        super().__init__(path, endpoint, methods=[operation.method])
        self.path_regex = re.compile(self.path_regex.pattern, re.DOTALL)  # or a line break
        self.path, self.operation = operation.path, operation


def respond_model(model: Struct, status: int = 200, **headers: str) -> Response:
    """Return a model as the answer to a request."""
    return Response(ENCODER.encode(model), status, headers, media_type="application/json")


def route_model(
    operation: Operation[Model], handle: Callable[[Request], Model | Awaitable[Model]]
) -> OperationRoute:
    """Return the route of an operation whose handler returns the model that it declares.

    A handler that is no coroutine function blocks; it is called in a thread.
    """

    async def answer(request: Request) -> Response:
        blocks = not iscoroutinefunction(handle)
        found = await run_in_threadpool(handle, request) if blocks else handle(request)
        return respond_model(await found if isinstance(found, Awaitable) else found)

    return OperationRoute(operation, answer)
