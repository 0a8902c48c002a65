"""The sender check on its page."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import winnow.wiring
from components import page_urls
from tests.applications import Clock, open_test_application
from tests.pages.conftest import OpenPage, read_html
from winnow.core.sender.answers import TextAnswer
from winnow.core.verdicts.facts import HostAnswer, MailAnswer, MailRoute
from winnow.network.dns.dkim_selectors import read_selectors
from winnow.network.dns.static_resolver import StaticResolver
from winnow.wiring import Application

HOSTILE = 'v=spf1 include:x.example +all </span><img src=x onerror="alert(1)"> [a](javascript:b)'
KEYS = {f"{selector}._domainkey.shop.example": TextAnswer(()) for selector in read_selectors()}


def open_with(texts: dict[str, TextAnswer], tmp_path: Path, **settings: object) -> Application:
    resolver = StaticResolver(
        {"shop.example": MailAnswer(MailRoute.MX, ("mx.shop.example",))},
        {"mx.shop.example": HostAnswer(("192.0.2.1",))},
        texts={**KEYS, "_dmarc.shop.example": TextAnswer(()), **texts},
    )
    return open_test_application(tmp_path / "asking", Clock(), resolver, **settings)


@pytest.fixture
def serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Application]]:
    """Let the pages stand on a backend whose DNS has these texts."""
    made: list[Application] = []

    def start(texts: dict[str, TextAnswer], **settings: object) -> Application:
        made.append(open_with(texts, tmp_path, **settings))
        monkeypatch.setattr(winnow.wiring, "services", lambda: made[-1].services)
        return made[-1]

    yield start
    for application in made:
        application.database.close()


def find_button(app: AppTest, label: str):  # type: ignore[no-untyped-def]
    return next((button for button in app.button if button.label == label), None)


def check(app: AppTest, domain: str, selectors: str = "") -> None:
    app.text_input(key="sender_domain").set_value(domain)
    app.text_input(key="sender_selectors").set_value(selectors)
    find_button(app, "Check this domain").click()
    app.run()
    assert not app.exception


def read_text(app: AppTest) -> str:
    return "\n".join(str(one.value) for one in (*app.markdown, *app.caption, *app.header))


def test_it_asks_nothing_before_dns_is_on_and_offers_the_switch(
    open_page: OpenPage, opened: Application
) -> None:
    app = open_page(page_urls.SENDER)
    assert find_button(app, "Check this domain").disabled
    assert "DNS is off: nothing is asked" in read_text(app)
    find_button(app, "Turn DNS on").click().run()
    assert not app.exception
    assert opened.services.network.is_on("dns")
    assert find_button(app, "Turn DNS on") is None
    assert not find_button(app, "Check this domain").disabled


def test_the_setting_that_locks_dns_is_named(
    open_page: OpenPage, serve: Callable[..., Application]
) -> None:
    serve({}, network=frozenset())
    app = open_page(page_urls.SENDER)
    assert find_button(app, "Turn DNS on") is None
    assert "WINNOW_NETWORK locks DNS off" in app.info[0].value
    assert find_button(app, "Check this domain").disabled


def test_findings_come_with_the_record_to_set(
    open_page: OpenPage, serve: Callable[..., Application]
) -> None:
    opened = serve({"shop.example": TextAnswer(("v=spf1 mx ptr +all",))})
    opened.services.network.turn("dns", True)
    app = open_page(page_urls.SENDER)
    check(app, "news@shop.example")
    assert [one.value for one in app.subheader] == ["SPF", "DKIM", "DMARC", "MX"]
    text = read_text(app)
    assert "2 things are wrong, 1 could be better, 1 is open" in text
    assert "lets anybody on the internet send" in text
    assert [one.value for one in app.code] == [
        "v=spf1 mx ~all",  # once, though it mends two things
        "v=spf1 mx ptr +all",
        "v=DMARC1; p=none; rua=mailto:dmarc@shop.example",
        "mx.shop.example",
    ]
    assert "DNS on: 1 domain asked today, no addresses" in read_html(app)


def test_what_stands_in_dns_is_never_markup(
    open_page: OpenPage, serve: Callable[..., Application]
) -> None:
    opened = serve({"shop.example": TextAnswer((HOSTILE,))})
    opened.services.network.turn("dns", True)
    app = open_page(page_urls.SENDER)
    check(app, "shop.example")
    assert "<img" not in read_html(app)
    shown = next(one.value for one in app.markdown if "Mailboxes cannot read" in one.value)
    assert r"\<img" in shown
    assert r"\[a\](javascript" in shown


def test_what_was_entered_stays_beside_what_is_wrong_with_it(
    open_page: OpenPage, serve: Callable[..., Application]
) -> None:
    serve({}).services.network.turn("dns", True)
    app = open_page(page_urls.SENDER)
    check(app, "no domain", "s1, s2")
    assert "is not a domain" in app.error[0].value
    assert app.text_input(key="sender_domain").value == "no domain"
    assert app.text_input(key="sender_selectors").value == "s1, s2"
    check(app, "shop.example", "a b!")
    assert "s=…" in app.error[0].value
