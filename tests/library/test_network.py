"""DNS asked by the library: only where it is opened, and for domains only."""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest

import winnow
from tests.network.name_server import NameServer
from tests.network.static_answers import StaticResolver
from tests.network.test_resolver import answer_by_table
from winnow.core.errors import BadField
from winnow.core.network_answers import ADDRESS
from winnow.core.tasks.task import Phase, Progress
from winnow.core.verdicts.facts import DnsAnswer, MailRoute
from winnow.domain_data.look_up.look_up import Knowledge
from winnow.library import checkers, clean_file, open_network
from winnow.library.open_network import NetworkWarning, OpenNetwork
from winnow.network.dns import health_probe

PROJECT = Path(__file__).resolve().parents[2]
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
MX = DnsAnswer(MailRoute.MX, ("mx.firm-of-ana.com",), 3600)
MAIL = {"firm-of-ana.com": MX, "gone-for-good.com": DnsAnswer(MailRoute.NOT_FOUND, (), 3600)}
VALUES = ["ana@firm-of-ana.com", "bo@gone-for-good.com", None, "no address", "cy@Firm-of-Ana.com"]


@pytest.fixture(autouse=True)
def real_data(knowledge: Knowledge, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real domain data, without the analyst's cache folder."""
    for module in (checkers, clean_file, open_network):
        monkeypatch.setattr(module, "open_domain_data", lambda: knowledge)


@pytest.fixture
def resolver() -> StaticResolver:
    return StaticResolver(MAIL, {"mx.firm-of-ana.com": DnsAnswer(ADDRESS, ("192.0.2.7",), 3600)})


@pytest.fixture
def network(knowledge: Knowledge, resolver: StaticResolver) -> OpenNetwork:
    return OpenNetwork(knowledge, resolver, clock=lambda: NOW)


def describe(answers: object) -> list[object]:
    assert isinstance(answers, list)
    return [one and (one.category.value, one.reasons) for one in answers]


def test_values_columns_and_files_are_judged_by_what_dns_says(
    network: OpenNetwork, resolver: StaticResolver, tmp_path: Path
) -> None:
    answers = winnow.check_column(VALUES, network=network)
    assert [one and one.category.value for one in answers] == [
        "white", "black", None, "black", "white",
    ]  # fmt: skip
    assert "domain_not_found" in answers[1].reasons
    assert "domain_not_found" in [one.reason for one in answers[1].evidence]
    assert resolver.asked[:2] == ["firm-of-ana.com", "gone-for-good.com"]
    assert set(resolver.asked) == {*MAIL, "mx.firm-of-ana.com"}
    asked = len(resolver.asked)
    singles = [value and winnow.check(value, network=network) for value in VALUES]
    assert describe(singles) == describe(answers)
    table = winnow.check_column(pa.array(VALUES), network=network)
    assert table["category"].to_pylist() == [one and one.category.value for one in answers]
    source, out = tmp_path / "list.csv", tmp_path / "out.csv"
    source.write_text("email\n" + "\n".join(value or "-" for value in VALUES) + "\n")
    winnow.clean(source, out, deduplicate=False, network=network)
    assert [line.split(",")[1] for line in out.read_text().splitlines()[1:]] == [
        "white", "black", "black", "black", "white",
    ]  # fmt: skip
    assert len(resolver.asked) == asked  # remembered
    assert network.notes[0].startswith("Sent to the network: 2 domains to your resolver")


def test_answers_that_hold_no_longer_are_asked_again(
    knowledge: Knowledge, resolver: StaticResolver
) -> None:
    now = [NOW]
    network = OpenNetwork(knowledge, resolver, clock=lambda: now[0])
    for passed, count in ((0, 1), (3599, 1), (3600, 2)):
        now[0] = NOW + timedelta(seconds=passed)
        winnow.check_column(["bo@gone-for-good.com"], network=network)
        assert resolver.asked.count("gone-for-good.com") == count


@pytest.mark.slow
def test_without_a_network_nobody_is_asked(tmp_path: Path) -> None:
    """No socket is made, and what asks is not so much as imported."""
    code = f"""
import sys
def refuse(event, arguments):
    if event.startswith("socket.") and event != "socket.gethostname":
        raise SystemExit(event)
sys.addaudithook(refuse)
import winnow
winnow.check("ana@no-such-domain-of-ours.com")
winnow.check_column(["ana@no-such-domain-of-ours.com"])
open({str(tmp_path / "list.csv")!r}, "w").write("email\\nana@no-such-domain-of-ours.com\\n")
winnow.clean({str(tmp_path / "list.csv")!r}, {str(tmp_path / "out.csv")!r})
print([name for name in ("pycares", "httpx", "asyncio") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.fixture
def name_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[NameServer]:
    monkeypatch.setattr(health_probe, "PROBE_SECONDS", 30.0)  # however busy the machine is
    with NameServer(answer_by_table) as server:
        yield server


def test_a_real_resolver_is_told_domains_only(name_server: NameServer) -> None:
    network = winnow.open_network(dns_servers=[name_server.address])
    answers = winnow.check_column(
        ["secret.name@gone.example", "other@null.example", "x@mx.example"], network=network
    )
    assert [one.category.value for one in answers[:2]] == ["black", "black"]
    said = " ".join(name_server.asked)
    assert "gone.example" in said
    assert not re.search("secret|other|@", said)


@pytest.mark.slow
def test_a_network_that_cannot_be_reached_leaves_the_verdicts_and_says_so(
    tmp_path: Path, knowledge: Knowledge
) -> None:
    values = ["ana@firm-of-ana.com", "x@mailinator.com", "a@gmail.com"]
    offline = winnow.check_column(values)
    with NameServer(lambda name, kind: None) as server:
        network = winnow.open_network(dns_servers=[server.address], budget_seconds=2.0)
        with pytest.warns(NetworkWarning, match="few answers, or none: for 0 of 3"):
            answers = winnow.check_column(values, network=network)
        single = winnow.check(values[0], network=network)
        source, out = tmp_path / "list.csv", tmp_path / "out.csv"
        source.write_text("email\nana@firm-of-ana.com\n")
        with pytest.warns(NetworkWarning, match="few answers, or none"):
            winnow.clean(source, out, network=network)
    for answer, before in zip(answers, offline, strict=True):
        assert (answer.category, answer.domain_type) == (before.category, before.domain_type)
    assert "mail_unknown" in answers[0].reasons
    assert "mail_unknown" in single.reasons
    assert out.read_text().splitlines()[1].split(",")[1] == offline[0].category.value
    assert any("few answers, or none" in note for note in network.notes)


def test_progress_tells_of_the_look_ups_and_may_end_them(
    network: OpenNetwork, tmp_path: Path
) -> None:
    source, out = tmp_path / "list.csv", tmp_path / "out.csv"
    source.write_text("email\nana@firm-of-ana.com\nbo@gone-for-good.com\n")
    told: list[Progress] = []
    winnow.clean(source, out, network=network, progress=told.append)
    assert Phase.LOOKING_UP in {one.phase for one in told}
    out.unlink()

    def stop(progress: Progress) -> None:
        if progress.phase is Phase.LOOKING_UP:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        winnow.clean(source, out, network=network, progress=stop)
    assert [path.name for path in tmp_path.iterdir()] == ["list.csv"]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        pytest.param({"dns_servers": "192.0.2.1"}, "one text", id="one-text"),
        pytest.param({"dns_servers": ["dns.example"]}, "addresses", id="a-name"),
    ],
)
def test_what_cannot_be_asked_is_refused(options: dict[str, object], problem: str) -> None:
    with pytest.raises(BadField, match=problem):
        winnow.open_network(**options)  # type: ignore[arg-type]


def test_a_package_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_network, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match="pip install 'pycares") as caught:
        winnow.open_network()
    requirement = str(caught.value).partition("pip install '")[2].rstrip("'")
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    assert requirement in project["dependencies"]
