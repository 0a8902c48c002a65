"""How long a request's head may be: the server itself would read one without end into memory."""

from collections.abc import Callable
from typing import Any

HEAD_MAX_BYTES = 256 << 10  # request line and headers, or trailers
HEADERS_MAX = 100
_MARK = "winnow_head_bytes"
_TOO_LONG = "The head of the request is too long."


def bound_heads() -> None:
    """Make the server's parser give up on heads beyond the limit: a plain 400, and the end.

    Once a process, before connections come in; what parses HTTP without httptools has a limit
    itself. There is no setting for it, so the parser's own methods are wrapped: bytes are counted
    that came since a message began, its body went on, or it was whole.
    """
    try:
        from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
    except ImportError:
        return
    if hasattr(HttpToolsProtocol, _MARK):
        return
    setattr(HttpToolsProtocol, _MARK, 0)
    for name in ("on_message_begin", "on_body", "on_message_complete"):
        setattr(HttpToolsProtocol, name, _count_anew(getattr(HttpToolsProtocol, name)))
    receive = HttpToolsProtocol.data_received

    def data_received(protocol: Any, data: bytes) -> None:
        setattr(protocol, _MARK, getattr(protocol, _MARK) + len(data))
        receive(protocol, data)
        if getattr(protocol, _MARK) > HEAD_MAX_BYTES and not protocol.transport.is_closing():
            protocol.send_400_response(_TOO_LONG)

    setattr(HttpToolsProtocol, "data_received", data_received)  # noqa: B010  # mypy: a method


def _count_anew(method: Callable[..., None]) -> Callable[..., None]:
    def count_anew(protocol: Any, *parts: bytes) -> None:
        setattr(protocol, _MARK, 0)
        method(protocol, *parts)

    return count_anew
