"""Hooks: signed, tried for a day, over restarts, never to an address that is not allowed."""

import asyncio
import json
import logging
import socket
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from standardwebhooks.webhooks import WebhookVerificationError

from tests.applications import LIST, Clock, OpenApplication, open_test_application, run, submit
from tests.services.hook_receiver import Answer, Receiver, answer_status, receive
from winnow.core.accounts import COMMAND_LINE, LOCAL_ACCOUNT, ApiKey, Identity, Role
from winnow.core.errors import BadField
from winnow.core.hooks import TRIES, TRY_WAITS, Delivery, DeliveryState, Trouble, may_call
from winnow.core.tasks.task import KeyType, Task
from winnow.network.hook_client import HookClient
from winnow.storage.database.tables import hooks
from winnow.storage.repositories.hooks import claim_delivery
from winnow.wiring import Application


@pytest.fixture
def clock() -> Clock:
    return Clock(datetime.now(UTC))  # verify refuses old signatures by the machine's clock


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receive() as running:
        yield running


@pytest.fixture
def opened(open_application: OpenApplication) -> Application:
    application = open_application()
    application.services.network.turn("hooks", True)
    return application


@pytest.fixture
def key(opened: Application) -> ApiKey:
    return opened.services.keys.create(LOCAL_ACCOUNT, "shop", KeyType.LIVE)[0]


@dataclass(frozen=True, slots=True)
class Shop:
    """An account's key with a hook, and the receiver of its calls."""

    opened: Application
    clock: Clock
    key: ApiKey
    receiver: Receiver
    secret: str

    def finish(self, content: bytes = LIST) -> Task:
        """Clean a list that the key submitted."""
        return finish(self.opened, self.key, content)

    def sweep(self) -> None:
        """Call what is due."""
        sweep(self.opened, self.clock)

    def deliver(self, content: bytes = LIST) -> Task:
        """Clean a list, and call what is due."""
        task = self.finish(content)
        self.sweep()
        return task

    def find_delivery(self) -> Delivery:
        """Return the key's one delivery."""
        return find_delivery(self.opened, self.key)


@pytest.fixture
def shop(opened: Application, clock: Clock, key: ApiKey, receiver: Receiver) -> Shop:
    secret = opened.services.hooks.set_url(LOCAL_ACCOUNT, key.prefix, receiver.url)
    assert secret is not None
    return Shop(opened, clock, key, receiver, secret)


def finish(opened: Application, key: ApiKey, content: bytes = LIST) -> Task:
    task = submit(opened, content, key_type=key.key_type, key_prefix=key.prefix)
    run(opened)
    return task


def sweep(opened: Application, clock: Clock) -> None:
    opened.services.hooks.sweep(clock.now)


def find_delivery(opened: Application, key: ApiKey) -> Delivery:
    [found] = opened.services.hooks.list_deliveries(LOCAL_ACCOUNT, key.prefix)
    return found


def deliver(opened: Application, clock: Clock, key: ApiKey, url: str) -> Delivery:
    """Clean a list of a key with this hook, and call what is due; return the delivery."""
    opened.services.hooks.set_url(LOCAL_ACCOUNT, key.prefix, url)
    finish(opened, key)
    sweep(opened, clock)
    return find_delivery(opened, key)


def test_a_completed_list_is_told_with_counts_and_without_addresses(shop: Shop) -> None:
    task = shop.deliver()
    [call] = shop.receiver.calls
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
            "by_category": {"white": 1, "black": 2},
        },
    }
    assert b"@" not in call.body
    assert b".example" not in call.body
    assert call.path == "/winnow?source=a"
    assert call.headers["webhook-id"] == task.task_id
    assert shop.find_delivery().state is DeliveryState.DELIVERED
    assert shop.find_delivery().outcome == "204"
    shop.clock.advance(days=2)
    shop.sweep()
    assert len(shop.receiver.calls) == 1


def test_a_failed_list_is_told_by_its_code_alone(shop: Shop) -> None:
    broken = b"email\n" + b"ana@x.example\n" * 200_000 + b'"ana@x.example\n'
    shop.deliver(broken)
    event = shop.receiver.calls[0].verify(shop.secret)
    assert event["type"] == "task.failed"
    assert event["data"]["error"] == {"code": "broken_file"}
    assert "summary" not in event["data"]
    assert b"@" not in shop.receiver.calls[0].body


def test_the_status_link_is_absolute_where_the_public_address_is_set(
    open_application: OpenApplication, clock: Clock, receiver: Receiver
) -> None:
    opened = open_application(public_url="https://lists.example/winnow")
    opened.services.network.turn("hooks", True)
    key, _ = opened.services.keys.create(LOCAL_ACCOUNT, "shop", KeyType.SANDBOX)
    opened.services.hooks.set_url(LOCAL_ACCOUNT, key.prefix, receiver.url)
    task = finish(opened, key)
    sweep(opened, clock)
    data = json.loads(receiver.calls[0].body)["data"]
    base = "https://lists.example/winnow/v1/external-api-requests"
    assert data["status_url"] == f"{base}/batch-check-status/{task.task_id}"


def test_lists_of_pages_and_of_other_keys_are_not_told(shop: Shop) -> None:
    other, _ = shop.opened.services.keys.create(LOCAL_ACCOUNT, "other", KeyType.LIVE)
    finish(shop.opened, other)
    submit(shop.opened)
    run(shop.opened)
    shop.sweep()
    assert shop.receiver.calls == []


def test_six_tries_in_24_hours_then_no_more(shop: Shop) -> None:
    shop.receiver.answer = answer_status(503)
    shop.finish()
    began = shop.clock.now
    for number, wait in enumerate(TRY_WAITS, start=1):
        shop.sweep()
        found = shop.find_delivery()
        assert (found.state, found.attempt, found.outcome) == (
            DeliveryState.WAITING,
            number,
            "503",
        )
        shop.clock.now = found.due_at - timedelta(microseconds=1)
        shop.sweep()
        assert len(shop.receiver.calls) == number
        shop.clock.now = found.due_at
        assert found.due_at == found.tried_at + wait  # type: ignore[operator]
    assert shop.clock.now - began == timedelta(hours=24)
    shop.sweep()
    assert shop.find_delivery().state is DeliveryState.FAILED
    shop.clock.advance(days=30)
    shop.sweep()
    assert len(shop.receiver.calls) == TRIES
    assert len({call.headers["webhook-id"] for call in shop.receiver.calls}) == 1
    assert len({call.body for call in shop.receiver.calls}) == 1


def test_tries_survive_a_restart(shop: Shop, open_application: OpenApplication) -> None:
    shop.receiver.answer = answer_status(500)
    shop.deliver()
    shop.opened.database.close()
    again = open_application()
    shop.receiver.answer = answer_status(200)
    shop.clock.advance(minutes=1)
    sweep(again, shop.clock)
    assert (
        shop.receiver.calls[1].headers["webhook-id"] == shop.receiver.calls[0].headers["webhook-id"]
    )
    assert find_delivery(again, shop.key).state is DeliveryState.DELIVERED


def test_a_try_that_the_end_of_the_server_interrupts_counts(shop: Shop) -> None:
    shop.finish()
    for _ in range(TRIES):
        assert claim_delivery(shop.opened.database, shop.clock.now) is not None
        assert claim_delivery(shop.opened.database, shop.clock.now) is None  # its lease holds
        shop.clock.advance(minutes=1)
    shop.sweep()
    assert shop.receiver.calls == []
    found = shop.find_delivery()
    assert (found.state, found.outcome) == (DeliveryState.FAILED, Trouble.INTERRUPTED)


def test_a_delivery_is_sent_again_on_request(shop: Shop) -> None:
    task = shop.finish()
    hooks = shop.opened.services.act_as(COMMAND_LINE).hooks
    shop.sweep()
    hooks.replay(LOCAL_ACCOUNT, shop.key.prefix, task.task_id)
    [entry] = shop.opened.services.audit_log.list()
    assert (entry.event, entry.subject) == ("hook_replayed", task.task_id)
    shop.sweep()
    assert [call.verify(shop.secret)["type"] for call in shop.receiver.calls] == [
        "task.completed"
    ] * 2
    assert shop.find_delivery().attempt == 2
    with pytest.raises(BadField):
        hooks.replay(LOCAL_ACCOUNT, shop.key.prefix, "0")


def test_a_request_to_send_again_outlives_the_try_under_way(shop: Shop) -> None:
    shop.receiver.answer = answer_status(503)
    task = shop.finish()
    for wait in TRY_WAITS:
        shop.sweep()
        shop.clock.now += wait

    def send_again(handler: BaseHTTPRequestHandler) -> None:
        shop.opened.services.hooks.replay(LOCAL_ACCOUNT, shop.key.prefix, task.task_id)
        shop.receiver.answer = answer_status(204)
        answer_status(503)(handler)

    shop.receiver.answer = send_again
    shop.sweep()
    shop.sweep()
    assert shop.find_delivery().state is DeliveryState.DELIVERED
    assert len(shop.receiver.calls) == TRIES + 1


def test_a_backlog_of_one_key_does_not_hold_up_another(shop: Shop) -> None:
    other, _ = shop.opened.services.keys.create(LOCAL_ACCOUNT, "other", KeyType.LIVE)
    with receive() as quick:
        shop.opened.services.hooks.set_url(LOCAL_ACCOUNT, other.prefix, quick.url)

        def take_long(handler: BaseHTTPRequestHandler) -> None:
            if len(shop.receiver.calls) == 1:
                shop.clock.advance(seconds=10)
                finish(shop.opened, other)
            answer_status(204)(handler)

        shop.receiver.answer = take_long
        shop.finish()
        shop.finish()
        shop.sweep()
        assert (len(shop.receiver.calls), len(quick.calls)) == (1, 0)
        shop.sweep()
        assert (len(shop.receiver.calls), len(quick.calls)) == (2, 1)


def test_saving_again_ends_the_former_secret(shop: Shop) -> None:
    newer = shop.opened.services.hooks.set_url(LOCAL_ACCOUNT, shop.key.prefix, shop.receiver.url)
    assert newer is not None
    shop.deliver()
    assert shop.receiver.calls[0].verify(newer)
    with pytest.raises(WebhookVerificationError):
        shop.receiver.calls[0].verify(shop.secret)


def test_revoked_keys_leave_no_url(shop: Shop) -> None:
    services = shop.opened.services
    services.people.add("ana", Role.ADMIN, None)
    services.people.add("bo", Role.MEMBER, None)
    acting = services.act_as(Identity(LOCAL_ACCOUNT, "bo", Role.MEMBER))
    own, _ = acting.keys.create(LOCAL_ACCOUNT, "own", KeyType.LIVE)
    acting.hooks.set_url(LOCAL_ACCOUNT, own.prefix, "https://shop.example/")
    services.keys.revoke("other", shop.key.prefix)
    assert len(shop.opened.database.fetch(select(hooks))) == 2
    services.keys.revoke(LOCAL_ACCOUNT, shop.key.prefix)
    assert [row.prefix for row in shop.opened.database.fetch(select(hooks))] == [own.prefix]
    services.people.remove("bo")
    assert shop.opened.database.fetch(select(hooks)) == []


def test_off_until_it_is_switched_on(shop: Shop) -> None:
    shop.opened.services.network.turn("hooks", False)
    shop.deliver()
    assert shop.receiver.calls == []
    assert shop.find_delivery().state is DeliveryState.WAITING
    shop.opened.services.network.turn("hooks", True)
    shop.sweep()
    assert len(shop.receiver.calls) == 1
    assert shop.opened.services.network_status == "hooks on: 1 call today, no addresses"


def test_the_setting_locks_it(open_application: OpenApplication) -> None:
    services = open_application(network=frozenset({"dns"})).services
    with pytest.raises(BadField, match="switched off"):
        services.network.turn("hooks", True)
    assert not services.network.is_on("hooks")


def test_nothing_is_called_after_a_removal_a_revocation_or_a_deletion(
    opened: Application, clock: Clock, receiver: Receiver
) -> None:
    services, keys = opened.services, []
    for name in ("removed", "revoked", "deleted"):
        key, _ = services.keys.create(LOCAL_ACCOUNT, name, KeyType.LIVE)
        services.hooks.set_url(LOCAL_ACCOUNT, key.prefix, receiver.url)
        task = finish(opened, key)
        keys.append(key)
    assert services.hooks.set_url(LOCAL_ACCOUNT, keys[0].prefix, "") is None
    services.tasks.delete(LOCAL_ACCOUNT, task.task_id)
    services.keys.revoke(LOCAL_ACCOUNT, keys[1].prefix)
    sweep(opened, clock)
    assert receiver.calls == []
    assert find_delivery(opened, keys[0]).outcome == Trouble.NO_HOOK
    assert services.hooks.list_deliveries(LOCAL_ACCOUNT, keys[2].prefix) == ()
    with pytest.raises(BadField):
        services.hooks.find_url(LOCAL_ACCOUNT, keys[1].prefix)


def test_a_deleted_list_is_told_only_once_it_is_back(shop: Shop) -> None:
    task = shop.finish()
    shop.opened.services.deletions.delete(LOCAL_ACCOUNT, [task.task_id])
    shop.sweep()
    assert shop.receiver.calls == []
    shop.opened.services.deletions.undo(LOCAL_ACCOUNT, [task.task_id])
    shop.sweep()
    assert [call.verify(shop.secret)["type"] for call in shop.receiver.calls] == ["task.completed"]


def test_members_reach_the_hooks_of_their_own_keys_only(opened: Application) -> None:
    services = opened.services
    services.people.add("ana", Role.ADMIN, None)
    services.people.add("bo", Role.MEMBER, None)
    foreign, _ = services.keys.create(LOCAL_ACCOUNT, "of the account", KeyType.LIVE)
    acting = services.act_as(Identity(LOCAL_ACCOUNT, "bo", Role.MEMBER))
    own, _ = acting.keys.create(LOCAL_ACCOUNT, "own", KeyType.LIVE)
    assert acting.hooks.set_url(LOCAL_ACCOUNT, own.prefix, "https://shop.example/")
    with pytest.raises(BadField):
        acting.hooks.set_url(LOCAL_ACCOUNT, foreign.prefix, "https://shop.example/")
    with pytest.raises(BadField):
        services.act_as(COMMAND_LINE).hooks.find_url("other", own.prefix)
    entries = services.audit_log.list()
    assert [one.subject for one in entries if one.event == "hook_changed"] == [own.prefix]


def test_an_endless_body_is_not_read(shop: Shop) -> None:
    sent: list[int] = []

    def flood(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        handler.close_connection = True
        while True:
            sent.append(handler.wfile.write(bytes(65_536)))

    shop.receiver.answer = flood
    shop.deliver()
    assert shop.find_delivery().state is DeliveryState.DELIVERED
    assert len(sent) < 1000


def send_endless_headers(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        handler.wfile.write(b"X: " + b"a" * 8000 + b"\r\n")


def send_no_http(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"\x00\xff\r\n\r\n")
    handler.close_connection = True


def hang_up(handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (send_endless_headers, Trouble.BAD_ANSWER),
        (send_no_http, Trouble.BAD_ANSWER),
        (hang_up, Trouble.BAD_ANSWER),
        pytest.param(answer_status(307, Location="/elsewhere"), "307", id="redirect"),
    ],
)
def test_a_bad_answer_is_not_followed_and_tried_again(
    shop: Shop, answer: Answer, outcome: str
) -> None:
    shop.receiver.answer = answer
    shop.deliver()
    found = shop.find_delivery()
    assert (found.state, found.outcome) == (DeliveryState.WAITING, outcome)
    assert [call.path for call in shop.receiver.calls] == ["/winnow?source=a"]


@pytest.mark.slow
def test_a_slow_receiver_is_left_and_holds_up_no_other(shop: Shop) -> None:
    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while not shop.receiver.is_over.wait(0.2):
            handler.wfile.write(b"X: a\r\n")

    shop.receiver.answer = drip
    other, _ = shop.opened.services.keys.create(LOCAL_ACCOUNT, "other", KeyType.LIVE)
    with receive() as quick:
        shop.opened.services.hooks.set_url(LOCAL_ACCOUNT, other.prefix, quick.url)
        shop.finish()
        finish(shop.opened, other)
        shop.sweep()
        assert len(quick.calls) == 1
    assert shop.find_delivery().outcome == Trouble.TIMEOUT


def test_nothing_listens(opened: Application, clock: Clock, key: ApiKey) -> None:
    with receive() as gone:
        url = gone.url
    assert deliver(opened, clock, key, url).outcome == Trouble.NO_CONNECTION


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


def open_with_names(
    tmp_path: Path, clock: Clock, names: NamesTable, *networks: str
) -> tuple[Application, ApiKey]:
    opened = open_test_application(
        tmp_path,
        clock,
        open_hook_client=lambda: HookClient(networks, names),
        hook_networks=networks,
    )
    opened.services.network.turn("hooks", True)
    return opened, opened.services.keys.create(LOCAL_ACCOUNT, "shop", KeyType.LIVE)[0]


@pytest.mark.parametrize("name", ["rebinding.example", "xn--fa-hia.example"])
def test_a_name_is_resolved_once_and_that_address_is_called(
    tmp_path: Path, clock: Clock, receiver: Receiver, name: str
) -> None:
    names = NamesTable(("127.0.0.1",), ("10.0.0.1",))
    opened, key = open_with_names(tmp_path, clock, names, "127.0.0.0/8")
    found = deliver(opened, clock, key, f"http://{name}:{receiver.port}/")
    assert names.asked == [name]
    assert receiver.calls[0].headers["Host"] == f"{name}:{receiver.port}"
    assert found.state is DeliveryState.DELIVERED


@pytest.mark.parametrize(
    ("url", "answer", "outcome"),
    [
        ("https://shop.example/", ("10.0.0.1",), Trouble.NOT_ALLOWED),
        ("https://shop.example/", ("8.8.8.8", "192.168.1.1"), Trouble.NOT_ALLOWED),
        ("https://shop.example/", ("169.254.169.254",), Trouble.NOT_ALLOWED),
        ("https://shop.example/", ("fe80::1%eth0",), Trouble.NOT_ALLOWED),
        ("https://shop.example/", None, Trouble.NO_NAME),
    ],
)
def test_a_name_must_not_lead_into_a_private_network(
    tmp_path: Path, clock: Clock, url: str, answer: tuple[str, ...] | None, outcome: Trouble
) -> None:
    names = NamesTable(*(() if answer is None else (answer,)))
    opened, key = open_with_names(tmp_path, clock, names)
    assert deliver(opened, clock, key, url).outcome == outcome


@pytest.mark.slow
def test_a_name_that_takes_long_to_resolve_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    is_over, ended = threading.Event(), list[bool]()

    def resolve(*_: object, **__: object) -> None:
        ended.append(is_over.wait(30))
        raise OSError

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    outcome = asyncio.run(HookClient(()).post("https://shop.example/", b"", {}))
    assert (outcome, ended) == (Trouble.TIMEOUT, [])
    is_over.set()


def test_the_next_address_is_called_where_one_does_not_answer(
    tmp_path: Path, clock: Clock, receiver: Receiver
) -> None:
    opened, key = open_with_names(tmp_path, clock, NamesTable(("::1", "127.0.0.1")))
    deliver(opened, clock, key, f"http://localhost:{receiver.port}/")
    assert len(receiver.calls) == 1


def make_context(folder: Path, name: str) -> Any:
    import ssl

    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
            *("-keyout", folder / "key", "-out", folder / "certificate"),
            *("-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}"),
        ],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "certificate", folder / "key")
    return context


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
    tmp_path: Path,
    clock: Clock,
    name: str,
    host: str,
    state: DeliveryState,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    context = make_context(tmp_path, name)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate"))
    opened, key = open_with_names(tmp_path, clock, NamesTable(("127.0.0.1",)))
    with receive(context) as receiver:
        found = deliver(opened, clock, key, f"https://{host}:{receiver.port}/")
    assert found.state is state


@pytest.mark.parametrize(
    ("scheme", "address", "networks", "may"),
    [
        ("https", "8.8.8.8", (), True),
        ("http", "8.8.8.8", (), False),
        ("https", "2606:4700::1111", (), True),
        ("http", "127.0.0.1", (), True),
        ("http", "::1", (), True),
        ("http", "::ffff:127.0.0.1", (), True),
        ("http", "64:ff9b::7f00:1", (), False),
        ("http", "2002:7f00:1::1", (), False),
        ("https", "10.1.2.3", (), False),
        ("https", "::ffff:10.1.2.3", (), False),
        ("https", "64:ff9b::a01:203", (), False),
        ("https", "2002:a01:203::1", (), False),
        ("https", "::10.1.2.3", (), False),
        ("https", "fec0::1", (), False),
        ("https", "fd00::1", (), False),
        ("https", "100.64.0.1", (), False),
        ("https", "0.0.0.0", (), False),  # noqa: S104
        ("https", "224.0.0.1", (), False),
        ("https", "ff0e::1", (), False),
        ("https", "169.254.169.254", ("10.0.0.0/8",), False),
        ("http", "10.1.2.3", ("10.0.0.0/8",), True),
        ("http", "fd00::1", ("10.0.0.0/8", "fd00::/8"), True),
    ],
)
def test_addresses_that_may_be_called(
    scheme: str, address: str, networks: tuple[str, ...], may: bool
) -> None:
    assert may_call(scheme, address, networks) is may


def test_urls_that_cannot_be_set(opened: Application, key: ApiKey) -> None:
    for url in (
        *("shop.example", "ftp://shop.example/", "https://", "https:///path", "http://["),
        *("https://ana:geheim@shop.example/", "https://shop.example/#part"),
        *("http://shop.example/", "http://8.8.8.8/", "https://10.0.0.1/", "https://[fe80::1]/"),
        *("https://shop.example:99999/", "https://shöp.example/", "https://shop.example/a b"),
        *("https://shop.example/\r\nX: 1", "https://shop.example/\0", "https://x/" + "a" * 2000),
        "javascript:alert(1)",
    ):
        with pytest.raises(BadField):
            opened.services.hooks.set_url(LOCAL_ACCOUNT, key.prefix, url)
        assert opened.services.hooks.find_url(LOCAL_ACCOUNT, key.prefix) is None, url


def test_no_log_line_has_the_url_or_the_secret(
    shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        shop.finish()
        shop.sweep()
    assert "hook of task" in caplog.text
    assert "source=a" not in caplog.text
    assert shop.secret not in caplog.text
