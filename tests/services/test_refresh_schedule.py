"""The schedule of refreshes: off until chosen, one round at a time, later after each failure."""

import threading
from datetime import timedelta

import httpx
import pytest

from tests.applications import Clock, OpenApplication
from tests.domain_data.list_site import OWN_CRAWL, ListSite, make_names
from tests.waiting import PATIENCE_SECONDS
from winnow.cli.admin import report_round
from winnow.core.errors import BadField
from winnow.core.identities import COMMAND_LINE
from winnow.core.network_answers import REFRESH
from winnow.services.network.refresh import FIRST_RETRY, PERIOD
from winnow.wiring import Application


@pytest.fixture
def site() -> ListSite:
    """Only the list that no package has: the others are out of reach unless published."""
    built = ListSite()
    built.publish("fakefilter", make_names(1_000, word="crawl"))
    return built


@pytest.fixture
def opened(open_application: OpenApplication, site: ListSite) -> Application:
    return open_application(fetch=site.fetch)


@pytest.fixture(autouse=True)
def only_one_source(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refresh the small list alone, against a knowledge that protects nothing."""
    monkeypatch.setattr("winnow.domain_data.build.refresh.read_sources", lambda: (OWN_CRAWL,))
    monkeypatch.setattr("winnow.domain_data.build.refresh.DISPOSABLE", ())
    monkeypatch.setattr(
        "winnow.wiring.open_compiled",
        lambda folder: type("Open", (), {"find_protection": lambda self, name: None})(),
    )


def sweep(opened: Application) -> None:
    opened.services.refresh.sweep(opened.services.clock())


def break_off(request: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError("nobody", request=request)


def turn(opened: Application, is_on: bool = True) -> None:
    opened.services.network.turn(REFRESH, is_on)


@pytest.mark.parametrize("is_on", [False, True])
def test_it_goes_at_once_and_then_once_a_week_where_it_is_chosen(
    opened: Application, clock: Clock, site: ListSite, is_on: bool
) -> None:
    refresh = opened.services.refresh
    turn(opened, is_on)
    assert (refresh.find_due() is not None) is is_on
    said = "lists refreshed weekly" if is_on else "nothing leaves this machine"
    assert said in opened.services.network.status_text()
    for seconds, asked in ((0, 1), (7 * 86_400 - 1, 1), (1, 2)):
        clock.advance(seconds=seconds)
        sweep(opened)
        assert len(site.asked) == (asked if is_on else 0)
    made = refresh.last_round
    assert (made is not None and made.is_scheduled) is is_on


def test_a_setting_starts_a_switch_and_a_choice_outranks_it(
    open_application: OpenApplication, site: ListSite
) -> None:
    opened = open_application(fetch=site.fetch, network_on=frozenset({"refresh", "dns"}))
    names = (REFRESH, "dns", "rdap", "hooks")
    assert opened.services.network.list_on(names) == [REFRESH, "dns"]
    sweep(opened)
    assert len(site.asked) == 1
    for name in (REFRESH, "dns"):
        opened.services.network.turn(name, False)
    again = open_application(fetch=site.fetch, network_on=frozenset({"refresh", "dns"}))
    assert again.services.network.list_on(names) == []


def test_the_command_reports_each_list(
    opened: Application, site: ListSite, capsys: pytest.CaptureFixture[str]
) -> None:
    refresh = opened.services.act_as(COMMAND_LINE).refresh
    assert not opened.services.network.is_on(REFRESH)  # the command is the consent
    assert report_round(refresh.refresh_now()) == 0
    assert capsys.readouterr().out == "FakeFilter: changed, 1,000 added, 0 removed\n"
    site.answers[OWN_CRAWL.url] = break_off
    assert report_round(refresh.refresh_now()) == 1
    assert capsys.readouterr().out.startswith("FakeFilter: unreachable: ")


def test_the_choice_and_the_last_round_outlive_the_server(
    opened: Application, open_application: OpenApplication, clock: Clock, site: ListSite
) -> None:
    turn(opened)
    sweep(opened)
    clock.advance(days=6)
    again = open_application(fetch=site.fetch)
    assert again.services.network.is_on(REFRESH)
    sweep(again)
    assert len(site.asked) == 1


def test_a_failure_is_tried_again_later_each_time_and_the_last_good_copy_stays(
    opened: Application, clock: Clock, site: ListSite
) -> None:
    turn(opened)
    sweep(opened)
    copies = {path.name: path.read_bytes() for path in opened.folder.refreshed.iterdir()}
    clock.advance(days=7)
    good = site.answers[OWN_CRAWL.url]
    site.answers[OWN_CRAWL.url] = break_off
    waits = []
    for _ in range(11):
        sweep(opened)
        due_at = opened.services.refresh.find_due()
        assert due_at is not None
        waits.append(due_at - clock())
        clock.now = due_at - timedelta(seconds=1)
        asked = len(site.asked)
        sweep(opened)
        assert len(site.asked) == asked
        clock.now = due_at
    assert waits[:3] == [FIRST_RETRY, 2 * FIRST_RETRY, 4 * FIRST_RETRY]
    assert waits[-1] == PERIOD
    assert {path.name: path.read_bytes() for path in opened.folder.refreshed.iterdir()} == copies
    site.answers[OWN_CRAWL.url] = good
    sweep(opened)
    assert opened.services.refresh.find_due() == clock() + PERIOD


def test_a_round_by_the_button_counts_and_a_clock_set_back_delays_by_a_period_at_most(
    opened: Application, clock: Clock, site: ListSite
) -> None:
    opened.services.refresh.refresh_now()
    turn(opened)
    sweep(opened)
    assert len(site.asked) == 1
    clock.advance(days=-100)
    assert opened.services.refresh.find_due() == clock() + PERIOD


def test_never_two_at_once(opened: Application, clock: Clock, site: ListSite) -> None:
    began, may_end = threading.Event(), threading.Event()
    good = site.answers[OWN_CRAWL.url]

    def wait(request: httpx.Request) -> httpx.Response:
        began.set()
        assert may_end.wait(PATIENCE_SECONDS)
        return good(request)

    site.answers[OWN_CRAWL.url] = wait
    turn(opened)
    button = threading.Thread(target=opened.services.refresh.refresh_now)
    button.start()
    assert began.wait(PATIENCE_SECONDS)
    sweep(opened)  # comes back at once: one is under way
    assert len(site.asked) == 1
    may_end.set()
    button.join(PATIENCE_SECONDS)
    sweep(opened)
    assert len(site.asked) == 1


def test_the_setting_locks_it_off(open_application: OpenApplication, site: ListSite) -> None:
    opened = open_application(fetch=site.fetch, network=frozenset({"dns"}))
    refresh = opened.services.refresh
    assert not refresh.is_allowed
    for call in (
        refresh.refresh_now,
        lambda: turn(opened),
        lambda: opened.services.network.turn("hooks", True),
    ):
        with pytest.raises(BadField, match="switched off"):
            call()
    assert not opened.services.network.is_on("hooks")
    sweep(opened)
    assert site.asked == []
