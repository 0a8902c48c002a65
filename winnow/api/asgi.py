"""Root router: sends requests to the API and the desk before Streamlit's routes."""

from collections.abc import Mapping

from starlette.types import ASGIApp, Receive, Scope, Send


class RootRouter:
    """Middleware: passes requests below the given roots to their applications.

    Routes of the server object would come after Streamlit's own middleware, which refuses some
    paths with its own texts, sets up sessions and compresses. The API must have none of this.

    Args:
        app: Answers everything else.
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
