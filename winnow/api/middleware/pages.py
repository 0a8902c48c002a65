"""The addresses of the pages: 404 for others; pages get a cookie."""

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from winnow.api.clients import uses_https
from winnow.api.errors import DOCS_PATH, RouteUnknown, respond_problem
from winnow.api.html_pages import answer_page, choose_language
from winnow.api.request_ids import request_id_of
from winnow.core.identities import LANGUAGE_COOKIE
from winnow.core.settings import Settings
from winnow.words import LANGUAGES

_SERVER_ROOTS = frozenset(
    {"_stcore", "static", "app", "media", "component", "favicon.png", "manifest.json"}
)
"""What Streamlit answers next to the pages, by the first part of the path."""

_COOKIE_SECONDS = 365 * 86_400
LANGUAGE_PARAMETER = "language"


@dataclass(eq=False, repr=False)
class Pages:
    """Middleware before Streamlit, which answers every path with its one page.

    A path that is no page gets 404: a page of ours in a browser, else a problem document.

    Args:
        app: Streamlit.
        paths: The pages' paths without slashes, that of the page at the root first; none:
        every path passes.
        settings: Their language and public path.
    """

    app: ASGIApp
    paths: Sequence[str]
    settings: Settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a path that is no page, or pass the request on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path = scope["path"].strip("/")
        if not self.paths or path.partition("/")[0] in _SERVER_ROOTS:
            await self.app(scope, receive, send)
        elif path == self.paths[0]:
            await RedirectResponse(f"{self.settings.public_path}/", 307)(scope, receive, send)
        elif path and path not in self.paths:
            await self._answer_no_page(scope)(scope, receive, send)
        else:
            await self.app(scope, receive, _add_cookie(scope, send, self.settings.public_url))

    def _answer_no_page(self, scope: Scope) -> Response:
        headers = Headers(scope=scope)
        if "text/html" not in headers.get("accept", ""):
            return respond_problem(RouteUnknown(scope[DOCS_PATH]), scope)
        return answer_page(
            "no_page.html",
            404,
            language=choose_language(headers, self.settings.language),
            request_id=request_id_of(scope),
            root=self.settings.public_path,
            docs_path=scope[DOCS_PATH],
        )


def _add_cookie(scope: Scope, send: Send, public_url: str | None) -> Send:
    """Return ``send`` for an answer that gives the browser the language asked for, if any."""
    asked = HTTPConnection(scope)
    language = asked.query_params.get(LANGUAGE_PARAMETER)
    if language is None or language not in LANGUAGES:
        return send
    cookies, is_secure = Response(), uses_https(asked, public_url)
    cookies.set_cookie(
        *(LANGUAGE_COOKIE, language, _COOKIE_SECONDS), httponly=True, secure=is_secure
    )
    headers = [item for item in cookies.raw_headers if item[0] == b"set-cookie"]

    async def send_with_cookie(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", []), *headers]}
        await send(message)

    return send_with_cookie
