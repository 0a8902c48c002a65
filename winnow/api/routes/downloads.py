"""``GET /downloads/{token}``: the file of a temporary link."""

import asyncio
import os
import re
import unicodedata
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import quote

from anyio import CancelScope
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from winnow.api.errors import RangeNotSatisfiable
from winnow.api.html_pages import answer_page, choose_language
from winnow.api.middleware.shutdown import Shutdown
from winnow.core.errors import Gone
from winnow.core.identities import Event, Identity, Role
from winnow.core.unicode_forms import normalise_form
from winnow.services.results.link_files import OpenDownload
from winnow.services.services import Services

_RANGE = r"(?:\d{1,18}-\d{0,18}|-\d{1,18})"  # RFC 9110, 14.1.1
_MADE_AT_ONCE = 4
_RANGES = re.compile(rf"bytes=\s*{_RANGE}(?:\s*,\s*{_RANGE})*\s*\Z")


@dataclass(eq=False, repr=False)
class DownloadOperation:
    """Serves the files behind links: GET with ranges, and HEAD.

    A file that must be made first, such as a workbook, may take a minute. After ``wait_seconds`` a
    browser gets a page that asks again each second; other clients wait.
    """

    services: Callable[[], Services]
    shutdown: Shutdown
    language: str | None = None
    wait_seconds: float = 2.0

    def __post_init__(self) -> None:
        self._threads = ThreadPoolExecutor(_MADE_AT_ONCE, "make-file")
        self._opening: dict[str, Future[OpenDownload]] = {}  # by token, for browsers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the file, or as much of it as the request asks for."""
        request = Request(scope, receive)
        opened = await self._open(request)
        answer: Response
        if opened is None:
            language = choose_language(request.headers, self.language)
            await answer_page("making.html", language=language)(scope, receive, send)
            return
        begins = request.headers.get("range", "bytes=0-").replace(" ", "").startswith("bytes=0-")
        if request.method == "GET" and begins:  # rather than goes on by a range
            await run_in_threadpool(self._record, request.path_params["token"], opened)
        if opened.path is not None:
            answer = await _answer_file(request, opened, opened.path)
        else:
            answer = _answer_stream(opened, is_head=request.method == "HEAD")
        with self.shutdown.transfer():
            await self._send(answer, opened, scope, receive, send)

    def _record(self, token: str, opened: OpenDownload) -> None:
        """Record the first use of a link."""
        services, caller = self.services(), Identity("", opened.person, Role.READER)
        if services.downloads.note_first_use(token):
            services.audit_log.record(Event.DOWNLOADED, caller, *opened.task_ids)

    async def _open(self, request: Request) -> OpenDownload | None:
        """Open a download; None: its file is still being made, and the client is a browser."""
        token, open_link = request.path_params["token"], self.services().downloads.open
        if "text/html" not in request.headers.get("accept", ""):
            return await run_in_threadpool(open_link, token)
        for other in [other for other, one in self._opening.items() if one.done()]:
            if other != token:  # its tab was closed
                del self._opening[other]
        found = self._opening.get(token) or self._threads.submit(open_link, token)
        self._opening[token] = found
        await run_in_threadpool(wait, [found], self.wait_seconds)
        if not found.done():
            return None
        self._opening.pop(token, None)
        return found.result()

    async def _send(
        self, answer: Response, opened: OpenDownload, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Send an answer until it is complete, the client leaves, or its link ends."""
        loop = asyncio.get_running_loop()
        services = self.services()
        with CancelScope() as sending, ExitStack() as watching:
            end = partial(loop.call_soon_threadsafe, sending.cancel)
            if opened.session is not None:
                watching.enter_context(services.sign_in.watch(opened.session, end))
            watching.enter_context(services.deletions.watch(opened.task_ids, end))

            async def wait_for_the_end() -> None:
                while (await receive())["type"] != "http.disconnect":
                    pass
                sending.cancel()  # without a client the file is not read

            waiting = asyncio.create_task(wait_for_the_end())
            try:
                await answer(scope, receive, send)
            finally:
                waiting.cancel()


def describe_file(opened: OpenDownload) -> dict[str, str]:
    """Return the headers of a download.

    ``Content-Encoding: identity`` keeps the server's own compression away, which is ten times
    slower and drops the length; the content type says no charset because lists keep their own.
    """
    return {
        "content-type": opened.media_type,
        "content-disposition": write_disposition(opened.file_name),
        "content-encoding": "identity",
    }


def write_disposition(file_name: str) -> str:
    """Return ``Content-Disposition`` with a name in plain ASCII and the whole name (RFC 6266)."""
    safe = "".join("_" if unicodedata.category(c)[0] == "C" else c for c in file_name)
    plain = normalise_form("NFKD", safe).encode("ascii", "ignore").decode()
    plain = re.sub(r'["\\/%]', "_", plain).strip() or "download"
    whole = quote(safe, safe="!#$&+^`|~")  # RFC 5987, 3.2.1: attr-char
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{whole}"


async def _answer_file(request: Request, opened: OpenDownload, path: Path) -> Response:
    try:
        found = await run_in_threadpool(os.stat, path)
    except FileNotFoundError as error:
        raise Gone("The file behind this link is no longer there.") from error
    _settle_ranges(request, found.st_size)
    return FileResponse(path, headers=describe_file(opened), stat_result=found)


def _settle_ranges(request: Request, size_bytes: int) -> None:
    """Remove a Range header that is not valid, and ranges beyond the end (RFC 9110, 14.1.2, 14.2).

    Raises:
        RangeNotSatisfiable: All of them begin beyond the end.
    """
    text = request.headers.get("range")
    if text is None:
        return
    ranges = []
    if _RANGES.match(text):
        ranges = [one.strip().partition("-") for one in text.partition("=")[2].split(",")]
    if not ranges or any(first and last and int(first) > int(last) for first, _, last in ranges):
        kept = b""
    else:
        within = [
            f"{first}-{last}"
            for first, _, last in ranges
            if (int(first) < size_bytes if first else int(last) > 0)
        ]
        if not within:
            raise RangeNotSatisfiable(size_bytes)
        kept = f"bytes={','.join(within)}".encode()
    headers = [item for item in request.scope["headers"] if item[0] != b"range"]
    request.scope["headers"] = [*headers, (b"range", kept)] if kept else headers


def _answer_stream(opened: OpenDownload, *, is_head: bool) -> StreamingResponse:
    headers = {**describe_file(opened), "accept-ranges": "none"}
    if opened.stream is None or is_head:
        return StreamingResponse(iter(()), headers=headers)
    return StreamingResponse(_iterate(opened.stream), headers=headers)


async def _iterate(stream: Callable[[], Iterator[bytes]]) -> AsyncIterator[bytes]:
    """Iterate over a blocking iterator in threads, and always close it."""
    blocks = stream()
    try:
        while (block := await run_in_threadpool(next, blocks, None)) is not None:
            yield block
    finally:
        close = getattr(blocks, "close", None)
        if close is not None:
            with CancelScope(shield=True):
                await run_in_threadpool(close)
