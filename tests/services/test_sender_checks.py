"""A sending domain's check from question to finding, against a name server of our own."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.applications import Clock, open_test_application
from tests.core.test_sender import make_rsa
from tests.network.name_server import Answer, NameServer
from winnow.cli.commands import main
from winnow.core.errors import BadField
from winnow.core.sender.findings import Area, Level, SenderReport
from winnow.network.dns.dkim_selectors import read_selectors
from winnow.network.dns.resolver import DnsResolver
from winnow.services.sender_checks import read_domain
from winnow.wiring import Application

LONG_KEY = f"v=DKIM1; k=rsa; p={make_rsa(4096)}"  # three strings of 255 octets
RECORDED: dict[tuple[str, str], list[tuple[str, str, str]]] = {
    ("shop.example", "MX"): [("shop.example", "MX", "10 mx.shop.example")],
    ("mx.shop.example", "A"): [("mx.shop.example", "A", "192.0.2.10")],
    ("shop.example", "TXT"): [
        ("shop.example", "TXT", "v=spf1 include:_spf.mail.example mx -all"),
        ("shop.example", "TXT", "some-service-verification=1"),
    ],
    ("_spf.mail.example", "TXT"): [
        ("_spf.mail.example", "TXT", "v=spf1 include:_more.mail.example a:out.mail.example -all")
    ],
    ("_more.mail.example", "TXT"): [("_more.mail.example", "TXT", "v=spf1 ip4:192.0.2.0/24 -all")],
    ("out.mail.example", "A"): [("out.mail.example", "A", "192.0.2.11")],
    ("s1._domainkey.shop.example", "TXT"): [
        ("s1._domainkey.shop.example", "CNAME", "k.mail.example"),
        ("k.mail.example", "TXT", LONG_KEY),
    ],
    ("own._domainkey.shop.example", "TXT"): [
        ("own._domainkey.shop.example", "TXT", f"v=DKIM1; p={make_rsa(1024)}")
    ],
    ("_dmarc.shop.example", "TXT"): [
        ("_dmarc.shop.example", "TXT", "v=DMARC1; p=reject; rua=mailto:d@reports.example")
    ],
    ("shop.example._report._dmarc.reports.example", "TXT"): [
        ("shop.example._report._dmarc.reports.example", "TXT", "v=DMARC1")
    ],
    ("bare.example", "MX"): [("bare.example", "MX", "10 mx.shop.example")],
}
EXISTING = {name for name, _ in RECORDED}


def answer(name: str, kind: str) -> Answer | None:
    if name.startswith("silent.") or name.endswith(".silent.example"):
        return None
    if (name, kind) in RECORDED:
        return 0, RECORDED[name, kind]
    return (0 if name in EXISTING else 3), []


@pytest.fixture(scope="module")
def name_server() -> Iterator[NameServer]:
    with NameServer(answer) as running:
        yield running


@pytest.fixture
def asking(tmp_path: Path, name_server: NameServer) -> Iterator[Application]:
    resolver = DnsResolver([name_server.address])
    opened = open_test_application(tmp_path, Clock(), resolver)
    opened.services.network.turn("dns", True)
    yield opened
    opened.database.close()


def read_codes(report: SenderReport) -> dict[Area, dict[str, Level]]:
    return {
        area.area: {finding.code: finding.level for finding in area.findings}
        for area in report.areas
    }


def test_all_is_well(asking: Application) -> None:
    report = asking.services.sender_checks.check(["News ", "news@Shop.Example>"][1][:-1])
    assert read_codes(report) == {
        Area.SPF: {"spf": "good"},
        Area.DKIM: {"dkim": "good"},
        Area.DMARC: {"dmarc": "good"},
        Area.MX: {"mx": "good"},
    }
    dkim = next(area for area in report.areas if area.area is Area.DKIM)
    (record,) = dkim.records
    assert record.value == LONG_KEY, "strings are put together, aliases followed"
    assert (report.domain, report.level) == ("shop.example", Level.GOOD)


def test_selectors_that_are_given_are_asked(asking: Application) -> None:
    report = asking.services.sender_checks.check("shop.example", ["OWN", "other"])
    assert read_codes(report)[Area.DKIM] == {
        "dkim_below_advised": "advice",
        "dkim_missing": "problem",
        "dkim": "good",
    }


def test_domain_with_nothing_set(asking: Application) -> None:
    report = asking.services.sender_checks.check("bare.example")
    assert read_codes(report) == {
        Area.SPF: {"spf_missing": "problem"},
        Area.DKIM: {"dkim_not_found": "unknown"},
        Area.DMARC: {"dmarc_missing": "problem"},
        Area.MX: {"mx": "good"},
    }


def test_domain_that_does_not_exist_is_asked_for_nothing_more(
    asking: Application, name_server: NameServer
) -> None:
    report = asking.services.sender_checks.check("gone.example")
    assert read_codes(report) == {Area.MX: {"domain_not_found": "problem"}}
    assert not any(name.endswith("._domainkey.gone.example") for name in name_server.asked)


def test_silence_is_no_answer_and_never_missing(tmp_path: Path) -> None:
    with NameServer(lambda name, kind: None) as silent:
        opened = open_test_application(tmp_path, Clock(), DnsResolver([silent.address]))
        opened.services.network.turn("dns", True)
        codes = read_codes(opened.services.sender_checks.check("shop.example"))
        assert codes == {
            Area.SPF: {"spf_no_answer": "unknown"},
            Area.DKIM: {"dkim_no_answer": "unknown"},
            Area.DMARC: {"dmarc_no_answer": "unknown"},
            Area.MX: {"mx_no_answer": "unknown"},
        }
        opened.database.close()


def test_what_is_asked_is_counted_in_domains(asking: Application) -> None:
    asking.services.sender_checks.check("shop.example")
    # The domain; that of its SPF record's parts, asked in three rounds; the one that gets reports.
    counted = "DNS on: 3 domains asked today, no addresses"
    assert asking.services.network_status == counted


def test_nothing_is_asked_while_dns_is_off(opened: Application) -> None:
    with pytest.raises(BadField, match="is off") as refused:
        opened.services.sender_checks.check("shop.example")
    assert "Network" in str(refused.value.hint)


@pytest.mark.parametrize(
    ("text", "domain"),
    [
        (" Shop.Example. ", "shop.example"),
        ("news@shop.example", "shop.example"),
        ("https://shop.example/start", "shop.example"),
        ("müller.example", "xn--mller-kva.example"),
    ],
)
def test_domain_is_what_the_person_means(text: str, domain: str) -> None:
    assert read_domain(text) == domain


@pytest.mark.parametrize(
    "text",
    ["", " ", "@", "shop", "a..example", "x" * 70 + ".example", "a b.example", "\0.de", "%0a"],
)
def test_what_is_no_domain_is_refused(text: str) -> None:
    with pytest.raises(BadField, match="is not a domain"):
        read_domain(text)


@pytest.mark.parametrize(
    "selectors", [["a b"], ["-"], ["x" * 200], ["ä"], [f"s{n}" for n in range(11)]]
)
def test_what_is_no_selector_is_refused(asking: Application, selectors: list[str]) -> None:
    with pytest.raises(BadField, match="selector"):
        asking.services.sender_checks.check("shop.example", selectors)


def test_selectors_of_platforms_are_well_formed() -> None:
    known = read_selectors()
    assert len(known) > 30
    assert known["google"] == "Google Workspace"
    assert all(selector == selector.lower() and " " not in selector for selector in known)


def test_command_line(
    tmp_path: Path,
    name_server: NameServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("WINNOW_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("WINNOW_DNS_SERVERS", name_server.address)
    assert main(["sender", "shop.example"]) == 1
    refused = capsys.readouterr().err
    assert "dns: is off" in refused
    assert "Add --dns" in refused
    assert main(["sender", "shop.example", "--dns"]) == 0
    said = capsys.readouterr().out
    assert "set: shop.example  TXT  v=spf1 include:_spf.mail.example mx -all" in said
    assert main(["sender", "bare.example", "--dns", "--selector", "s9", "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    spf = answer["areas"][0]
    assert (spf["area"], spf["level"]) == ("spf", "problem")
    assert spf["findings"][0]["record"] == {
        "kind": "TXT",
        "name": "bare.example",
        "value": "v=spf1 mx ~all",
    }
