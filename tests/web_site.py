"""A web server of our own on 127.0.0.1, which answers as a test says, well or badly."""

import json
import ssl
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

from standardwebhooks import Webhook

Answer = Callable[["Handler"], None]


@dataclass(frozen=True, slots=True)
class Call:
    """One received request."""

    path: str
    headers: dict[str, str]
    body: bytes

    def verify(self, secret: str) -> Any:
        """Return the event of a hook; raises for a wrong signature (Standard Webhooks)."""
        return Webhook(secret).verify(self.body, self.headers)


def write_certificate(folder: Path, name: str) -> Path:
    """Write ``certificate`` and ``key`` of a host for two days; return their folder."""
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
            *("-keyout", folder / "key", "-out", folder / "certificate"),
            *("-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}"),
        ],
        check=True,
        capture_output=True,
    )
    return folder


class WebSite:
    """Answers by path, else by ``answer``, by TLS with a context; raises its errors at the end."""

    def __init__(self, answer: Answer, context: ssl.SSLContext | None = None) -> None:
        self.answer = answer
        self.answers: dict[str, Answer] = {}
        self.calls: list[Call] = []
        self.errors: list[BaseException | None] = []
        self.is_over = threading.Event()
        self._server = _Server(("127.0.0.1", 0), Handler)
        self._server.site = self
        if context is not None:
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_port
        self.base = f"http://127.0.0.1:{self.port}/"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    @property
    def asked(self) -> Counter[str]:
        """How often each path was asked for."""
        return Counter(call.path for call in self.calls)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.is_over.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        for raised in self.errors:
            raise AssertionError from raised


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    site: WebSite

    def handle_error(self, *_: object) -> None:
        """Keep an error, unless the caller hung up."""
        if not isinstance(error := sys.exc_info()[1], OSError):
            self.site.errors.append(error)


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server: _Server

    @property
    def site(self) -> WebSite:
        """The site that this connection came to."""
        return self.server.site

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.site.calls.append(Call(self.path, dict(self.headers), body))
        try:
            self.site.answers.get(self.path, self.site.answer)(self)
        except OSError:
            self.close_connection = True  # the client has left

    do_POST = do_GET

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def send(body: bytes, *, status: int = 200, **headers: str) -> Answer:
    """Answer with a body, and headers with hyphens for underscores."""

    def answer(handler: Handler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def send_json(content: object) -> Answer:
    """Answer with JSON."""
    return send(json.dumps(content).encode())


def send_status(status: int, **headers: str) -> Answer:
    """Answer with a status alone."""
    return send(b"", status=status, **headers)


def drip(head: bytes, piece: bytes, *, pause_seconds: float = 0.05) -> Answer:
    """Send a head and then piece after piece, without end."""

    def answer(handler: Handler) -> None:
        handler.wfile.write(head)
        while not handler.site.is_over.wait(pause_seconds):
            handler.wfile.write(piece)

    return answer


def break_off(handler: Handler) -> None:
    """Close the connection without a word."""
    handler.close_connection = True
