"""Sign-in to the pages: its form, its cookie, the proxy's header, and the gate that asks for it."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from urllib.parse import parse_qs, urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from winnow.api.clients import DESK_PATH, ClientFinder, check_same_site, uses_https
from winnow.api.errors import SignInRequired, respond_problem
from winnow.api.html_pages import answer_page, choose_language
from winnow.api.middleware.authentication import RateLimiter
from winnow.api.middleware.trusted_hosts import WEBSOCKET_POLICY_VIOLATION
from winnow.api.upload_stream import receive_chunks
from winnow.core.errors import MalformedRequest
from winnow.core.identities import COOKIE_NAME, Event
from winnow.core.settings import Settings
from winnow.services.accounts.sign_in import SIGN_IN_SECONDS, SignIn
from winnow.services.checks.bans import name_client
from winnow.services.services import Services

SIGN_IN_PATH = f"{DESK_PATH}/sign-in"
SIGN_OUT_PATH = f"{DESK_PATH}/sign-out"
FORM_MAX_BYTES = 4096
UNAUTHORIZED = 401
SIGN_INS_A_MINUTE = 10  # from one client: an IPv4 address, or 64 bits of an IPv6 address
SIGN_INS_A_MINUTE_IN_ALL = 60  # from clients that have not signed in for a month
NAME_DELAY_SECONDS = 1.0  # of each try with a name beyond ten a minute, from any client
PARAMETER = "to"
FIRST_PAGE = "/"
_OWN_PAGE = re.compile(r"/(?![/\\])[!-\[\]-~]*")  # ASCII without a backslash; never //another.host


def read_way_back(connection: HTTPConnection) -> str:
    """Return the page to open after sign-in: always one of our own pages."""
    return find_way_back(connection.query_params.get(PARAMETER, FIRST_PAGE))


def find_way_back(text: str) -> str:
    """Return an address if it is one of our own pages, else that of the first page."""
    return text if _OWN_PAGE.fullmatch(text) and not text.startswith("/desk/") else FIRST_PAGE


async def pass_while_signed_in(
    app: ASGIApp, sign_in: SignIn, session: str, scope: Scope, receive: Receive, send: Send
) -> None:
    """Pass a WebSocket on until its session ends or lapses; then close it."""
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    left = await run_in_threadpool(sign_in.measure_session, session)
    lapsing = loop.call_later(left.total_seconds(), ended.set)
    is_closed = False

    async def receive_or_end() -> Message:
        getting = asyncio.ensure_future(receive())
        ending = loop.create_task(ended.wait())
        try:
            await asyncio.wait({getting, ending}, return_when=asyncio.FIRST_COMPLETED)
            if ended.is_set():
                return {"type": "websocket.disconnect", "code": WEBSOCKET_POLICY_VIOLATION}
            return getting.result()
        finally:
            getting.cancel()
            ending.cancel()

    async def send_while_signed_in(message: Message) -> None:
        nonlocal is_closed
        is_closed = is_closed or message["type"] == "websocket.close"
        if not ended.is_set():
            await send(message)

    try:
        with sign_in.watch(session, partial(loop.call_soon_threadsafe, ended.set)):
            await app(scope, receive_or_end, send_while_signed_in)
    finally:
        lapsing.cancel()
    if ended.is_set() and not is_closed:
        await send({"type": "websocket.close", "code": WEBSOCKET_POLICY_VIOLATION})


@dataclass(eq=False, repr=False)
class SignInOperations:
    """The sign-in form and its requests."""

    services: Callable[[], Services]
    clients: ClientFinder
    monotonic: Callable[[], float]

    def __post_init__(self) -> None:
        self._tries = RateLimiter(SIGN_INS_A_MINUTE)
        self._all_tries = RateLimiter(SIGN_INS_A_MINUTE_IN_ALL)
        self._name_tries = RateLimiter(SIGN_INS_A_MINUTE)

    async def show(self, request: Request) -> Response:
        """Answer the form, or redirect if no password is needed."""
        sign_in = self.services().sign_in
        if await run_in_threadpool(sign_in.identify, request.cookies.get(COOKIE_NAME)) is not None:
            return self._redirect(read_way_back(request))
        return await run_in_threadpool(self._answer_form, request, 200)

    def _redirect(self, path: str) -> RedirectResponse:
        return RedirectResponse(self.services().settings.public_path + path, status_code=303)

    async def sign_in(self, request: Request) -> Response:
        """Compare the password and set the cookie.

        Raises:
            RateLimited: More than ten tries of one client in a minute, or sixty of all clients
                that have not signed in for a month.
            SignInRequired: The wrong password; browsers get the form again instead.
        """
        check_same_site(request)
        client, now = name_client(self.clients.find(request)), self.monotonic()
        self._tries.take(client, now).check()
        if not await run_in_threadpool(self.services().sign_in.knows_client, client):
            self._all_tries.take("all", now).check()
        name, password = await _read_form(request)
        if self._name_tries.take(name.strip().lower(), now).is_exceeded:
            await asyncio.sleep(NAME_DELAY_SECONDS)
        token = await run_in_threadpool(self._begin, client, name, password)
        if token is None:
            if _wants_html(request):
                return await run_in_threadpool(self._answer_form, request, UNAUTHORIZED)
            raise SignInRequired("That is not the password.")
        answer = self._redirect(read_way_back(request))
        answer.set_cookie(
            COOKIE_NAME,
            token,
            max_age=SIGN_IN_SECONDS,
            httponly=True,
            samesite="lax",
            secure=self._is_secure(request),
        )
        return answer

    def _begin(self, client: str, name: str, password: str) -> str | None:
        """Begin a session, or record the failure; of unknown names none, they may be anything."""
        services = self.services()
        sign_in, record = services.sign_in, services.audit_log.record
        if not sign_in.verify(name, password):
            known = services.people.find_name(name) if services.people.exist else ""
            record(Event.SIGN_IN_FAILED, None, known or "")
            return None
        token = sign_in.begin_session(name, client)
        record(Event.SIGNED_IN, sign_in.identify(token), "")
        return token

    def _answer_form(self, request: Request, status: int) -> HTMLResponse:
        services = self.services()
        chosen, way_back = services.settings.language, {PARAMETER: read_way_back(request)}
        return answer_page(
            "sign_in.html",
            status,
            language=choose_language(request.headers, chosen),
            form_action="self",
            is_wrong=status == UNAUTHORIZED,
            asks_name=services.people.exist,
            asks_password=services.people.exist or services.settings.password is not None,
            action=f"{services.settings.public_path}{SIGN_IN_PATH}?{urlencode(way_back)}",
        )

    async def sign_out(self, request: Request) -> Response:
        """End the session with its links and sockets, and redirect to the form."""
        check_same_site(request)
        token = request.cookies.get(COOKIE_NAME)
        await run_in_threadpool(self.services().sign_in.end_session, token)
        answer = self._redirect(SIGN_IN_PATH)
        answer.delete_cookie(
            COOKIE_NAME, httponly=True, samesite="lax", secure=self._is_secure(request)
        )
        return answer

    def _is_secure(self, request: Request) -> bool:
        return uses_https(request, self.services().settings.public_url)


@dataclass(eq=False, repr=False)
class SignInGate:
    """Middleware: where sign-in is needed, everything but the API and the form asks for it.

    Pages redirect to the form; other requests and WebSockets are refused. The API needs a key.
    The header of ``WINNOW_USER_HEADER`` becomes the token of its person if a trusted proxy is the
    peer; it is removed from every request.
    """

    app: ASGIApp
    services: Callable[[], Services]
    settings: Settings
    clients: ClientFinder

    def __post_init__(self) -> None:
        self._header = (self.settings.user_header or "").encode()
        self._open_paths = (SIGN_IN_PATH, self.settings.base_path, "/_stcore/health")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or ask for the password."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if self._header:
            scope = await run_in_threadpool(self._read_header, scope)
        if any(f"{scope['path']}/".startswith(f"{root}/") for root in self._open_paths):
            await self.app(scope, receive, send)
            return
        sign_in, form = self.services().sign_in, self.settings.public_path + SIGN_IN_PATH
        token = HTTPConnection(scope).cookies.get(COOKIE_NAME)
        is_needed, session = await run_in_threadpool(
            lambda: (sign_in.is_needed, sign_in.find_session(token))
        )
        if not is_needed or (session is not None and scope["type"] != "websocket"):
            await self.app(scope, receive, send)
        elif session is not None:
            await pass_while_signed_in(self.app, sign_in, session, scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": WEBSOCKET_POLICY_VIOLATION})
        elif scope["method"] in {"GET", "HEAD"} and _wants_html(HTTPConnection(scope)):
            query = scope["query_string"].decode("latin-1")
            asked = find_way_back(scope["path"] + (f"?{query}" if query else ""))
            wanted = "" if asked == FIRST_PAGE else f"?{urlencode({PARAMETER: asked})}"
            await RedirectResponse(form + wanted, status_code=303)(scope, receive, send)
        else:
            fault = SignInRequired("Sign in first.", hint=f"The form is at {form}.")
            await respond_problem(fault, scope)(scope, receive, send)

    def _read_header(self, scope: Scope) -> Scope:
        """Return a request without the header; of a trusted proxy with its person's token."""
        names = [value for name, value in scope["headers"] if name == self._header]
        headers = [item for item in scope["headers"] if item[0] != self._header]
        if names and any(names) and self.clients.is_from_proxy(scope):
            said = names[0].decode("latin-1") if len(names) == 1 else ""
            token = self.services().sign_in.sign_proxy_token(said) or ""
            sent = [value for name, value in headers if name == b"cookie"]
            pairs = [pair.strip() for value in sent for pair in value.split(b";")]
            own = f"{COOKIE_NAME}=".encode()
            others = [pair for pair in pairs if pair and not pair.startswith(own)]
            headers = [item for item in headers if item[0] != b"cookie"] + [
                (b"cookie", b"; ".join([*others, f"{COOKIE_NAME}={token}".encode()]))
            ]
            if token and scope["type"] == "websocket":
                who = self.services().sign_in.identify(token)  # once for each opened page
                self.services().audit_log.record(Event.SIGNED_IN, who, "proxy")
        return {**scope, "headers": headers}


async def _read_form(request: Request) -> tuple[str, str]:
    """Return the name, empty where none is asked for, and the password."""
    body = b""
    async for chunk in receive_chunks(request):
        body += chunk
        if len(body) > FORM_MAX_BYTES:
            msg = f"The form is longer than {FORM_MAX_BYTES} bytes."
            raise MalformedRequest(msg)
    try:
        values = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=8)
    except ValueError as error:
        msg = "The body is no form."
        raise MalformedRequest(msg) from error
    return values.get("name", [""])[0], values.get("password", [""])[0]


def _wants_html(connection: HTTPConnection) -> bool:
    return "text/html" in connection.headers.get("accept", "")
