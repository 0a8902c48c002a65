"""All routes of the API and the desk, and the middleware in front of the whole app."""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial

from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, Router

from winnow.api.asgi import RootRouter
from winnow.api.clients import ClientFinder
from winnow.api.docs_page import answer_reference
from winnow.api.middleware.answer_headers import AnswerHeaders
from winnow.api.middleware.authentication import Authentication
from winnow.api.middleware.error_middleware import ErrorMiddleware
from winnow.api.middleware.overload import OverloadGuard
from winnow.api.middleware.pages import Pages
from winnow.api.middleware.rate_limit import RateLimiter
from winnow.api.middleware.request_ids import RequestIds
from winnow.api.middleware.shutdown import Shutdown
from winnow.api.middleware.sign_in import SIGN_IN_PATH, SIGN_OUT_PATH, SignInGate, SignInOperations
from winnow.api.middleware.trusted_hosts import TrustedHosts
from winnow.api.routes.batches import BatchOperations
from winnow.api.routes.checks import CheckOperation
from winnow.api.routes.downloads import DownloadOperation
from winnow.api.routes.ui_routes import DESK_PATH, UiOperations
from winnow.api.schemas.batch import BATCH_STATUS, SUBMIT_BATCH
from winnow.api.schemas.check import CHECK_EMAIL
from winnow.api.schemas.downloads import BATCH_DOWNLOAD, DOWNLOAD
from winnow.api.schemas.openapi import build_openapi
from winnow.api.schemas.operations import OperationRoute, route_model
from winnow.api.schemas.server import DOCS, HEALTH, OPENAPI, Health
from winnow.core.settings import Settings
from winnow.services.services import Services


class HttpApi:
    """The HTTP application of one server: API, desk routes and middleware, without the pages.

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
        self._clients = ClientFinder(settings.trusted_proxies)
        routes = self._api_routes()
        self.document = build_openapi(settings.base_path, [route.operation for route in routes])
        """The OpenAPI document of what is served."""
        self.routers: Mapping[str, Router] = {
            settings.base_path: Router(routes, redirect_slashes=False),
            DESK_PATH: Router(self._desk_routes(), redirect_slashes=False),
        }
        """Every route of the API and the desk, by the path that they are below."""

    @property
    def middleware(self) -> Sequence[Middleware]:
        """The middleware: headers and ids of answers, hosts, sign-in if set up, our routes."""
        bound = partial(ErrorMiddleware, shutdown=self.shutdown)
        return [
            Middleware(AnswerHeaders, docs_path=f"{self._settings.base_path}/docs"),
            Middleware(RequestIds),
            Middleware(OverloadGuard, base_path=self._settings.base_path),
            Middleware(TrustedHosts, settings=self._settings),
            Middleware(
                SignInGate,
                services=self._services,
                is_needed=self._settings.password is not None,
                base_path=self._settings.base_path,
            ),
            Middleware(
                RootRouter, roots={root: bound(router) for root, router in self.routers.items()}
            ),
            Middleware(Pages, paths=self._page_paths, language=self._settings.language),
        ]

    def _api_routes(self) -> list[OperationRoute]:
        limiter = RateLimiter(self._settings.rate_limit_per_minute)
        authentication = Authentication(self._services, limiter, self._monotonic)
        checks = CheckOperation(self._services, authentication, self._clients)
        batches = BatchOperations(self._services, authentication, self.shutdown)
        language = self._settings.language
        downloads = DownloadOperation(self._services, self.shutdown, language=language)
        return [
            route_model(CHECK_EMAIL, checks.check),
            route_model(SUBMIT_BATCH, batches.submit),
            route_model(BATCH_STATUS, batches.status),
            route_model(BATCH_DOWNLOAD, batches.link),
            OperationRoute(DOWNLOAD, downloads),
            route_model(HEALTH, _report_health),
            OperationRoute(OPENAPI, self._answer_openapi),
            OperationRoute(DOCS, self._answer_docs),
        ]

    def _desk_routes(self) -> list[BaseRoute]:
        desk = UiOperations(self._services, self.shutdown)
        entry = SignInOperations(self._services, self._clients, self._monotonic)
        sign_in, sign_out = (path.removeprefix(DESK_PATH) for path in (SIGN_IN_PATH, SIGN_OUT_PATH))
        return [
            Route("/uploads", desk.upload, methods=["POST"]),
            Route("/bounces", desk.add_bounces, methods=["POST"]),
            Route(
                "/do-not-mail/{beside}/{list_id}",
                desk.add_suppression,
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
