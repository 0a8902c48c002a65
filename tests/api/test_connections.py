"""Which clients are too slow, by a clock that the test sets."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from winnow.api import server
from winnow.api.clients import ClientFinder
from winnow.api.middleware.shutdown import Shutdown
from winnow.api.server import ConnectionWatch, LimitedProtocol, choose_limit
from winnow.core.errors import StartRefused

pytestmark = pytest.mark.anyio
HEAD = b"POST / HTTP/1.1\r\nHost: a\r\n"
BODY = HEAD + b"Content-Length: 999999999\r\n\r\n"
WHOLE = HEAD + b"Content-Length: 0\r\n\r\n"


class Wire(asyncio.Transport):
    """A transport: what a client has not taken yet, what was written, and whether we hung up."""

    def __init__(self, host: str) -> None:
        super().__init__({"peername": (host, 4711)})
        self.unsent, self.is_aborted, self.written = 0, False, b""

    def abort(self) -> None:
        self.is_aborted = True

    def write(self, data: Any) -> None:
        self.written += data

    def is_closing(self) -> bool:
        return self.is_aborted

    def get_write_buffer_size(self) -> int:
        return self.unsent

    close = abort
    pause_reading = resume_reading = lambda self: None


async def wait_forever(scope: Scope, receive: Receive, send: Send) -> None:
    """Read the body but at ``/unread``, and never answer."""
    while scope["path"] != "/unread" and (await receive()).get("more_body"):
        pass
    with suppress(asyncio.CancelledError):
        await asyncio.Event().wait()


@dataclass
class Crowd:
    """Connections of a server, and the time."""

    now: float
    state: ServerState = field(default_factory=ServerState)
    wires: list[Wire] = field(default_factory=list)
    watch: ConnectionWatch = field(default_factory=ConnectionWatch)

    def come(self, sent: bytes = b"", host: str = "127.0.0.1") -> LimitedProtocol:
        config = uvicorn.Config(wait_forever, http=LimitedProtocol, lifespan="off")
        protocol = LimitedProtocol(
            clients=ClientFinder(("10.0.0.0/8",)),
            config=config,
            server_state=self.state,
            app_state={},
        )
        self.wires.append(Wire(host))
        protocol.connection_made(self.wires[-1])
        if sent:
            protocol.data_received(sent)
        return protocol

    async def live(self, seconds: float, each: Callable[[], object] = lambda: None) -> None:
        """Let time go by as the server does, second by second."""
        for _ in range(int(seconds)):
            self.now += 1.0
            each()
            await asyncio.sleep(0)
            self.watch.look(self.state.connections, self.now)


@asynccontextmanager
async def open_crowd() -> AsyncIterator[Crowd]:
    crowd = Crowd(asyncio.get_running_loop().time())
    yield crowd
    for task in crowd.state.tasks:
        task.cancel()


@pytest.mark.parametrize(
    ("sent", "more", "unsent", "seconds", "is_given_up"),
    [
        pytest.param(b"", b"", 0, server.HEAD_SECONDS - 1, False, id="head-in-time"),
        pytest.param(HEAD, b"X", 0, server.HEAD_SECONDS + 2, True, id="head-byte-by-byte"),
        pytest.param(BODY, b"x", 0, 2 * server.PACE_SECONDS + 2, True, id="body-byte-by-byte"),
        pytest.param(BODY, b"x" * 300, 0, 600, False, id="body-over-a-slow-line"),
        pytest.param(WHOLE, b"", 0, 3600, False, id="our-turn"),
        pytest.param(WHOLE, b"", 9, server.STALL_SECONDS - 1, False, id="download-pauses"),
        pytest.param(WHOLE, b"", 9, server.STALL_SECONDS + 2, True, id="stalled-download"),
    ],
)
async def test_a_slow_client_is_given_up(
    sent: bytes, more: bytes, unsent: int, seconds: float, is_given_up: bool
) -> None:
    async with open_crowd() as crowd:
        protocol = crowd.come(sent)
        (wire,) = crowd.wires
        wire.unsent = unsent

        def send_more() -> None:
            if more and not wire.is_aborted:
                protocol.data_received(more)

        await crowd.live(seconds, send_more)
        assert wire.is_aborted is is_given_up
        if sent == HEAD:
            assert wire.written.startswith(b"HTTP/1.1 408 ")


async def test_what_is_not_read_and_what_goes_on_slowly_is_not_given_up() -> None:
    async with open_crowd() as crowd:
        protocol = crowd.come(BODY.replace(b"/", b"/unread", 1) + b"x" * 100_000)
        await crowd.live(10 * server.PACE_SECONDS)
        protocol.flow.resume_reading()
        await crowd.live(server.PACE_SECONDS - 1)
        assert not crowd.wires[0].is_aborted
    async with open_crowd() as crowd:
        crowd.come(WHOLE)
        crowd.wires[0].unsent = 90_000
        for _ in range(20):
            await crowd.live(server.STALL_SECONDS - 2)
            crowd.wires[0].unsent -= 1
            await crowd.live(1)
        assert not crowd.wires[0].is_aborted


async def test_another_kind_of_server_is_refused_in_words(caplog: pytest.LogCaptureFixture) -> None:
    lifespan = server.manage_server(lambda app: nullcontext(), Shutdown(), ClientFinder(()))
    with pytest.raises(StartRefused, match="without limits"):
        await lifespan(None).__aenter__()
    assert "Winnow does not start: This server (uvicorn " in caplog.text


@pytest.mark.parametrize(
    ("sent", "closed", "status"),
    [
        pytest.param([*[WHOLE] * 10, b""], 10, b"503", id="the-newest-where-all-have-a-request"),
        pytest.param([WHOLE, *[HEAD] * 8, b"", WHOLE], 1, b"408", id="else-the-oldest-without"),
    ],
)
async def test_where_they_run_short_one_is_closed(
    monkeypatch: pytest.MonkeyPatch, sent: list[bytes], closed: int, status: bytes
) -> None:
    monkeypatch.setattr(server, "choose_limit", lambda descriptors: 10)
    async with open_crowd() as crowd:
        for one in sent:
            crowd.come(one)
            await asyncio.sleep(0.001)
        assert [place for place, wire in enumerate(crowd.wires) if wire.is_aborted] == [closed]
        assert crowd.wires[closed].written.startswith(b"HTTP/1.1 " + status)


@pytest.mark.parametrize(
    ("hosts", "is_bounded"),
    [
        pytest.param(["192.0.2.7"], True, id="ipv4"),
        pytest.param(["2001:db8::1", "2001:db8::2"], True, id="a-network-of-ipv6"),
        pytest.param(["192.0.2.7", "::ffff:192.0.2.7"], True, id="mapped"),
        pytest.param(["192.0.2.7", "192.0.2.8"], False, id="two"),
        pytest.param(["127.0.0.1"], False, id="this-machine"),
        pytest.param(["10.1.2.3"], False, id="trusted-proxy"),
    ],
)
async def test_one_client_from_elsewhere_has_a_quarter(
    monkeypatch: pytest.MonkeyPatch, hosts: list[str], is_bounded: bool
) -> None:
    monkeypatch.setattr(server, "choose_limit", lambda descriptors: 12)
    async with open_crowd() as crowd:
        for place in range(4):
            crowd.come(WHOLE, hosts[place % len(hosts)])
        assert [wire.is_aborted for wire in crowd.wires] == [False] * 3 + [is_bounded]
        refused = b"".join(wire.written for wire in crowd.wires)
        assert refused.startswith(b"HTTP/1.1 503 ") is is_bounded
        crowd.come(WHOLE, "192.0.2.99")
        assert not crowd.wires[-1].is_aborted


@pytest.mark.parametrize(
    ("descriptors", "limit"), [(256, 64), (1024, 448), (1 << 20, 2000), (64, 16)]
)
def test_every_connection_finds_a_descriptor_for_its_file(descriptors: int, limit: int) -> None:
    assert choose_limit(descriptors) == limit
