"""What servers tell: the reviewed files, and what was seen at a host."""

from importlib.resources import files

import pytest

from winnow.network.dns.mail_route import HOST_NAME
from winnow.network.dns.mail_servers import MailServers

DATA = files("winnow.network.dns") / "data"
HEAD = ("# name: ", "# source: ", "# date: ", "# licence: ", "# about: ")
SERVERS = MailServers.read()


def read_lines(name: str) -> list[list[str]]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


@pytest.mark.parametrize(
    ("name", "columns"),
    [("disposable_mail_hosts.tsv", 2), ("parking_hosts.tsv", 4), ("shared_hosts.tsv", 2)],
)
def test_a_reviewed_file_says_where_each_line_comes_from(name: str, columns: int) -> None:
    head = (DATA / name).read_text(encoding="utf-8").splitlines()[: len(HEAD)]
    assert [line.startswith(said) for line, said in zip(head, HEAD, strict=True)] == [True] * 5
    lines = read_lines(name)
    assert all(len(cells) == columns and all(map(str.strip, cells)) for cells in lines)
    hosts = [tuple(cells[:-1][:2]) for cells in lines]
    assert len(set(hosts)) == len(hosts)
    for cells in lines:
        host = cells[0] if columns == 2 else cells[1]
        assert HOST_NAME.match(host)
        assert columns == 2 or cells[0] in {"mx", "ns"}


def test_no_host_stands_on_two_sides() -> None:
    for host, _ in read_lines("disposable_mail_hosts.tsv"):
        assert not SERVERS.is_shared(host)
        assert SERVERS.find_parking([host]) is None


@pytest.mark.parametrize(
    "host",
    [
        "aspmx.l.google.com",
        "alt1.aspmx.l.google.com",
        "smtp.google.com",
        "firm-example.mail.protection.outlook.com",
        "eforward1.registrar-servers.com",
        "mx1.timeweb.ru",
        "publicms1.mail2world.com",
        "mx00.ionos.com",
        "park-mx.above.com",
    ],
)
def test_providers_hosters_registrars_and_parking_are_never_evidence(host: str) -> None:
    served = {host: (500, 0), "192.0.2.1": (500, 0)}
    servers = SERVERS.list_servers([host], {host: ("192.0.2.1",)})
    assert SERVERS.find_disposable(servers, served) is None


@pytest.mark.parametrize(
    "host", ["mx4.beavis99.com", "aero4.unstablemail.com", "mx.dropmail.me", "smtp.yopmail.com"]
)
def test_hosts_named_in_public_are_known_from_the_start(host: str) -> None:
    assert SERVERS.find_disposable([host], {}) == host
    assert SERVERS.find_disposable([f"{host}.firm.example"], {}) is None
    seen = {host: (50, 1)}
    assert SERVERS.find_disposable([host], seen) is None, "a known honest domain clears it"


@pytest.mark.parametrize(
    ("served", "is_disposable"),
    [
        pytest.param((9, 0), False, id="nine-are-too-few"),
        pytest.param((10, 0), True, id="ten-are-enough"),
        pytest.param((1000, 1), False, id="one-honest-clears"),
    ],
)
def test_a_host_is_judged_by_the_known_domains_there(
    served: tuple[int, int], is_disposable: bool
) -> None:
    found = SERVERS.find_disposable(["mx.x.example"], {"mx.x.example": served})
    assert (found is not None) is is_disposable


def test_parked_names_are_told_by_mail_host_and_name_server() -> None:
    assert SERVERS.find_parking(["park-mx.above.com"]) == "park-mx.above.com"
    assert SERVERS.find_parking([], ["ns1.sedoparking.com"]) == "ns1.sedoparking.com"
    assert SERVERS.find_parking(["mx.above.example"], ["ns1.dns-parking.com"]) is None
