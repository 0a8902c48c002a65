"""The addresses of the pages: what is none says so, and what is one knows where the server is."""

from collections.abc import Sequence

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from winnow.api.html_pages import answer_page, read_languages
from winnow.api.middleware.request_ids import request_id_of
from winnow.words import pick_language

_SERVER_ROOTS = ("_stcore", "static", "app", "media", "component")
"""What Streamlit answers beside the pages, by the first part of the path."""

_HEAD = b"<head>"
_TELL_SERVER = (
    b'<head><script>window.__streamlit = { BACKEND_BASE_URL: location.origin + "/" }</script>'
)


class Pages:
    """Middleware before Streamlit, which answers every path with its one page.

    A path that is no page gets 404 and a page of ours. A page below the root is told where the
    server is: else its browser asks two addresses below itself first, in vain.

    Args:
        app: Streamlit.
        paths: The pages' paths without slashes, that of the page at the root first; none:
            whatever is asked for passes.
        language: By the setting; None is the browser's.
    """

    def __init__(self, app: ASGIApp, *, paths: Sequence[str], language: str | None) -> None:
        self.app = app
        self._paths = frozenset(paths[1:])
        self._first = paths[0] if paths else None
        self._language = language

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a path that is no page, or pass the request on."""
        if self._first is None or not _asks_for_page(scope):
            await self.app(scope, receive, send)
            return
        path = scope["path"].strip("/")
        if path == self._first:
            await RedirectResponse("/", 307)(scope, receive, send)
        elif path and path not in self._paths:
            language = pick_language(read_languages(Headers(scope=scope)), chosen=self._language)
            answer = answer_page(
                "no_page.html", 404, language=language, request_id=request_id_of(scope)
            )
            await answer(scope, receive, send)
        elif path and scope["method"] == "GET":
            plain = [item for item in scope["headers"] if item[0] != b"accept-encoding"]
            teller = _ServerTeller(send)
            await self.app({**scope, "headers": plain}, receive, teller.send)
        else:
            await self.app(scope, receive, send)


def _asks_for_page(scope: Scope) -> bool:
    return (
        scope["type"] == "http"
        and scope["method"] in {"GET", "HEAD"}
        and "text/html" in Headers(scope=scope).get("accept", "")
        and scope["path"].strip("/").partition("/")[0] not in _SERVER_ROOTS
    )


class _ServerTeller:
    """Sends an answer on; where it is a page, with a line in its head."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None
        self._body = b""

    async def send(self, message: Message) -> None:
        """Take one message of the answer."""
        if message["type"] == "http.response.start" and _is_page(message):
            self._start = message
            return
        if self._start is None or message["type"] != "http.response.body":
            await self._send(message)
            return
        self._body += message.get("body", b"")
        if message.get("more_body", False):
            return
        body = self._body.replace(_HEAD, _TELL_SERVER, 1)
        headers = MutableHeaders(raw=list(self._start["headers"]))
        headers["content-length"] = str(len(body))
        for name in ("etag", "last-modified"):  # those of the file as it lies
            if name in headers:
                del headers[name]
        await self._send({**self._start, "headers": headers.raw})
        await self._send({"type": "http.response.body", "body": body})


def _is_page(start: Message) -> bool:
    headers = Headers(raw=start.get("headers", []))
    is_plain = "content-encoding" not in headers
    return start["status"] == 200 and is_plain and "text/html" in headers.get("content-type", "")
