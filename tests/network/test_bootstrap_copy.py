"""IANA's bootstrap file: what is taken from it, what is refused, which copy counts."""

import asyncio
import json
from pathlib import Path

import pytest

from tests.applications import Clock
from tests.network.rdap_site import BOOTSTRAP_PATH, RdapSite, make_bootstrap, open_plain_client
from tests.web_site import Answer, send, send_json, send_status
from winnow.network.rdap.bootstrap import Bootstrap, BootstrapCopy, parse_bootstrap
from winnow.network.web import BadAnswer, is_public_https

REGISTRY = "https://rdap.registry.example/v1/"


def parse(content: object) -> Bootstrap:
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    return parse_bootstrap(data, is_safe=is_public_https)


def renew(copy: BootstrapCopy) -> Bootstrap | None:
    async def run() -> Bootstrap | None:
        async with open_plain_client() as client:
            return await copy.renew(client)

    return asyncio.run(run())


def test_the_longest_suffix_answers() -> None:
    content = make_bootstrap(REGISTRY)
    content["services"].append([["co.com"], ["https://rdap.other.example/"]])
    bootstrap = parse(content)
    assert bootstrap.find_address("kurz.com") == REGISTRY
    assert bootstrap.find_address("kurz.co.com") == "https://rdap.other.example/"
    assert bootstrap.find_address("kurz.nowhere") is None


@pytest.mark.parametrize(
    "address",
    [
        "http://rdap.example.com/",
        "https://rdap.example.com",  # RFC 9224, 3: it ends in a slash
        "https://192.0.2.1/",
        "https://[2001:db8::1]/",
        "https://localhost/",
        "https://user@rdap.example.com/",
        "https://rdap.example.com/?x=/",
        "ftp://rdap.example.com/",
        "https://[::1/",
        7,
    ],
)
def test_servers_at_odd_addresses_are_left_out(address: object) -> None:
    content = make_bootstrap(REGISTRY)
    content["services"].append([["odd"], [address]])
    content["services"].append([["even"], [address, REGISTRY]])
    bootstrap = parse(content)
    assert bootstrap.find_address("kurz.odd") is None
    assert bootstrap.find_address("kurz.even") == REGISTRY


@pytest.mark.parametrize(
    "content",
    [
        pytest.param([], id="a-list"),
        pytest.param({"version": "2.0", "services": []}, id="another-version"),
        pytest.param({"version": "1.0"}, id="no-services"),
        pytest.param({"version": "1.0", "services": [[["com"]]]}, id="another-form"),
        pytest.param(make_bootstrap(REGISTRY, suffixes=10), id="a-tenth-of-the-size"),
        pytest.param(make_bootstrap("http://rdap.example.com/"), id="no-https"),
        pytest.param(
            {"version": "1.0", "services": [[["com", "not a suffix"], [REGISTRY]]]},
            id="no-suffix",
        ),
        *(b"<html>", b"", b"[" * 100_000, b"\xff"),
    ],
)
def test_what_is_no_bootstrap_file_is_refused(content: object) -> None:
    with pytest.raises(BadAnswer):
        parse(content)


def test_a_copy_is_kept_and_fetched_again_when_it_is_old(site: RdapSite, clock: Clock) -> None:
    copy = site.open_copy()
    assert copy.read() is None
    assert renew(copy) is not None
    clock.advance(days=6)
    assert renew(copy) == site.open_copy().read()
    assert site.asked[BOOTSTRAP_PATH] == 1
    clock.advance(days=2)
    renew(copy)
    renew(site.open_copy())
    assert site.asked[BOOTSTRAP_PATH] == 2


@pytest.mark.parametrize(
    "answer",
    [
        send_status(503),
        send(b"<html>Sign in</html>"),
        send_json(make_bootstrap("http://127.0.0.1/", suffixes=10)),
    ],
)
def test_the_last_good_copy_counts_while_no_better_one_comes(
    site: RdapSite, clock: Clock, answer: Answer
) -> None:
    first = renew(site.open_copy())
    site.answers[BOOTSTRAP_PATH] = answer
    clock.advance(days=30)
    copy = site.open_copy()
    assert renew(copy) == first
    assert renew(copy) == first
    assert site.asked[BOOTSTRAP_PATH] == 2  # the second failure has to wait for its time
    clock.advance(minutes=11)
    renew(copy)
    assert site.asked[BOOTSTRAP_PATH] == 3


@pytest.mark.parametrize("text", ["", "{}", '{"fetched_at": "x"}', "[]", "\0"])
def test_a_broken_copy_is_fetched_again(site: RdapSite, tmp_path: Path, text: str) -> None:
    (tmp_path / "rdap").mkdir()
    (tmp_path / "rdap" / "dns.json").write_text(text)
    copy = site.open_copy()
    assert copy.read() is None
    assert renew(copy) is not None


def test_another_process_s_copy_counts_at_once(site: RdapSite) -> None:
    ours, theirs = (site.open_copy() for _ in range(2))
    assert ours.read() is None
    renew(theirs)
    assert ours.read() is not None
