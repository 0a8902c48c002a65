"""Routes of the operations that the API declares."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from winnow.api.schemas.operations import Model, Operation


class OperationRoute(Route):
    """The route of an operation."""

    def __init__(self, operation: Operation[Any], endpoint: Callable[..., Any]) -> None:
        super().__init__(operation.path, endpoint, methods=[operation.method])
        self.operation = operation


def route_model(
    operation: Operation[Model], handle: Callable[[Request], Awaitable[Model]]
) -> OperationRoute:
    """Return the route of an operation whose handler returns the model that it declares."""

    async def answer(request: Request) -> Response:
        return Response(msgspec.json.encode(await handle(request)), media_type="application/json")

    return OperationRoute(operation, answer)
