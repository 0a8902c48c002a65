"""All routes of the API and the pages, and the middleware in front of the whole app."""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Annotated, Literal

from msgspec import Struct
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from winnow.api.clients import DESK_PATH, ClientFinder
from winnow.api.html_pages import answer_reference
from winnow.api.json_body import JsonBodies
from winnow.api.middleware.answers import AnswerHeaders, ErrorMiddleware
from winnow.api.middleware.authentication import Authentication, RateLimiter
from winnow.api.middleware.monitoring import MonitoringPaths
from winnow.api.middleware.pages import Pages
from winnow.api.middleware.shutdown import Shutdown
from winnow.api.middleware.sign_in import SIGN_IN_PATH, SIGN_OUT_PATH, SignInGate, SignInOperations
from winnow.api.middleware.trusted_hosts import TrustedHosts
from winnow.api.operations import (
    Operation,
    about,
)
from winnow.api.routes.account import AccountOperations
from winnow.api.routes.batches import BatchOperations
from winnow.api.routes.checks import CheckOperations
from winnow.api.routes.downloads import DownloadOperation
from winnow.api.routes.operation_routes import (
    OperationRoute,
    route_model,
)
from winnow.api.routes.ui_routes import UiOperations
from winnow.api.schemas.account import (
    ADD_ENTRY,
    DELETE_LIST,
    GET_LIST,
    PUT_LIST,
    REMOVE_ENTRY,
    USAGE,
)
from winnow.api.schemas.batch import BATCH_DOWNLOAD, BATCH_STATUS, DOWNLOAD, SUBMIT_BATCH
from winnow.api.schemas.check import CHECK_EMAIL, CHECK_EMAILS
from winnow.api.schemas.openapi import build_openapi
from winnow.api.schemas.pages import BATCH_RESULTS, BATCH_TASKS
from winnow.core.release import VERSION
from winnow.core.settings import Settings
from winnow.services.services import Services


class Health(Struct, frozen=True):
    """The server answers."""

    status: Literal["ok"] = "ok"
    version: Annotated[str, about("Winnow's.")] = VERSION


HEALTH = Operation(
    "health",
    "GET",
    "/health",
    "See whether the server answers",
    Health,
    "It does.",
    example=Health(),
    is_open=True,
)
OPENAPI: Operation[Struct] = Operation(
    "openapi",
    "GET",
    "/openapi.json",
    "Fetch this document",
    ("application/json",),
    "OpenAPI 3.1.",
    is_open=True,
)
DOCS: Operation[Struct] = Operation(
    "reference",
    "GET",
    "/docs",
    "Read the reference",
    ("text/html",),
    "A page that loads nothing from elsewhere.",
    is_open=True,
)


STREAMLIT_UPLOADS = "/_stcore/upload_file"
_ABSOLUTE_FORM = re.compile(r"https?://([^/]*)(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(eq=False, repr=False)
class RequestTarget:
    """Middleware: sets the path and the scheme of a request as the browser has them.

    Clients of proxies send ``GET http://host/path``; the host in it replaces the Host header (RFC
    9112, 3.2.2). Some proxies pass on the path of the public address, which is removed.
    """

    app: ASGIApp
    public_path: str
    clients: ClientFinder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, with a path of ours and the scheme of its client."""
        if scope["type"] != "lifespan":
            scope = {**scope, "scheme": self.clients.find_scheme(scope)}
        path, before = scope.get("path", ""), self.public_path
        if address := _ABSOLUTE_FORM.fullmatch(path):
            path = address[2] or "/"
            others = [item for item in scope["headers"] if item[0] != b"host"]
            scope = {**scope, "path": path, "headers": [(b"host", address[1].encode()), *others]}
        if before and f"{path}/".startswith(f"{before}/"):
            scope = {**scope, "path": path.removeprefix(before) or "/"}
        await self.app(scope, receive, send)


@dataclass(eq=False, repr=False)
class RootRouter:
    """Middleware: passes requests below the given roots to their applications.

    Routes of the server object would come after Streamlit's own middleware, which refuses some
    paths with its own texts, sets up sessions and compresses. The API must have none of this.

    Args:
        app: Answers everything else.
        roots: Applications by path, no final slash.
    """

    app: ASGIApp
    roots: Mapping[str, ASGIApp]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on to the application below whose root it is."""
        if scope["type"] == "http":
            for root, inner in self.roots.items():
                if f"{scope['path']}/".startswith(f"{root}/"):
                    scope["root_path"] = scope.get("root_path", "") + root
                    await inner(scope, receive, send)
                    return
        await self.app(scope, receive, send)


class HttpApi:
    """The HTTP application of one server: API, routes of pages and middleware, without the pages.

    Args:
        settings: What routes and middleware need before anything is opened.
        services: Returns the services; called once, by the first request that needs them.
        monotonic: The clock of the rate limit.
        page_paths: The pages, without slashes, that of the page at the root first.
    """

    def __init__(
        self,
        settings: Settings,
        services: Callable[[], Services],
        *,
        monotonic: Callable[[], float] = time.monotonic,
        page_paths: Sequence[str] = (),
    ) -> None:
        self._settings = settings
        self._services = cache(services)  # a set a process; asking again reads the environment
        self._monotonic = monotonic
        self._page_paths = page_paths
        self.shutdown = Shutdown()
        self.clients = ClientFinder(settings.trusted_proxies)
        routes = self._api_routes()
        self.document = build_openapi(settings.base_path, [route.operation for route in routes])
        """The OpenAPI document of what is served."""
        self.routers: Mapping[str, Router] = {
            settings.base_path: Router(routes, redirect_slashes=False),
            DESK_PATH: Router(self._page_routes(), redirect_slashes=False),
        }
        """Every route of the API and the pages, by the path that they are below."""

    @property
    def middleware(self) -> Sequence[Middleware]:
        """The middleware: headers and ids of answers, hosts, sign-in if set up, our routes."""
        bound = partial(ErrorMiddleware, shutdown=self.shutdown)
        root = self._settings.public_path
        return [
            Middleware(AnswerHeaders, docs_path=f"{root}{self._settings.base_path}/docs"),
            Middleware(RequestTarget, public_path=root, clients=self.clients),
            Middleware(
                TrustedHosts,
                settings=self._settings,
                has_sign_in=lambda: self._services().sign_in.is_needed,
            ),
            Middleware(
                MonitoringPaths,
                services=self._services,
                settings=self._settings,
                shutdown=self.shutdown,
                routes={
                    root: [one.path for one in router.routes if isinstance(one, Route)]
                    for root, router in self.routers.items()
                },
            ),
            Middleware(
                SignInGate,
                services=self._services,
                settings=self._settings,
                clients=self.clients,
            ),
            Middleware(
                RootRouter,
                roots={
                    STREAMLIT_UPLOADS: bound(Router()),  # closed: no page uses it
                    **{root: bound(router) for root, router in self.routers.items()},
                },
            ),
            Middleware(Pages, paths=self._page_paths, settings=self._settings),
        ]

    def _api_routes(self) -> list[OperationRoute]:
        limit = self._settings.rate_limit_per_minute
        limiter = RateLimiter(limit) if limit else None
        authentication = Authentication(self._services, limiter, self._monotonic)
        bodies = JsonBodies()
        checks = CheckOperations(authentication, self.clients, bodies)
        batches = BatchOperations(self._services, authentication, bodies, self.shutdown)
        account = AccountOperations(authentication, bodies)
        language = self._settings.language
        downloads = DownloadOperation(self._services, self.shutdown, language=language)
        return [
            route_model(CHECK_EMAIL, checks.check_address),
            route_model(CHECK_EMAILS, checks.check_array),
            route_model(SUBMIT_BATCH, batches.submit),
            route_model(BATCH_TASKS, batches.list_tasks),
            route_model(BATCH_STATUS, batches.status),
            route_model(BATCH_DOWNLOAD, batches.link),
            route_model(BATCH_RESULTS, batches.read_rows),
            OperationRoute(DOWNLOAD, downloads),
            route_model(USAGE, account.usage),
            OperationRoute(GET_LIST, account.read_list),
            OperationRoute(PUT_LIST, account.put_list),
            OperationRoute(DELETE_LIST, account.clear_list),
            OperationRoute(ADD_ENTRY, account.add_entry),
            OperationRoute(REMOVE_ENTRY, account.remove_entry),
            route_model(HEALTH, _report_health),
            OperationRoute(OPENAPI, self._answer_openapi),
            OperationRoute(DOCS, self._answer_docs),
        ]

    def _page_routes(self) -> list[BaseRoute]:
        pages = UiOperations(self._services, self.shutdown)
        entry = SignInOperations(self._services, self.clients, self._monotonic)
        sign_in, sign_out = (path.removeprefix(DESK_PATH) for path in (SIGN_IN_PATH, SIGN_OUT_PATH))
        return [
            Route("/uploads", pages.upload, methods=["POST"]),
            Route("/bounces", pages.add_bounces, methods=["POST"]),
            Route("/own-lists/{category}", pages.import_own, methods=["POST"]),
            Route(
                "/do-not-mail/{beside}/{list_id}",
                pages.add_suppression,
                methods=["POST"],
            ),
            Route(sign_in, entry.show, methods=["GET"]),
            Route(sign_in, entry.sign_in, methods=["POST"]),
            Route(sign_out, entry.sign_out, methods=["POST"]),
        ]

    async def _answer_openapi(self, request: Request) -> Response:
        return JSONResponse(self.document)

    async def _answer_docs(self, request: Request) -> Response:
        root = self._settings.public_url or f"{request.url.scheme}://{request.headers['host']}"
        return answer_reference(self.document, root + self._settings.base_path)


async def _report_health(request: Request) -> Health:
    return Health()
