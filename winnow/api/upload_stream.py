"""Upload streams: bodies gathered to large blocks, written in a thread, never spooled."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from anyio import CancelScope, Lock, fail_after, sleep
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from winnow.core.errors import MalformedRequest
from winnow.core.lists.upload import Upload
from winnow.services.uploads.uploads import UploadWriter
from winnow.services.watches import DrawnPages

BLOCK_BYTES = 1 << 20  # one call of a thread per MiB
PAGES_FIRST_SECONDS = 0.05  # a block of an upload waits so long; most pages take less
PAGES_STEP_SECONDS = 0.005
IDLE_SECONDS = 45.0  # a silent client holds reserved space; shorter than server.PACE_SECONDS


def read_content_length(request: Request) -> int | None:
    """Return the declared length of the body, None where there is none."""
    text = request.headers.get("content-length", "")
    return int(text) if text.isascii() and text.isdigit() else None


async def receive_chunks(
    request: Request, idle_seconds: float = IDLE_SECONDS
) -> AsyncIterator[bytes]:
    """Yield a body as it comes in.

    Raises:
        ClientDisconnect: The client went away before the end.
        MalformedRequest: Nothing came for ``idle_seconds``, or the body is compressed.
    """
    if request.headers.get("content-encoding", "").strip().lower() not in {"", "identity"}:
        msg = "The body has a Content-Encoding, which is not accepted: send the bytes as they are."
        raise MalformedRequest(msg)
    chunks = request.stream()
    while True:
        try:
            with fail_after(idle_seconds):
                chunk = await anext(chunks, None)
        except TimeoutError as error:
            msg = f"The upload stood still for {idle_seconds:.0f} seconds."
            raise MalformedRequest(msg) from error
        if chunk is None:
            return
        if chunk:
            yield chunk


@asynccontextmanager
async def open_upload(
    begin: Callable[[], UploadWriter], pages: DrawnPages, turn: Lock
) -> AsyncIterator["UploadStream"]:
    """Begin an upload; an exit before it is complete removes what was written.

    Of all uploads with the same ``turn``, one writes at a time: pages would wait for many.
    """
    async with turn:
        writer = await run_in_threadpool(begin)
    try:
        yield UploadStream(writer, pages, turn)
    finally:
        with CancelScope(shield=True):
            await run_in_threadpool(writer.abort)


class UploadStream:
    """Writes one upload."""

    def __init__(self, writer: UploadWriter, pages: DrawnPages, turn: Lock) -> None:
        self._writer = writer
        self._pages = pages
        self._turn = turn
        self._blocks: list[bytes] = []
        self._block_bytes = 0

    async def write(self, data: bytes) -> None:
        """Write bytes, after pages that are being drawn; errors are ``UploadWriter.write``'s."""
        self._blocks.append(data)
        self._block_bytes += len(data)
        if self._block_bytes >= BLOCK_BYTES:
            await self._flush()

    async def finish(self) -> Upload:
        """Write the rest and commit the upload."""
        await self._flush()
        return await run_in_threadpool(self._writer.finish)

    async def receive(self) -> Upload:
        """Write the rest; the upload is completed by the task that takes it."""
        await self._flush()
        return await run_in_threadpool(self._writer.receive)

    async def _flush(self) -> None:
        blocks, self._blocks, self._block_bytes = self._blocks, [], 0
        async with self._turn:
            waited = 0.0
            while self._pages.count and waited < PAGES_FIRST_SECONDS:
                await sleep(PAGES_STEP_SECONDS)
                waited += PAGES_STEP_SECONDS
            await run_in_threadpool(lambda: self._writer.write(b"".join(blocks)))
