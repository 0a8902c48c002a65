"""A receiver of hooks over HTTP, which verifies with the package of Standard Webhooks."""

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from standardwebhooks import Webhook

Answer = Callable[[BaseHTTPRequestHandler], None]


def answer_status(status: int, **headers: str) -> Answer:
    """Return what answers a status, and headers with hyphens for underscores."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer


@dataclass(slots=True)
class Call:
    """One received request."""

    path: str
    headers: dict[str, str]
    body: bytes

    def verify(self, secret: str) -> Any:
        """Return the event; raises for a wrong signature."""
        return Webhook(secret).verify(self.body, self.headers)


@dataclass(slots=True)
class Receiver:
    """What was received, and how the next request is answered."""

    port: int = 0
    answer: Answer = field(default_factory=lambda: answer_status(204))
    calls: list[Call] = field(default_factory=list)
    is_over: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        """The URL of a hook."""
        return f"http://127.0.0.1:{self.port}/winnow?source=a"


@contextmanager
def receive(context: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """Run a receiver on this machine, over TLS with a context."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.calls.append(Call(self.path, dict(self.headers), body))
            receiver.answer(self)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """Say nothing: the caller hung up."""

    with Server(("127.0.0.1", 0), Handler) as server:
        if context is not None:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        receiver.port = server.server_port
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield receiver
        finally:
            receiver.is_over.set()
            server.shutdown()
            thread.join()
