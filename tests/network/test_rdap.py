"""The RDAP client against a server that answers by name, and against hostile ones."""

from collections import Counter
from collections.abc import Iterator

import pytest

from tests.network.rdap_site import BOOTSTRAP_PATH, RdapSite, make_bootstrap, make_domain
from tests.web_site import Answer, break_off, drip, send, send_json, send_status
from winnow.core.verdicts.facts import AgeState
from winnow.network.rdap.asker import FAILURES_BORNE, MOST_BYTES, RegistryServer
from winnow.network.rdap.client import RdapRegistries
from winnow.network.web import ClientUnavailable, open_client

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/rdap+json\r\nContent-Length: 400000\r\n\r\n"
NAME = "kurz.com"
PLENTY = 60.0


@pytest.fixture
def registries(site: RdapSite) -> Iterator[RdapRegistries]:
    with site.open_registries() as opened:
        yield opened


def ask(registries: RdapRegistries, *domains: str, budget_seconds: float = PLENTY):  # type: ignore[no-untyped-def]
    answers = registries.ask_ages(domains, budget_seconds=budget_seconds, tick=lambda count: None)
    return {domain: answer.state for domain, answer in answers}


def test_dates_come_in_utc(site: RdapSite, registries: RdapRegistries) -> None:
    dates = {
        "one.com": ("2020-02-29T12:00:00Z", "2020-02-29T12:00:00+00:00"),
        "two.com": ("2020-03-01T00:30:00.0+02:00", "2020-02-29T22:30:00+00:00"),
        "three.net": ("1985-03-15T05:00:00Z", "1985-03-15T05:00:00+00:00"),
    }
    for name, (date, _) in dates.items():
        site.publish(name, send_json(make_domain(name, date)))
    content = make_domain("four.org")  # the earliest registration counts and no other event
    content["events"].append({"eventAction": "registration", "eventDate": "2019-01-01T00:00:00Z"})
    content["events"].append({"eventAction": "expiration", "eventDate": "2001-01-01T00:00:00Z"})
    site.publish("four.org", send_json(content))
    names = [*dates, "four.org"]
    found = dict(registries.ask_ages(names, budget_seconds=PLENTY, tick=lambda count: None))
    assert registries.name_registry("one.com") == "127.0.0.1"
    assert registries.name_registry("one.nowhere") is None
    assert {name: answer.registered_at.isoformat() for name, answer in found.items()} == {
        **{name: expected for name, (_, expected) in dates.items()},
        "four.org": "2019-01-01T00:00:00+00:00",
    }
    assert site.asked[BOOTSTRAP_PATH] == 1


def redirect(place: str) -> Answer:
    return send_status(302, Location=place)


HOSTILE = [
    pytest.param(send(b"<html>Sign in</html>"), id="web-page"),
    pytest.param(send(b""), id="empty"),
    pytest.param(send(b'{"objectClassName": "domain"'), id="cut-off"),
    pytest.param(send(b"[" * 100_000), id="nested-without-end"),
    pytest.param(send(b"\xff\xfe{"), id="other-encoding"),
    pytest.param(send(b"[1]"), id="a-list"),
    pytest.param(send(b" " * (MOST_BYTES + 1)), id="huge"),
    pytest.param(send(b"\x1f\x8b", Content_Encoding="gzip"), id="packed"),
    pytest.param(send_json(make_domain("other.com")), id="another-domain"),
    pytest.param(
        send_json(make_domain(NAME) | {"objectClassName": "nameserver"}), id="another-class"
    ),
    pytest.param(send_json(make_domain(NAME) | {"ldhName": ["kurz.com"]}), id="name-of-a-list"),
    pytest.param(send_json(make_domain(NAME) | {"events": "none"}), id="events-of-a-text"),
    pytest.param(send_json(make_domain(NAME, "2026-11-21T12:00:00Z")), id="tomorrow"),
    pytest.param(send_json(make_domain(NAME, "9999-12-31T23:59:59-14:00")), id="end-of-time"),
    pytest.param(send_json(make_domain(NAME, "0001-01-01T00:00:00+14:00")), id="before-time"),
    pytest.param(send_json(make_domain(NAME, "1970-01-01T00:00:00Z")), id="before-domains"),
    pytest.param(send_json(make_domain(NAME, "2020-02-29")), id="no-time-zone"),
    pytest.param(send_json(make_domain(NAME, "yesterday")), id="no-date"),
    pytest.param(
        send_json(
            make_domain(NAME, None)
            | {"events": [{"eventAction": "registration", "eventDate": 1582977600}]}
        ),
        id="a-number-for-a-date",
    ),
    pytest.param(redirect("/domain/kurz.com"), id="redirect-in-a-circle"),
    pytest.param(redirect("http://localhost:1/domain/kurz.com"), id="redirect-to-an-unsafe-host"),
    pytest.param(redirect("file:///etc/hosts"), id="redirect-to-a-file"),
    pytest.param(redirect("http://[::1"), id="redirect-to-nowhere"),
    pytest.param(send_status(500), id="broken"),
    pytest.param(break_off, id="broken-off"),
]


@pytest.mark.parametrize("answer", HOSTILE)
def test_hostile_answers_are_unknown(
    site: RdapSite, registries: RdapRegistries, answer: Answer
) -> None:
    site.publish(NAME, answer)
    site.publish("fine.com", send_json(make_domain("fine.com")))
    assert ask(registries, NAME, "fine.com") == {
        NAME: AgeState.UNKNOWN,
        "fine.com": AgeState.KNOWN,
    }
    assert site.asked[f"/domain/{NAME}"] <= 4


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(drip(HEAD, b" "), id="body"),
        pytest.param(drip(b"HTTP/1.1 200 OK\r\nX-Slow: ", b"a"), id="head"),
        pytest.param(drip(b"", b""), id="silence"),
    ],
)
def test_a_slow_drip_ends_and_the_next_question_is_asked(site: RdapSite, answer: Answer) -> None:
    site.publish(NAME, answer)
    with site.open_registries(request_seconds=1.0) as registries:
        states = ask(registries, NAME, "next.com")
    assert states[NAME] is AgeState.UNKNOWN
    assert states["next.com"] is not AgeState.NOT_ASKED


def test_a_redirect_to_a_safe_place_is_followed(site: RdapSite, registries: RdapRegistries) -> None:
    site.publish(NAME, redirect("/elsewhere"))
    site.answers["/elsewhere"] = send_json(make_domain(NAME))
    assert ask(registries, NAME) == {NAME: AgeState.KNOWN}


def test_what_a_registry_does_not_say(site: RdapSite, registries: RdapRegistries) -> None:
    site.publish("bare.com", send_json(make_domain("bare.com", None)))
    assert ask(registries, "bare.com", "gone.com", "kurz.nowhere") == {
        "bare.com": AgeState.NOT_SAID,
        "gone.com": AgeState.NOT_SAID,
        "kurz.nowhere": AgeState.NOT_ASKED,
    }
    assert "/domain/kurz.nowhere" not in site.asked


@pytest.mark.parametrize("status", [403, 429, 503])
def test_a_server_that_wants_to_be_left_alone_is(
    site: RdapSite, registries: RdapRegistries, status: int
) -> None:
    site.publish(NAME, send_status(status, Retry_After="3600"))
    states = ask(registries, NAME, "one.com", "two.com") | ask(registries, "three.com")
    assert list(states.values()) == [AgeState.UNKNOWN, *[AgeState.NOT_ASKED] * 3]
    assert site.asked.total() == 2  # with the bootstrap file


def test_a_server_that_wants_a_moment_is_asked_again_once(
    site: RdapSite, registries: RdapRegistries
) -> None:
    answers = [send_status(429, Retry_After="0"), send_json(make_domain(NAME))]
    site.publish(NAME, lambda handler: answers.pop(0)(handler))
    site.publish("never.com", send_status(429, Retry_After="0"))
    assert ask(registries, NAME, "never.com") == {
        NAME: AgeState.KNOWN,
        "never.com": AgeState.UNKNOWN,
    }
    assert site.asked["/domain/never.com"] == 2


def test_after_failures_in_a_row_a_server_rests(site: RdapSite, registries: RdapRegistries) -> None:
    site.answer = send_status(500)
    states = list(ask(registries, *(f"broken{number}.com" for number in range(10))).values())
    rest = [AgeState.NOT_ASKED] * (10 - FAILURES_BORNE)
    assert states == [AgeState.UNKNOWN] * FAILURES_BORNE + rest


def test_the_budget_ends_a_batch_in_the_middle(site: RdapSite) -> None:
    site.publish(NAME, drip(HEAD, b" "))
    with site.open_registries(request_seconds=600.0) as registries:
        ask(registries, "warm.com")  # opens its client and fetches the bootstrap file
        states = ask(registries, NAME, "later.com", budget_seconds=2.0)
    assert states == {NAME: AgeState.UNKNOWN, "later.com": AgeState.NOT_ASKED}


def test_questions_to_one_server_keep_their_distance(site: RdapSite) -> None:
    with site.open_registries(pause_seconds=3600.0) as registries:
        states = list(ask(registries, *(f"d{number}.com" for number in range(10))).values())
    assert states == [AgeState.NOT_SAID] + [AgeState.NOT_ASKED] * 9


def test_a_machine_offline_soon_asks_nobody_more(
    site: RdapSite, registries: RdapRegistries
) -> None:
    content = make_bootstrap(site.base)
    for number in range(20):
        content["services"].append([[f"far{number}"], [f"http://127.0.0.{number + 2}:1/"]])
    site.answers[BOOTSTRAP_PATH] = send_json(content)
    names = [f"d{count}.far{number}" for number in range(20) for count in range(10)]
    states = Counter(ask(registries, *names).values())
    assert states[AgeState.UNKNOWN] < 60
    assert states.keys() == {AgeState.UNKNOWN, AgeState.NOT_ASKED}


def test_a_line_that_is_too_long_is_not_joined() -> None:
    server = RegistryServer(pause_seconds=1.0)
    server.rest(10.0)
    assert server.has_time(10.5, 12.0)
    server.waiting_count = 2
    assert not server.has_time(10.5, 12.0)
    assert server.has_time(10.5, 13.5)


def test_what_tick_raises_ends_the_batch(registries: RdapRegistries) -> None:
    class Stopped(Exception):
        pass

    def stop(count: int) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        list(registries.ask_ages([NAME], budget_seconds=PLENTY, tick=stop))


def test_only_the_domain_goes_out(site: RdapSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with site.open_registries(open_client=open_client) as registries:
        ask(registries, NAME)
    assert set(site.asked) == {BOOTSTRAP_PATH, f"/domain/{NAME}"}


@pytest.mark.parametrize("proxy", ["socks4://127.0.0.1:1", "nonsense://127.0.0.1:1"])
def test_a_proxy_that_cannot_be_used_asks_nobody(
    site: RdapSite, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, proxy: str
) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    with pytest.raises(ClientUnavailable, match="proxy"):
        open_client()
    with site.open_registries(open_client=open_client) as registries:
        assert ask(registries, NAME) == {NAME: AgeState.NOT_ASKED}
    assert not site.asked
    assert "proxy" in caplog.text
