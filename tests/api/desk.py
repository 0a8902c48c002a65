"""The API as it is wired for real, on a data folder of its own and a clock that tests turn."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import anyio
import httpx
from starlette.applications import Starlette

from tests import applications
from winnow.api.application import HttpApi
from winnow.core.errors import BadField
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.ports import DomainKnowledge
from winnow.core.settings import read_settings
from winnow.core.tasks.task import KeyType
from winnow.services.services import Services
from winnow.wiring import Application, build_application

BASE_PATH = "/v1/external-api-requests"
ORIGIN = "http://127.0.0.1:8501"
LIST = b"email,name\nana@gmail.com,1\nbo@mailinator.com,2\nana@gmail.com,3\nno-address,4\n"


def open_nothing() -> Services:
    """Stand where nothing may be opened."""
    raise AssertionError


DOCUMENT = HttpApi(read_settings({}, default_data_dir=Path("none")), open_nothing).document
"""The OpenAPI document of an installation with the settings that everybody has."""


class Clock(applications.Clock):
    """Also the rate limit's time."""

    monotonic_seconds = 0.0

    def monotonic(self) -> float:
        """Return the rate limit's time."""
        return self.monotonic_seconds

    def turn(self, **by: float) -> None:
        """Move both times on."""
        self.advance(**by)
        self.monotonic_seconds += timedelta(**by).total_seconds()


@dataclass(slots=True)
class Desk:
    """One installation: its backend, its HTTP API, its clock."""

    application: Application
    api: HttpApi
    app: Starlette
    clock: Clock

    @property
    def services(self) -> Services:
        """The real services."""
        return self.application.services

    def client(self, peer: str = "127.0.0.1", **headers: str) -> httpx.Client:
        """Return a client that calls from an address."""
        return httpx.Client(
            transport=AsgiTransport(self.app, peer), base_url=ORIGIN, headers=headers
        )

    def caller(
        self,
        key_type: KeyType = KeyType.LIVE,
        *,
        account: str = LOCAL_ACCOUNT,
        peer: str = "9.9.9.9",
        key: str = "",
    ) -> "Caller":
        """Return a client of the API with a key, or with a new one of its own."""
        return Caller(
            transport=AsgiTransport(self.app, peer),
            base_url=ORIGIN + BASE_PATH,
            headers={"X-API-Key": key or self.key(key_type, account=account)},
        )

    def key(self, key_type: KeyType = KeyType.LIVE, *, account: str = LOCAL_ACCOUNT) -> str:
        """Make a key."""
        with suppress(BadField):  # it is already there
            self.services.accounts.create(account)
        return self.services.keys.create(account, "test", key_type)[1]

    def work(self) -> None:
        """Do every queued task, as the worker would."""
        while self.application.services.runs.run_next("test", threading.Event()) is not None:
            pass

    def complete(self, caller: "Caller | None" = None, content: bytes = LIST, **fields: str) -> str:
        """Have a list submitted and done; return its task's id."""
        task_id = (caller or self.caller()).upload(content, **fields)
        self.work()
        return task_id

    def count_charged(self) -> tuple[int, int]:
        """Return how many addresses of single checks and of lists were charged."""
        days = self.services.usage.days(LOCAL_ACCOUNT)
        return sum(day.single for day in days), sum(day.batch for day in days)

    def files(self) -> list[str]:
        """Return what lies in the folder of uploads."""
        return sorted(path.name for path in self.application.folder.inputs.iterdir())


def open_desk(
    data_dir: Path, knowledge: DomainKnowledge, environ: Mapping[str, str], **options: Any
) -> Desk:
    """Wire an installation as the server does, with domain data that is compiled already."""
    settings = read_settings(environ, default_data_dir=data_dir)
    clock = Clock()
    opened = build_application(settings, clock=clock, open_knowledge=lambda: knowledge, **options)
    api = HttpApi(settings, lambda: opened.services, monotonic=clock.monotonic)
    app = Starlette(middleware=list(api.middleware))
    return Desk(opened, api, app, clock)


class Caller(httpx.Client):
    """A client of the API with a key: its paths are those below the API's base."""

    def check(self, email: str) -> httpx.Response:
        """Check one address."""
        return self.post(f"/check-email?email={quote(email)}")

    def submit(
        self,
        content: bytes = LIST,
        name: str = "list.csv",
        headers: dict[str, str] | None = None,
        **fields: Any,
    ) -> httpx.Response:
        """Submit a list."""
        files = {"file": (name, content)}
        return self.post("/batch-check-emails", files=files, data=fields, headers=headers)

    def upload(self, content: bytes = LIST, name: str = "list.csv", **fields: str) -> str:
        """Submit a list that is taken; return its task's id."""
        answer = self.submit(content, name, **fields)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["task_id"])

    def read_status(self, task_id: str) -> dict[str, Any]:
        """Return the status of a task."""
        answer = self.get(f"/batch-check-status/{task_id}")
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def issue_link(self, task_id: str) -> str:
        """Return the address of a finished list's file."""
        return str(self.get(f"/batch-task-download/{task_id}").json()["download_url"])

    def fetch(self, task_id: str) -> bytes:
        """Return the file of a finished list."""
        return self.get(self.issue_link(task_id)).content


def assert_nothing_is_left(desk: Desk) -> None:
    """Check that a refused request stored nothing, holds no space and was not charged."""
    assert desk.files() == []
    assert desk.services.tasks.list(LOCAL_ACCOUNT) == ()
    storage = desk.services.usage.storage(LOCAL_ACCOUNT)
    assert (storage.used_bytes, storage.reserved_bytes) == (0, 0)
    assert desk.count_charged() == (0, 0)
    assert desk.services.own_lists.list(LOCAL_ACCOUNT).total == 0


class AsgiTransport(httpx.BaseTransport):
    """Carries requests to an application in this process, from any address."""

    def __init__(self, app: Callable[..., Any], peer: str) -> None:
        self._app = app
        self._peer = peer

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request in the chunks in which it is made."""
        answer = call_raw(
            self._app,
            request.method,
            request.url.raw_path.partition(b"?")[0].decode(),
            [(name.lower(), value) for name, value in request.headers.raw],
            list(request.stream),  # type: ignore[arg-type]
            query=request.url.query,
            peer=self._peer,
        )
        assert answer.status is not None, "the application never answered"
        return httpx.Response(answer.status, headers=answer.headers, content=answer.body)


@dataclass(frozen=True, slots=True)
class RawAnswer:
    """What an application sent; ``status`` is None where it never began."""

    status: int | None
    headers: Sequence[tuple[bytes, bytes]]
    body: bytes
    is_whole: bool


def call_raw(
    app: Callable[..., Any],
    method: str,
    path: str,
    headers: Sequence[tuple[bytes, bytes]],
    chunks: Iterable[bytes] = (),
    *,
    hang_up: bool = False,
    query: bytes = b"",
    peer: str = "9.9.9.9",
    on_body: Callable[[], object] = lambda: None,
) -> RawAnswer:
    """Call an application message by message: odd headers, any chunks, a client that hangs up."""
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query,
        "root_path": "",
        "headers": headers,
        "client": (peer, 50000),
        "server": ("127.0.0.1", 8501),
    }
    sent: list[dict[str, Any]] = []
    messages = ({"type": "http.request", "body": one, "more_body": True} for one in chunks)
    last = [] if hang_up else [{"type": "http.request", "body": b"", "more_body": False}]
    waiting: Iterator[dict[str, Any]] = chain(messages, last)

    async def receive() -> dict[str, Any]:
        message = next(waiting, None)
        if message is None and not hang_up:
            await anyio.sleep_forever()  # the client is there and listens
        return message or {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)
        if message["type"] == "http.response.body":
            on_body()
        await anyio.sleep(0)

    anyio.run(app, scope, receive, send)
    starts = [message for message in sent if message["type"] == "http.response.start"]
    bodies = [message for message in sent if message["type"] == "http.response.body"]
    return RawAnswer(
        starts[0]["status"] if starts else None,
        starts[0]["headers"] if starts else [],
        b"".join(message.get("body", b"") for message in bodies),
        bool(bodies) and not bodies[-1].get("more_body", False),
    )


def call_socket(app: Callable[..., Any], *headers: tuple[bytes, bytes], peer: str) -> list[str]:
    """Ask an application for the pages' WebSocket; return the types of what it sends."""
    sent: list[str] = []
    scope = {
        "type": "websocket",
        "path": "/_stcore/stream",
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1:8501"), *headers],
        "client": (peer, 5000),
        "server": ("127.0.0.1", 8501),
    }

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message["type"])

    anyio.run(app, scope, receive, send)
    return sent
