"""``/ready`` and ``/metrics`` at the root, and the count of requests."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from winnow.api.middleware.shutdown import Shutdown
from winnow.core.settings import Settings
from winnow.services.services import Services

READY, METRICS = "/ready", "/metrics"
_PAGES = "pages"


@dataclass(eq=False, repr=False)
class MonitoringPaths:
    """Middleware: answers the two paths, counts the others.

    Labels are routes and statuses: no address, name, key or id.
    ``routes`` are the paths below each root as they are declared, such as ``/check-email``.
    """

    app: ASGIApp
    services: Callable[[], Services]
    settings: Settings
    shutdown: Shutdown
    routes: Mapping[str, Iterable[str]]

    def __post_init__(self) -> None:
        self._names = {
            f"{root}/{path.split('/')[1]}/": root + path
            for root, paths in self.routes.items()
            for path in paths
        }
        self._registry = CollectorRegistry()
        self._registry.register(self)
        self._requests = Counter(
            "winnow_requests",
            "Answered requests by route and status.",
            ("route", "status"),
            registry=self._registry,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, or pass it on and count its answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if scope["path"] == READY:
            await (await self._report_readiness())(scope, receive, send)
            return
        if not self.settings.metrics:
            await self.app(scope, receive, send)
            return
        if scope["path"] == METRICS:
            content = await run_in_threadpool(generate_latest, self._registry)
            answer = Response(content, headers={"Content-Type": CONTENT_TYPE_LATEST})
            await answer(scope, receive, send)
            return
        path = f"{scope['path']}/"  # it may hold a token
        route = next((one for known, one in self._names.items() if path.startswith(known)), _PAGES)

        async def send_counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._requests.labels(route, str(message["status"])).inc()
            await send(message)

        await self.app(scope, receive, send_counted)

    async def _report_readiness(self) -> Response:
        """Answer 200 while lists and checks are accepted, else 503 and which parts are down."""
        monitoring = self.services().monitoring
        stopping: tuple[str, ...] = ("server",) if self.shutdown.is_begun else ()
        if down := stopping or await run_in_threadpool(monitoring.find_down):
            answer = {"status": "not ready", "down": down}
            return JSONResponse(answer, 503, {"Retry-After": "5"})
        age = await run_in_threadpool(monitoring.find_data_age)
        return JSONResponse({"status": "ready", "data_age_days": age})

    def collect(self) -> Iterator[Metric]:
        """Yield every figure of the data folder, measured when they are asked for."""
        monitoring = self.services().monitoring
        figures = monitoring.measure()
        lists = GaugeMetricFamily("winnow_lists", "Lists by state.", labels=["state"])
        rows = GaugeMetricFamily("winnow_list_rows", "Rows of lists by state.", labels=["state"])
        for state in figures.lists_by_state:
            lists.add_metric([state], figures.lists_by_state[state])
            rows.add_metric([state], figures.rows_by_state[state])
        yield lists
        yield rows
        for name, text, value in (
            ("winnow_queue_length", "Lists that wait.", figures.queue_length),
            (
                "winnow_queue_age_seconds",
                "How long the oldest has waited.",
                figures.queue_age.total_seconds(),
            ),
            ("winnow_used_bytes", "Bytes of lists and results.", figures.used_bytes),
            ("winnow_reserved_bytes", "Bytes reserved for runs.", figures.reserved_bytes),
            ("winnow_data_age_days", "Age of the domain lists.", monitoring.find_data_age()),
        ):
            if value is not None:
                yield GaugeMetricFamily(name, text, value=float(value))

    def describe(self) -> Iterator[Metric]:
        """Yield nothing: names are known when they are collected."""
        return iter(())
