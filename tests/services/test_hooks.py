"""Hooks: signed, tried for a day, over restarts, never to an address that is not allowed."""

import asyncio
import json
import logging
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from standardwebhooks.webhooks import WebhookVerificationError

from tests.applications import LIST, Clock, OpenApplication, delete_for_good, run, submit
from tests.waiting import PATIENCE_SECONDS
from tests.web_site import (
    Answer,
    Handler,
    WebSite,
    break_off,
    drip,
    send_status,
    write_certificate,
)
from winnow.core.errors import BadField
from winnow.core.hooks import TRIES, TRY_WAITS, Delivery, DeliveryState, Trouble, may_call
from winnow.core.identities import COMMAND_LINE, LOCAL_ACCOUNT, ApiKey, Identity, Role
from winnow.core.tasks.task import KeyType, Task
from winnow.network.hook_client import HookClient
from winnow.services.network.hooks import CALLS_AT_ONCE
from winnow.services.services import Services
from winnow.storage.database.tables import hooks
from winnow.storage.repositories.hooks import claim_delivery
from winnow.wiring import Application


@dataclass(frozen=True, slots=True)
class Shop:
    """A backend, and a key of it with a hook. ``secret`` signs its calls."""

    opened: Application
    clock: Clock
    key: ApiKey
    secret: str

    @property
    def services(self) -> Services:
        return self.opened.services

    def make_key(self, name: str, url: str) -> ApiKey:
        """Make a further key with a hook, or with none."""
        key, _ = self.services.keys.create(LOCAL_ACCOUNT, name, KeyType.LIVE)
        self.services.hooks.set_url(LOCAL_ACCOUNT, key.prefix, url)
        return key

    def finish(self, content: bytes = LIST, key: ApiKey | None = None) -> Task:
        """Clean a list that the key submitted, or another one."""
        prefix = (key or self.key).prefix
        task = submit(self.opened, content, key_type=KeyType.LIVE, key_prefix=prefix)
        run(self.opened)
        return task

    def sweep(self) -> None:
        """Call what is due."""
        self.services.hooks.sweep(self.clock.now)

    def deliver(self, content: bytes = LIST) -> Task:
        """Clean a list, and call what is due."""
        task = self.finish(content)
        self.sweep()
        return task

    def find_delivery(self) -> Delivery:
        """Return the one delivery of the key."""
        [found] = self.services.hooks.list_deliveries(LOCAL_ACCOUNT, self.key.prefix)
        return found


OpenShop = Callable[..., Shop]


@pytest.fixture
def clock() -> Clock:
    return Clock(datetime.now(UTC))  # verify refuses old signatures by the machine's clock


@pytest.fixture
def receiver() -> Iterator[WebSite]:
    with WebSite(send_status(204)) as running:
        yield running


def name_url(receiver: WebSite) -> str:
    return f"{receiver.base}winnow?source=a"


@pytest.fixture
def open_shop(open_application: OpenApplication, clock: Clock, receiver: WebSite) -> OpenShop:
    """Open a shop with a URL, the receiver's if none is given, and settings."""

    def open_one(url: str = name_url(receiver), **options: Any) -> Shop:
        opened = open_application(**options)
        opened.services.network.turn("hooks", True)
        key, _ = opened.services.keys.create(LOCAL_ACCOUNT, "shop", KeyType.LIVE)
        secret = opened.services.hooks.set_url(LOCAL_ACCOUNT, key.prefix, url)
        assert secret is not None
        return Shop(opened, clock, key, secret)

    return open_one


@pytest.fixture
def shop(open_shop: OpenShop) -> Shop:
    return open_shop()


def test_a_completed_list_is_told_with_counts_and_without_addresses(
    shop: Shop, receiver: WebSite, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    task = shop.deliver()
    assert "hook of task" in caplog.text
    assert not any(word in caplog.text for word in ("source=a", shop.secret))
    [call] = receiver.calls
    event = call.verify(shop.secret)
    assert event["type"] == "task.completed"
    assert datetime.fromisoformat(event["timestamp"]) == shop.clock.now
    assert event["data"] == {
        "task_id": task.task_id,
        "status": "completed",
        "status_url": f"/v1/external-api-requests/batch-check-status/{task.task_id}",
        "rows_done": 4,
        "summary": {
            "rows_in": 4,
            "rows_out": 3,
            "duplicates_removed": 1,
            "charged": 2,
            "by_category": {"white": 1, "grey": 0, "black": 2},
            "do_not_mail": {"said_no": 0, "bounced": 0},
        },
    }
    assert b"@" not in call.body
    assert b".example" not in call.body
    assert call.path == "/winnow?source=a"
    assert call.headers["webhook-id"] == task.task_id
    found = shop.find_delivery()
    assert (found.state, found.outcome) == (DeliveryState.DELIVERED, "204")
    shop.clock.advance(days=2)
    shop.sweep()
    assert len(receiver.calls) == 1


def test_a_failed_list_is_told_by_its_code_alone(shop: Shop, receiver: WebSite) -> None:
    shop.deliver(b"email\n" + b"ana@x.example\n" * 200_000 + b'"ana@x.example\n')
    event = receiver.calls[0].verify(shop.secret)
    assert event["type"] == "task.failed"
    assert event["data"]["error"] == {"code": "broken_file", "fault": "open_quote"}
    assert "summary" not in event["data"]
    assert b"@" not in receiver.calls[0].body


def test_the_status_link_is_absolute_where_the_public_address_is_set(
    open_shop: OpenShop, receiver: WebSite
) -> None:
    task = open_shop(public_url="https://lists.example/winnow").deliver()
    base = "https://lists.example/winnow/v1/external-api-requests"
    data = json.loads(receiver.calls[0].body)["data"]
    assert data["status_url"] == f"{base}/batch-check-status/{task.task_id}"


def test_lists_of_pages_and_of_other_keys_are_not_told(shop: Shop, receiver: WebSite) -> None:
    shop.finish(key=shop.make_key("other", ""))
    submit(shop.opened)
    run(shop.opened)
    shop.sweep()
    assert receiver.calls == []


def test_six_tries_in_24_hours_then_no_more(
    shop: Shop, receiver: WebSite, open_application: OpenApplication
) -> None:
    """Each after a restart of the server."""
    receiver.answer = send_status(503)
    shop.finish()
    began = shop.clock.now
    for number, wait in enumerate(TRY_WAITS, start=1):
        shop.opened.database.close()
        shop = replace(shop, opened=open_application())
        shop.sweep()
        found = shop.find_delivery()
        assert (found.state, found.attempt, found.outcome) == (DeliveryState.WAITING, number, "503")
        shop.clock.now = found.due_at - timedelta(microseconds=1)
        shop.sweep()
        assert len(receiver.calls) == number
        shop.clock.now = found.due_at
        assert found.due_at == found.tried_at + wait  # type: ignore[operator]
    assert shop.clock.now - began == timedelta(hours=24)
    shop.sweep()
    assert shop.find_delivery().state is DeliveryState.FAILED
    shop.clock.advance(days=30)
    shop.sweep()
    assert len(receiver.calls) == TRIES
    assert len({(call.headers["webhook-id"], call.body) for call in receiver.calls}) == 1


def test_a_try_that_the_end_of_the_server_interrupts_counts(shop: Shop, receiver: WebSite) -> None:
    shop.finish()
    for _ in range(TRIES):
        assert claim_delivery(shop.opened.database, shop.clock.now) is not None
        assert claim_delivery(shop.opened.database, shop.clock.now) is None  # its lease holds
        shop.clock.advance(minutes=1)
    shop.sweep()
    assert receiver.calls == []
    found = shop.find_delivery()
    assert (found.state, found.outcome) == (DeliveryState.FAILED, Trouble.INTERRUPTED)


def test_a_delivery_is_sent_again_on_request(shop: Shop, receiver: WebSite) -> None:
    task = shop.deliver()
    acting = shop.services.act_as(COMMAND_LINE).hooks
    acting.replay(LOCAL_ACCOUNT, shop.key.prefix, task.task_id)
    [entry] = shop.services.audit_log.list()
    assert (entry.event, entry.subject) == ("hook_replayed", task.task_id)
    shop.sweep()
    types = [call.verify(shop.secret)["type"] for call in receiver.calls]
    assert types == ["task.completed"] * 2
    assert shop.find_delivery().attempt == 2
    with pytest.raises(BadField):
        acting.replay(LOCAL_ACCOUNT, shop.key.prefix, "0")


def test_a_request_to_send_again_outlives_the_try_under_way(shop: Shop, receiver: WebSite) -> None:
    receiver.answer = send_status(503)
    task = shop.finish()
    for wait in TRY_WAITS:
        shop.sweep()
        shop.clock.now += wait

    def send_again(handler: Handler) -> None:
        shop.services.hooks.replay(LOCAL_ACCOUNT, shop.key.prefix, task.task_id)
        receiver.answer = send_status(204)
        send_status(503)(handler)

    receiver.answer = send_again
    shop.sweep()
    shop.sweep()
    assert shop.find_delivery().state is DeliveryState.DELIVERED
    assert len(receiver.calls) == TRIES + 1


def test_lists_of_one_key_do_not_wait_for_one_another_nor_hold_up_another_key(
    shop: Shop, receiver: WebSite
) -> None:
    with WebSite(send_status(204)) as quick:
        other = shop.make_key("other", name_url(quick))
        for _ in range(CALLS_AT_ONCE + 1):
            shop.finish()
        shop.finish(key=other)
        shop.sweep()
        assert (len(receiver.calls), len(quick.calls)) == (CALLS_AT_ONCE - 1, 1)
        shop.sweep()
        assert (len(receiver.calls), len(quick.calls)) == (CALLS_AT_ONCE + 1, 1)


def test_saving_again_ends_the_former_secret(shop: Shop, receiver: WebSite) -> None:
    newer = shop.services.hooks.set_url(LOCAL_ACCOUNT, shop.key.prefix, name_url(receiver))
    assert newer is not None
    shop.deliver()
    assert receiver.calls[0].verify(newer)
    with pytest.raises(WebhookVerificationError):
        receiver.calls[0].verify(shop.secret)


def test_off_until_it_is_switched_on(shop: Shop, receiver: WebSite) -> None:
    shop.services.network.turn("hooks", False)
    shop.deliver()
    assert receiver.calls == []
    assert shop.find_delivery().state is DeliveryState.WAITING
    shop.services.network.turn("hooks", True)
    shop.sweep()
    assert len(receiver.calls) == 1
    assert shop.services.network.status_text() == "hooks on: 1 call today, no addresses"


def test_the_setting_locks_it(open_application: OpenApplication) -> None:
    services = open_application(network=frozenset({"dns"})).services
    with pytest.raises(BadField, match="switched off"):
        services.network.turn("hooks", True)
    assert not services.network.is_on("hooks")


def test_nothing_is_called_after_a_removal_a_revocation_or_a_deletion(
    shop: Shop, receiver: WebSite
) -> None:
    services, removed = shop.services, shop.key
    revoked, deleted = (shop.make_key(name, name_url(receiver)) for name in ("second", "third"))
    _, _, task = (shop.finish(key=key) for key in (removed, revoked, deleted))
    assert services.hooks.set_url(LOCAL_ACCOUNT, removed.prefix, "") is None
    delete_for_good(services, task.task_id)
    services.keys.revoke("other", deleted.prefix)
    services.keys.revoke(LOCAL_ACCOUNT, revoked.prefix)
    shop.sweep()
    assert receiver.calls == []
    assert shop.find_delivery().outcome == Trouble.NO_HOOK
    assert services.hooks.list_deliveries(LOCAL_ACCOUNT, deleted.prefix) == ()
    with pytest.raises(BadField):
        services.hooks.find_url(LOCAL_ACCOUNT, revoked.prefix)
    assert [row.prefix for row in shop.opened.database.fetch(select(hooks))] == [deleted.prefix]


def test_a_deleted_list_is_told_only_once_it_is_back(shop: Shop, receiver: WebSite) -> None:
    task = shop.finish()
    shop.services.deletions.delete(LOCAL_ACCOUNT, [task.task_id])
    shop.sweep()
    assert receiver.calls == []
    shop.services.deletions.undo(LOCAL_ACCOUNT, [task.task_id])
    shop.sweep()
    assert [call.verify(shop.secret)["type"] for call in receiver.calls] == ["task.completed"]


def test_members_reach_the_hooks_of_their_own_keys_only(shop: Shop) -> None:
    services, url = shop.services, "https://shop.example/"
    services.people.add("ana", Role.ADMIN, None)
    services.people.add("bo", Role.MEMBER, None)
    acting = services.act_as(Identity(LOCAL_ACCOUNT, "bo", Role.MEMBER))
    own, _ = acting.keys.create(LOCAL_ACCOUNT, "own", KeyType.LIVE)
    assert acting.hooks.set_url(LOCAL_ACCOUNT, own.prefix, url)
    with pytest.raises(BadField):
        acting.hooks.set_url(LOCAL_ACCOUNT, shop.key.prefix, url)
    for local in ("http://localhost:22/", "http://127.0.0.1:22/", "https://[::ffff:7f00:1]/"):
        with pytest.raises(BadField, match="this machine"):
            acting.hooks.set_url(LOCAL_ACCOUNT, own.prefix, local)
        admin = services.act_as(Identity(LOCAL_ACCOUNT, "ana", Role.ADMIN))
        assert admin.hooks.set_url(LOCAL_ACCOUNT, shop.key.prefix, local)
    with pytest.raises(BadField):
        services.act_as(COMMAND_LINE).hooks.find_url("other", own.prefix)
    entries = services.audit_log.list()
    changed = [one.subject for one in entries if (one.event, one.person) == ("hook_changed", "bo")]
    assert changed == [own.prefix]
    services.people.remove("bo")
    assert [row.prefix for row in shop.opened.database.fetch(select(hooks))] == [shop.key.prefix]


def send_endless_headers(handler: Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        handler.wfile.write(b"X: " + b"a" * 8000 + b"\r\n")


def send_endless_body(handler: Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        handler.wfile.write(bytes(65_536))


def send_no_http(handler: Handler) -> None:
    handler.wfile.write(b"\x00\xff\r\n\r\n")
    handler.close_connection = True


@pytest.mark.parametrize(
    ("answer", "state", "outcome"),
    [
        (send_endless_body, DeliveryState.DELIVERED, "200"),
        (send_endless_headers, DeliveryState.WAITING, Trouble.BAD_ANSWER),
        (send_no_http, DeliveryState.WAITING, Trouble.BAD_ANSWER),
        (break_off, DeliveryState.WAITING, Trouble.BAD_ANSWER),
        pytest.param(
            send_status(307, Location="/elsewhere"), DeliveryState.WAITING, "307", id="redirect"
        ),
    ],
)
def test_a_bad_answer_is_neither_read_nor_followed_and_tried_again(
    shop: Shop, receiver: WebSite, answer: Answer, state: DeliveryState, outcome: str
) -> None:
    receiver.answer = answer
    shop.deliver()
    found = shop.find_delivery()
    assert (found.state, found.outcome) == (state, outcome)
    assert [call.path for call in receiver.calls] == ["/winnow?source=a"]


@pytest.mark.slow
def test_a_slow_receiver_is_left_and_holds_up_no_other(shop: Shop, receiver: WebSite) -> None:
    receiver.answer = drip(b"HTTP/1.1 200 OK\r\n", b"X: a\r\n")
    with WebSite(send_status(204)) as quick:
        shop.finish()
        shop.finish(key=shop.make_key("other", name_url(quick)))
        shop.sweep()
        assert len(quick.calls) == 1
    assert shop.find_delivery().outcome == Trouble.TIMEOUT


class NamesTable:
    """Resolves names from a table; each further question gets the next answer."""

    def __init__(self, *answers: tuple[str, ...]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> tuple[str, ...]:
        self.asked.append(host)
        if not self.answers:
            raise OSError
        return self.answers.pop(0)


def use_names(names: NamesTable, *networks: str) -> dict[str, Any]:
    """Return options of a backend whose hooks ask these names."""
    return {
        "open_hook_client": lambda: HookClient(networks, names),
        "hook_networks": networks,
    }


@pytest.mark.parametrize("name", ["rebinding.example", "xn--fa-hia.example"])
def test_a_name_is_resolved_once_and_that_address_is_called(
    open_shop: OpenShop, receiver: WebSite, name: str
) -> None:
    names = NamesTable(("127.0.0.1",), ("10.0.0.1",))
    shop = open_shop(f"http://{name}:{receiver.port}/", **use_names(names, "127.0.0.0/8"))
    shop.deliver()
    assert names.asked == [name]
    assert receiver.calls[0].headers["Host"] == f"{name}:{receiver.port}"
    assert shop.find_delivery().state is DeliveryState.DELIVERED


@pytest.mark.parametrize(
    ("url", "answers", "outcome"),
    [
        ("https://shop.example/", [("8.8.8.8", "192.168.1.1")], Trouble.NOT_ALLOWED),
        ("https://shop.example/", [("fe80::1%eth0",)], Trouble.NOT_ALLOWED),
        ("https://shop.example/", [("127.0.0.1",)], Trouble.NOT_ALLOWED),
        ("https://shop.example/", [("168.63.129.16",)], Trouble.NOT_ALLOWED),
        ("https://shop.example/", [], Trouble.NO_NAME),
        ("http://localhost:1/", [("127.0.0.1",)], Trouble.NO_CONNECTION),
    ],
)
def test_a_name_must_not_lead_into_a_private_network_or_nowhere(
    open_shop: OpenShop, url: str, answers: list[tuple[str, ...]], outcome: Trouble
) -> None:
    shop = open_shop(url, **use_names(NamesTable(*answers)))
    shop.deliver()
    assert shop.find_delivery().outcome == outcome


@pytest.mark.slow
def test_a_name_that_takes_long_to_resolve_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    is_over, ended = threading.Event(), list[bool]()

    def resolve(*_: object, **__: object) -> None:
        ended.append(is_over.wait(PATIENCE_SECONDS))
        raise OSError

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    outcome = asyncio.run(HookClient(()).post("https://shop.example/", b"", {}))
    assert (outcome, ended) == (Trouble.TIMEOUT, [])
    is_over.set()


def test_the_next_address_is_called_where_one_does_not_answer(
    open_shop: OpenShop, receiver: WebSite
) -> None:
    names = NamesTable(("::1", "127.0.0.1"))
    open_shop(f"http://localhost:{receiver.port}/", **use_names(names)).deliver()
    assert len(receiver.calls) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "host", "state"),
    [
        ("shop.example", "shop.example", DeliveryState.DELIVERED),
        ("shop.example", "other.example", DeliveryState.WAITING),
        ("xn--fa-hia.example", "xn--fa-hia.example", DeliveryState.DELIVERED),
    ],
)
def test_the_certificate_must_be_of_the_name_not_of_the_address(
    open_shop: OpenShop,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    host: str,
    state: DeliveryState,
) -> None:
    write_certificate(tmp_path, name)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "certificate", tmp_path / "key")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate"))
    with WebSite(send_status(204), context) as receiver:
        names = use_names(NamesTable(("127.0.0.1",)), "127.0.0.0/8")
        shop = open_shop(f"https://{host}:{receiver.port}/", **names)
        shop.deliver()
    assert shop.find_delivery().state is state


PRIVATE = (
    *("10.1.2.3", "::ffff:10.1.2.3", "64:ff9b::a01:203", "2002:a01:203::1", "::10.1.2.3"),
    *("192.0.0.192", "168.63.129.16", "::ffff:168.63.129.16", "64:ff9b::a83f:8110"),
    *("fec0::1", "fd00::1", "100.64.0.1", "0.0.0.0", "224.0.0.1", "ff0e::1"),  # noqa: S104
)


@pytest.mark.parametrize(
    ("scheme", "address", "networks", "may"),
    [
        *(("https", one, (), True) for one in ("8.8.8.8", "2606:4700::1111")),
        *(("http", one, (), True) for one in ("127.0.0.1", "::1", "::ffff:127.0.0.1")),
        *(("http", one, (), False) for one in ("8.8.8.8", "64:ff9b::7f00:1", "2002:7f00:1::1")),
        *(("https", one, (), False) for one in PRIVATE),
        ("https", "169.254.169.254", ("10.0.0.0/8",), False),
        ("http", "10.1.2.3", ("10.0.0.0/8",), True),
        ("http", "fd00::1", ("10.0.0.0/8", "fd00::/8"), True),
    ],
)
def test_addresses_that_may_be_called(
    scheme: str, address: str, networks: tuple[str, ...], may: bool
) -> None:
    assert may_call(scheme, address, networks) is may


def test_urls_that_cannot_be_set(shop: Shop) -> None:
    key = shop.make_key("other", "")
    for url in (
        *("shop.example", "ftp://shop.example/", "https://", "https:///path", "http://["),
        *("https://ana:geheim@shop.example/", "https://shop.example/#part"),
        *("http://shop.example/", "http://8.8.8.8/", "https://10.0.0.1/", "https://[fe80::1]/"),
        *("https://shop.example:99999/", "https://shöp.example/", "https://shop.example/a b"),
        *("https://shop.example/\r\nX: 1", "https://shop.example/\0", "https://x/" + "a" * 2000),
        "javascript:alert(1)",
    ):
        with pytest.raises(BadField):
            shop.services.hooks.set_url(LOCAL_ACCOUNT, key.prefix, url)
        assert shop.services.hooks.find_url(LOCAL_ACCOUNT, key.prefix) is None, url
