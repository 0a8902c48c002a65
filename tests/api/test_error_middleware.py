"""Whatever happens inside leaves as an answer; a stop lets nobody wait."""

import asyncio
import errno
import json
import logging
import os
import signal
import subprocess
import sys
from functools import partial
from typing import Any

import anyio
import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive

from tests.api.desk import call_raw
from tests.server import PROJECT
from tests.waiting import PATIENCE_SECONDS
from winnow.api.middleware import shutdown as stopping_module
from winnow.api.middleware.answers import SECURITY_HEADERS, AnswerHeaders, ErrorMiddleware
from winnow.api.middleware.shutdown import Shutdown
from winnow.api.upload_stream import receive_chunks
from winnow.core.errors import MalformedRequest, ShuttingDown

SECRET = "ana@gmail.com in row 7"


async def fail(request: Request) -> PlainTextResponse:
    raise ValueError(SECRET)


async def refuse(request: Request) -> PlainTextResponse:
    raise HTTPException(405, headers={"Allow": "POST, HEAD, GET"})


async def break_off(request: Request) -> StreamingResponse:
    async def blocks() -> Any:
        yield b"half"
        raise ValueError(SECRET)

    return StreamingResponse(blocks(), headers={"content-length": "8"})


async def greet(request: Request) -> PlainTextResponse:
    return PlainTextResponse("hello", headers={"cache-control": "max-age=1"})


def build(shutdown: Shutdown | None = None) -> ASGIApp:
    paths = {"/fail": fail, "/refuse": refuse, "/break": break_off, "/greet": greet}
    router = Router([Route(path, endpoint) for path, endpoint in paths.items()])
    error_middleware = ErrorMiddleware(router, shutdown=shutdown or Shutdown())
    return AnswerHeaders(error_middleware, docs_path="/docs")


def test_the_unforeseen_is_a_500_without_a_trace(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        answer = call_raw(build(), "GET", "/fail", [])
    problem = json.loads(answer.body)
    assert answer.status == 500
    assert problem["code"] == "internal_error"
    assert "gmail" not in answer.body.decode()
    [record] = caplog.records
    assert problem["request_id"] in record.getMessage()
    assert "ValueError" in record.getMessage()
    assert "fail:" in record.getMessage()
    assert "gmail" not in record.getMessage()
    assert record.exc_info is None


@pytest.mark.parametrize(
    ("number", "status", "code"),
    [
        (errno.EIO, 500, "storage_failed"),
        (errno.ENOSPC, 507, "storage_full"),
        (errno.EACCES, 500, "internal_error"),
    ],
    ids=["failing", "full", "not-the-disk"],
)
def test_an_error_of_the_disk_is_named(number: int, status: int, code: str) -> None:
    async def read(request: Request) -> PlainTextResponse:
        raise OSError(number, os.strerror(number), SECRET)

    answer = call_raw(ErrorMiddleware(Router([Route("/read", read)])), "GET", "/read", [])
    problem = json.loads(answer.body)
    assert (answer.status, problem["code"]) == (status, code)
    assert "gmail" not in answer.body.decode()


def test_half_an_answer_is_never_ended_as_a_whole_one(caplog: pytest.LogCaptureFixture) -> None:
    answer = call_raw(build(), "GET", "/break", [])
    assert (answer.status, answer.body, answer.is_whole) == (200, b"half", False)
    assert "gmail" not in caplog.text


def test_headers_are_ours_the_answers_own_and_in_one_order() -> None:
    headers = dict(call_raw(build(), "GET", "/greet", []).headers)
    assert headers[b"cache-control"] == b"max-age=1"
    assert set(SECURITY_HEADERS) <= set(headers)
    answer = call_raw(build(), "GET", "/refuse", [])
    assert dict(answer.headers)[b"allow"] == b"GET, HEAD, POST"
    assert json.loads(answer.body)["detail"] == "This path answers to GET, HEAD, POST only."


def test_a_stopping_server_answers_503_and_when_to_come_back() -> None:
    shutdown = Shutdown()
    shutdown.is_begun = True
    answer = call_raw(build(shutdown), "GET", "/greet", [])
    assert answer.status == 503
    assert dict(answer.headers)[b"retry-after"]
    assert json.loads(answer.body)["code"] == "shutting_down"


def test_a_stop_cuts_transfers_after_the_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stopping_module, "TRANSFER_GRACE_SECONDS", 0.0)
    shutdown = Shutdown()

    async def transfer() -> None:
        with shutdown.transfer():
            shutdown.begin(asyncio.get_running_loop())
            await anyio.sleep(60)

    with pytest.raises(ShuttingDown):
        anyio.run(transfer)


async def read_body(receive: Receive, *headers: tuple[bytes, bytes], seconds: float = 60) -> bytes:
    request = Request({"type": "http", "headers": headers}, receive)
    return b"".join([chunk async for chunk in receive_chunks(request, idle_seconds=seconds)])


def test_a_compressed_body_is_refused_by_name() -> None:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"x"}

    assert anyio.run(read_body, receive, (b"content-encoding", b"Identity")) == b"x"
    with pytest.raises(MalformedRequest, match="Content-Encoding"):
        anyio.run(read_body, receive, (b"content-encoding", b"gzip"))


def test_a_silent_client_is_not_waited_for() -> None:
    async def receive() -> dict[str, Any]:
        await anyio.sleep(60)
        raise AssertionError

    with pytest.raises(MalformedRequest):
        anyio.run(partial(read_body, receive, seconds=0.01))


SERVER = """
import asyncio, signal, threading
from winnow.api.middleware.shutdown import Shutdown

async def serve():
    shutdown = Shutdown()
    shutdown.last_acts += [threading.Event().wait, threading.Event().wait]
    with shutdown.watch_signals(asyncio.get_running_loop()):
        print("ready", flush=True)
        while not shutdown.is_begun:
            await asyncio.sleep(0.01)
        print("stopping", flush=True)
        await asyncio.Event().wait()

signal.signal(signal.SIGTERM, lambda *args: None)
asyncio.run(serve())
"""


def test_a_second_signal_ends_it_whatever_the_last_acts_wait_for() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True, cwd=PROJECT
    ) as server:
        assert server.stdout is not None
        try:
            assert server.stdout.readline() == "ready\n"
            server.terminate()
            assert server.stdout.readline() == "stopping\n"
            server.terminate()
            assert server.wait(PATIENCE_SECONDS) == 128 + signal.SIGTERM
        finally:
            server.kill()
