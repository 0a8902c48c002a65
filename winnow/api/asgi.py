"""Root router: the way in for the API and the desk, before the routes of the server object."""

from collections.abc import Mapping

from starlette.types import ASGIApp, Receive, Scope, Send


class RootRouter:
    """Middleware: hands requests below the given roots to their applications.

    Routes of the server object would come after Streamlit's own middleware, which refuses some
    paths in its own words, sets sessions up and compresses: nothing of which the API is to have.

    Args:
        app: Whoever answers everything else.
        roots: Applications by path, no final slash.
    """

    def __init__(self, app: ASGIApp, *, roots: Mapping[str, ASGIApp]) -> None:
        self.app = app
        self._roots = [(root, f"{root}/", inner) for root, inner in roots.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on to the application below whose root it is."""
        if scope["type"] == "http":
            path: str = scope["path"]
            for root, below, inner in self._roots:
                if path.startswith(below) or path == root:
                    scope["root_path"] = scope.get("root_path", "") + root
                    await inner(scope, receive, send)
                    return
        await self.app(scope, receive, send)
