"""Patches of uvicorn's server: all there are, for what it has no setting for.

Streamlit starts uvicorn itself, so its classes are changed where they stand, once a process and
before connections come in. Each patch names what it relies on; ``WRITTEN_FOR`` says the versions,
and a test fails when others are installed.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from winnow.api.middleware.answer_headers import BROWSER_HEADERS
from winnow.api.middleware.connections import LATE, Awaited, Connection, Connections
from winnow.api.middleware.request_ids import make_request_id

WRITTEN_FOR = {"uvicorn": "0.54", "httptools": "0.9", "websockets": "17"}
HEAD_MAX_BYTES = 256 << 10  # request line and headers, or trailers
SHUTDOWN_SECONDS = (
    7.0  # for requests, behind the grace of transfers; then their tasks are cancelled
)

_MARK = "winnow_connection"
_BYTES = "winnow_head_bytes"


def patch_server(connections: Connections) -> None:
    """Change the server's classes; a second call changes nothing."""
    if hasattr(HttpToolsProtocol, _MARK):
        return
    setattr(HttpToolsProtocol, _MARK, None)
    setattr(HttpToolsProtocol, _BYTES, 0)
    _watch_connections(connections)
    _watch_requests(connections)
    _bound_heads()
    _trim_values()
    _complete_refusals()
    _bound_shutdown()
    connections.drop = drop


def drop(connection: Connection) -> None:
    """End a connection that does not get on, with a word where one can still be said."""
    transport: Any = connection.transport
    has_begun = connection.awaited is Awaited.HEAD and connection.bytes_in > 0
    if has_begun and transport.get_write_buffer_size() == 0 and not transport.is_closing():
        transport.write(_refuse(408, "The head of the request did not come in time."))
        transport.close()
    else:
        transport.abort()


def _watch_connections(connections: Connections) -> None:
    """Count connections from their beginning to their end; late ones carry a mark."""

    def connection_made(protocol: Any, transport: Any) -> None:
        protocol.winnow_connection = _open(protocol, transport)

    def _open(protocol: Any, transport: Any) -> Connection | None:
        before_made(protocol, transport)
        client = protocol.client[0] if protocol.client else ""
        connection = connections.open(client, transport)
        if connection is not None:
            flow = protocol.flow
            connection.is_paused = lambda: bool(flow.read_paused)
            if connection.is_late:
                protocol.app_state = {**protocol.app_state, LATE: True}
        return connection

    def forget(before: Callable[..., None]) -> Callable[..., None]:
        def connection_lost(protocol: Any, error: Exception | None) -> None:
            connections.close(protocol.transport)
            before(protocol, error)

        return connection_lost

    def note(before: Callable[..., None]) -> Callable[..., None]:
        def resume_writing(protocol: Any) -> None:
            connections.note_taken(protocol.transport)
            before(protocol)

        return resume_writing

    def handle_websocket_upgrade(protocol: Any) -> None:
        if not connections.may_upgrade():
            protocol.transport.write(_refuse(503, "There is no room for another page."))
            protocol.transport.close()
            return
        if protocol.winnow_connection is not None:
            connections.expect(protocol.winnow_connection, Awaited.FRAMES)
        before_upgrade(protocol)

    before_made = HttpToolsProtocol.connection_made
    before_upgrade = HttpToolsProtocol.handle_websocket_upgrade
    _set(HttpToolsProtocol, "connection_made", connection_made)
    _set(HttpToolsProtocol, "handle_websocket_upgrade", handle_websocket_upgrade)
    for kind in (HttpToolsProtocol, WebSocketsSansIOProtocol):
        _set(kind, "connection_lost", forget(kind.connection_lost))
        _set(kind, "resume_writing", note(kind.resume_writing))


def _watch_requests(connections: Connections) -> None:
    """Follow what each connection owes: a head, a body, or nothing while it is our turn."""

    def expect(protocol: Any, awaited: Awaited) -> None:
        if protocol.winnow_connection is not None:
            connections.expect(protocol.winnow_connection, awaited)

    def on_headers_complete(protocol: Any) -> None:
        expect(protocol, Awaited.BODY)
        before_headers(protocol)

    def on_message_complete(protocol: Any) -> None:
        is_answered = protocol.cycle is not None and protocol.cycle.response_complete
        expect(protocol, Awaited.HEAD if is_answered else Awaited.NOTHING)
        before_complete(protocol)

    def on_response_complete(protocol: Any) -> None:
        connection = protocol.winnow_connection
        if connection is not None and connection.awaited is not Awaited.BODY:
            connections.expect(connection, Awaited.HEAD)
        before_response(protocol)

    def data_received(protocol: Any, data: bytes) -> None:
        if protocol.winnow_connection is not None:
            protocol.winnow_connection.bytes_in += len(data)
        before_data(protocol, data)

    before_headers = HttpToolsProtocol.on_headers_complete
    before_complete = HttpToolsProtocol.on_message_complete
    before_response = HttpToolsProtocol.on_response_complete
    before_data = HttpToolsProtocol.data_received
    _set(HttpToolsProtocol, "on_headers_complete", on_headers_complete)
    _set(HttpToolsProtocol, "on_message_complete", on_message_complete)
    _set(HttpToolsProtocol, "on_response_complete", on_response_complete)
    _set(HttpToolsProtocol, "data_received", data_received)


def _bound_heads() -> None:
    """Give up on heads beyond the limit: a plain 400, and the end.

    The parser reads one without end into memory. Bytes are counted that came since a message
    began, its body went on, or it was whole.
    """

    def count_anew(before: Callable[..., None]) -> Callable[..., None]:
        def counted(protocol: Any, *parts: bytes) -> None:
            protocol.winnow_head_bytes = 0
            before(protocol, *parts)

        return counted

    def data_received(protocol: Any, data: bytes) -> None:
        protocol.winnow_head_bytes += len(data)
        before(protocol, data)
        if protocol.winnow_head_bytes > HEAD_MAX_BYTES and not protocol.transport.is_closing():
            protocol.send_400_response("The head of the request is too long.")

    before = HttpToolsProtocol.data_received
    for name in ("on_message_begin", "on_body", "on_message_complete"):
        _set(HttpToolsProtocol, name, count_anew(getattr(HttpToolsProtocol, name)))
    _set(HttpToolsProtocol, "data_received", data_received)


def _trim_values() -> None:
    """Leave out the blanks behind a header's value, which are no part of it (RFC 9110, 5.5)."""

    def on_header(protocol: Any, name: bytes, value: bytes) -> None:
        before(protocol, name, value.rstrip(b" \t"))

    before = HttpToolsProtocol.on_header
    _set(HttpToolsProtocol, "on_header", on_header)


def _complete_refusals() -> None:
    """Put the headers of all answers on those 400 that no application sees."""

    def send_400_response(protocol: Any, message: str) -> None:
        protocol.transport.write(_refuse(400, message))
        protocol.transport.close()

    _set(HttpToolsProtocol, "send_400_response", send_400_response)


def _bound_shutdown() -> None:
    """Wait for requests for a while only, once the server is told to stop."""

    async def shutdown(server: Any, sockets: Any = None) -> None:
        server.config.timeout_graceful_shutdown = SHUTDOWN_SECONDS
        await before(server, sockets=sockets)

    before = uvicorn.Server.shutdown
    _set(uvicorn.Server, "shutdown", shutdown)


def _refuse(status: int, message: str) -> bytes:
    """Return a whole answer in plain text, after which the connection ends."""
    body = message.encode("ascii")
    headers = {
        **BROWSER_HEADERS,
        b"content-type": b"text/plain; charset=utf-8",
        b"content-length": str(len(body)).encode(),
        b"connection": b"close",
        b"x-request-id": make_request_id(),
    }
    lines = [name + b": " + value + b"\r\n" for name, value in headers.items()]
    return b"".join([STATUS_LINE[status], *lines, b"\r\n", body])


def _set(kind: type[asyncio.Protocol] | type[uvicorn.Server], name: str, method: Any) -> None:
    """Replace a method that is there."""
    getattr(kind, name)
    setattr(kind, name, method)
