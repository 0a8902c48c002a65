"""What is said of a sending domain's records: a table of facts and findings."""

import base64
from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from winnow.core.sender.answers import SenderFacts, TextAnswer
from winnow.core.sender.dkim import KeyState, parse_key
from winnow.core.sender.dmarc import parse_dmarc
from winnow.core.sender.findings import Area, AreaReport, Level
from winnow.core.sender.judge_sender import judge_sender
from winnow.core.sender.spf import parse_spf, walk_spf
from winnow.core.verdicts.facts import HostAnswer, MailAnswer, MailRoute

NOW = datetime(2026, 11, 22, 9, 30, tzinfo=UTC)
DOMAIN = "shop.example"
MX = MailAnswer(MailRoute.MX, ("mx.shop.example",))


def look(
    texts: Mapping[str, object] | None = None,
    *,
    domain: str = DOMAIN,
    mail: MailAnswer = MX,
    hosts: Mapping[str, tuple[str, ...] | None] | None = None,
    given: tuple[str, ...] = (),
    known: Mapping[str, str] | None = None,
    silent: tuple[str, ...] = (),
    more_mail: Mapping[str, MailAnswer] | None = None,
) -> dict[Area, AreaReport]:
    """Judge a domain whose names have these texts; whatever else was asked has none."""
    given_texts = {
        name: (value,) if isinstance(value, str) else value for name, value in (texts or {}).items()
    }
    named = [f"{s}._domainkey.{domain}" for s in (*given, *(known or {}))]
    names = [domain, f"_dmarc.{domain}", "_dmarc.shop.example", *named]
    answers = {name: TextAnswer(()) for name in names}
    answers |= {name: TextAnswer(tuple(value)) for name, value in given_texts.items()}  # type: ignore[arg-type]
    answers |= dict.fromkeys(silent, TextAnswer(None))
    facts = SenderFacts(
        domain,
        DOMAIN,
        NOW,
        {domain: mail, **(more_mail or {})},
        {name: HostAnswer(found) for name, found in (hosts or {}).items()},
        answers,
        given,
        known or {},
    )
    return {area.area: area for area in judge_sender(facts).areas}


def codes(area: AreaReport) -> dict[str, Level]:
    return {finding.code: finding.level for finding in area.findings}


def mended(area: AreaReport, code: str) -> str:
    (record,) = [one.record for one in area.findings if one.code == code]
    assert record is not None
    assert record.kind == "TXT"
    return record.value


def chain(count: int) -> dict[str, object]:
    """Records that include one another, one after the other."""
    return {
        f"i{at}.example": f"v=spf1 include:i{at + 1}.example -all" for at in range(count - 1)
    } | {f"i{count - 1}.example": "v=spf1 ip4:192.0.2.1 -all"}


SPF = [
    pytest.param({}, {"spf_missing": "problem"}, id="none"),
    pytest.param({DOMAIN: "v=spf1 ip4:192.0.2.1 -all"}, {"spf": "good"}, id="one"),
    pytest.param({DOMAIN: "V=SPF1 IP4:192.0.2.1 -ALL"}, {"spf": "good"}, id="capitals"),
    pytest.param({DOMAIN: "v=spf1"}, {"spf_open": "advice", "spf": "good"}, id="nothing-in-it"),
    pytest.param({DOMAIN: "v=spf10 -all"}, {"spf_misspelt": "problem"}, id="another-version"),
    pytest.param({DOMAIN: '"v=spf1 -all"'}, {"spf_misspelt": "problem"}, id="quotes-typed-in"),
    pytest.param({DOMAIN: " v=spf1 -all"}, {"spf_misspelt": "problem"}, id="blank-first"),
    pytest.param({DOMAIN: ("other", "v=spf1 -all")}, {"spf": "good"}, id="beside-other-texts"),
    pytest.param(
        {DOMAIN: ("v=spf1 ip4:192.0.2.1 ~all", "v=spf1 a:w.example -all")},
        {"spf_several": "problem"},
        id="two",
    ),
    pytest.param({DOMAIN: "v=spf1 +all"}, {"spf_pass_all": "problem"}, id="everybody"),
    pytest.param({DOMAIN: "v=spf1 all"}, {"spf_pass_all": "problem"}, id="everybody-without-plus"),
    pytest.param({DOMAIN: "v=spf1 ?all"}, {"spf_neutral": "advice", "spf": "good"}, id="neutral"),
    pytest.param({DOMAIN: "v=spf1 ptr -all"}, {"spf_ptr": "advice", "spf": "good"}, id="ptr"),
    pytest.param({DOMAIN: "v=spf1 ipv4:192.0.2.1 -all"}, {"spf_unreadable": "problem"}, id="typo"),
    pytest.param({DOMAIN: "v=spf1 ip4:192.0.2 -all"}, {"spf_unreadable": "problem"}, id="network"),
    pytest.param({DOMAIN: "v=spf1 ip4:192.0.2.0/33 -all"}, {"spf_unreadable": "problem"}, id="33"),
    pytest.param({DOMAIN: "v=spf1 a/33 -all"}, {"spf_unreadable": "problem"}, id="a-33"),
    pytest.param(
        {DOMAIN: "v=spf1 mx:m.example//129 -all"}, {"spf_unreadable": "problem"}, id="129"
    ),
    pytest.param({DOMAIN: "v=spf1 exp= -all"}, {"spf_unreadable": "problem"}, id="empty-exp"),
    pytest.param({DOMAIN: "v=spf1 include: -all"}, {"spf_unreadable": "problem"}, id="no-domain"),
    pytest.param({DOMAIN: "v=spf1 exp=e.example -all"}, {"spf": "good"}, id="modifier-ignored"),
    pytest.param(
        {DOMAIN: "v=spf1 redirect=i0.example", **chain(1)}, {"spf": "good"}, id="redirect"
    ),
    pytest.param(
        {DOMAIN: "v=spf1 redirect=i0.example"}, {"spf_include_no_answer": "unknown"}, id="unasked"
    ),
    pytest.param(
        {DOMAIN: "v=spf1 redirect=gone.example -all"}, {"spf": "good"}, id="all-before-redirect"
    ),
    pytest.param(
        {DOMAIN: "v=spf1 include:i0.example -all", "i0.example": "hello"},
        {"spf_broken_include": "problem"},
        id="includes-no-spf",
    ),
    pytest.param(
        {DOMAIN: "v=spf1 include:i0.example -all", "i0.example": ("v=spf1 -all", "v=spf1 ~all")},
        {"spf_broken_include": "problem"},
        id="includes-two",
    ),
    pytest.param(
        {DOMAIN: "v=spf1 include:i0.example -all", "i0.example": ()},
        {"spf_broken_include": "problem", "spf_voids": "advice"},
        id="includes-nothing",
    ),
    pytest.param(
        {DOMAIN: f"v=spf1 include:i0.example include:{DOMAIN} -all", **chain(1)},
        {"spf_circular": "problem"},
        id="includes-itself",
    ),
    pytest.param(
        {DOMAIN: "v=spf1 include:i0.example -all", "i0.example": "v=spf1 include:i0.example -all"},
        {"spf_circular": "problem"},
        id="included-one-includes-itself",
    ),
    pytest.param(
        {DOMAIN: "v=spf1 include:i0.example -all", "i0.example": "v=spf1 +all"},
        {"spf_open_include": "problem"},
        id="includes-everybody",
    ),
    pytest.param(
        {DOMAIN: "v=spf1 ?include:i0.example -all", "i0.example": "v=spf1 +all"},
        {"spf": "good"},
        id="names-everybody-and-lets-nobody",
    ),
    pytest.param(
        {DOMAIN: "v=spf1 include:i0.example -all", **chain(10)}, {"spf": "good"}, id="ten"
    ),
    pytest.param(
        {DOMAIN: "v=spf1 include:i0.example -all", **chain(11)},
        {"spf_lookups": "problem"},
        id="eleven",
    ),
    pytest.param(
        {DOMAIN: "v=spf1 ip4:192.0.2.1 -all " + " ".join(["include:x.example"] * 11)},
        {"spf": "good"},
        id="behind-all-nothing-counts",
    ),
    pytest.param(
        {DOMAIN: "v=spf1 exists:%{i}.x.example -all"},
        {"spf_macros": "advice", "spf": "good"},
        id="macro",
    ),
    pytest.param(
        {DOMAIN: "v=spf1 " + "ip4:192.0.2.111 " * 30 + "-all"},
        {"spf_long": "advice", "spf": "good"},
        id="long",
    ),
]


@pytest.mark.parametrize(("texts", "expected"), SPF)
def test_spf(texts: dict[str, object], expected: dict[str, str]) -> None:
    assert codes(look(texts)[Area.SPF]) == expected


def test_spf_silence_is_not_missing() -> None:
    assert codes(look(silent=(DOMAIN,))[Area.SPF]) == {"spf_no_answer": "unknown"}
    spf = look({DOMAIN: "v=spf1 include:i.example -all"}, silent=("i.example",))[Area.SPF]
    assert codes(spf) == {"spf_include_no_answer": "unknown"}


def test_spf_mends_are_records_that_are_good() -> None:
    cases = {
        "spf_missing": ((), "v=spf1 mx ~all"),
        "spf_several": (
            ("v=spf1 ip4:192.0.2.1 mx ~all", "v=spf1 mx a:w.example -all"),
            "v=spf1 ip4:192.0.2.1 mx a:w.example -all",
        ),
        "spf_pass_all": (("v=spf1 mx +all",), "v=spf1 mx ~all"),
        "spf_neutral": (("v=spf1 mx ?all",), "v=spf1 mx ~all"),
        "spf_open": (("v=spf1 mx",), "v=spf1 mx ~all"),
        "spf_ptr": (("v=spf1 mx ptr ?ptr:x.example -all",), "v=spf1 mx -all"),
        "spf_unreadable": (("v=spf1 mx ipv4:192.0.2.1 ptr ?all",), "v=spf1 mx ~all"),
    }
    for code, (texts, expected) in cases.items():
        value = mended(look({DOMAIN: texts})[Area.SPF], code)
        assert value == expected
        again = look({DOMAIN: value}, hosts={"w.example": ("192.0.2.9",)})[Area.SPF]
        assert codes(again) == {"spf": "good"}, code


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("aspmx.l.google.com", "v=spf1 include:_spf.google.com ~all"),
        ("shop.mail.protection.outlook.com", "v=spf1 include:spf.protection.outlook.com ~all"),
        ("notgoogle.com", "v=spf1 mx ~all"),
    ],
)
def test_first_spf_record_knows_the_mailbox_provider(host: str, expected: str) -> None:
    spf = look(mail=MailAnswer(MailRoute.MX, (host,)))[Area.SPF]
    assert mended(spf, "spf_missing") == expected


def test_domain_without_mail_is_closed() -> None:
    spf = look(mail=MailAnswer(MailRoute.NULL_MX))[Area.SPF]
    assert mended(spf, "spf_missing") == "v=spf1 -all"


def test_look_ups_are_counted_by_part() -> None:
    texts = {"i.example": TextAnswer(("v=spf1 mx a:w.example ip4:192.0.2.1 -all",))}
    facts = SenderFacts(DOMAIN, DOMAIN, NOW, texts=texts)
    walk = walk_spf(parse_spf("v=spf1 include:i.example a exists:e.example -all"), facts)
    assert walk.lookups == 5
    assert walk.costs == {"include:i.example": 3, "a": 1, "exists:e.example": 1}
    assert walk.wanted_mail == {"i.example"}
    assert walk.wanted_hosts == {"w.example", DOMAIN, "e.example"}


def test_names_with_nothing_there() -> None:
    texts = {DOMAIN: "v=spf1 a:x.example a:y.example mx:z.example a:w.example -all"}
    hosts = {"x.example": (), "y.example": ("192.0.2.1",), "w.example": None}
    more = {"z.example": MailAnswer(MailRoute.NOT_FOUND)}
    spf = look(texts, hosts=hosts, more_mail=more)[Area.SPF]
    assert codes(spf) == {"spf_voids": "advice", "spf_include_no_answer": "unknown"}
    hosts["w.example"] = ()
    assert codes(look(texts, hosts=hosts, more_mail=more)[Area.SPF]) == {"spf_voids": "problem"}


def test_record_that_leads_on_without_end_ends() -> None:
    texts = {
        f"n{at}.example": TextAnswer(
            ("v=spf1 " + " ".join(f"include:n{2 * at + side}.example" for side in (1, 2)),)
        )
        for at in range(500)
    }
    facts = SenderFacts(DOMAIN, DOMAIN, NOW, texts=texts)
    assert walk_spf(parse_spf("v=spf1 include:n0.example -all"), facts).lookups <= 41


def make_rsa(bits: int, *, bare: bool = False) -> str:
    """Write an RSA public key in DER by hand: the modulus is what counts."""

    def element(tag: int, body: bytes) -> bytes:
        size = len(body)
        if size < 128:
            return bytes([tag, size]) + body
        length = size.to_bytes((size.bit_length() + 7) // 8, "big")
        return bytes([tag, 0x80 | len(length)]) + length + body

    modulus = (1 << (bits - 1) | 1).to_bytes(bits // 8 + 1, "big")
    key = element(0x30, element(2, modulus) + element(2, b"\x01\x00\x01"))
    if not bare:
        name = element(0x30, bytes.fromhex("06092a864886f70d0101010500"))
        key = element(0x30, name + element(3, b"\0" + key))
    return base64.b64encode(key).decode()


KEY = "s._domainkey.shop.example"
DKIM = [
    pytest.param(f"v=DKIM1; k=rsa; p={make_rsa(2048)}", {"dkim": "good"}, id="2048"),
    pytest.param(f"p={make_rsa(4096, bare=True)}", {"dkim": "good"}, id="bare-4096"),
    pytest.param(
        f"v=DKIM1; p={make_rsa(1024)}",
        {"dkim_below_advised": "advice", "dkim": "good"},
        id="1024",
    ),
    pytest.param(f"v=DKIM1; p={make_rsa(768)}", {"dkim_short": "problem"}, id="768"),
    pytest.param("v=DKIM1; p=", {"dkim_revoked": "problem"}, id="withdrawn"),
    pytest.param(f"v=DKIM1; p={make_rsa(2048)[:200]}", {"dkim_unreadable": "problem"}, id="cut"),
    pytest.param("v=DKIM1; p=hello world!", {"dkim_unreadable": "problem"}, id="no-base64"),
    pytest.param("v=DKIM1; k=rsa", {"dkim_unreadable": "problem"}, id="no-key"),
    pytest.param(
        "v=DKIM1; k=ed25519; p=" + base64.b64encode(bytes(32)).decode(),
        {"dkim": "good"},
        id="ed25519",
    ),
    pytest.param(
        "v=DKIM1; k=ed25519; p=" + base64.b64encode(bytes(31)).decode(),
        {"dkim_unreadable": "problem"},
        id="ed25519-short",
    ),
    pytest.param(
        f"v=DKIM1; t=y:s; p={make_rsa(2048)}",
        {"dkim_testing": "advice", "dkim": "good"},
        id="testing",
    ),
    pytest.param(f"v=DKIM1; h=sha1; p={make_rsa(2048)}", {"dkim_sha1": "problem"}, id="sha1"),
    pytest.param(
        (f"p={make_rsa(2048)}", f"p={make_rsa(2048)}"), {"dkim_several": "problem"}, id="two"
    ),
    pytest.param((), {"dkim_missing": "problem"}, id="none"),
    pytest.param("some=text", {"dkim_missing": "problem"}, id="another-text"),
    pytest.param("v=DMARC1; p=reject", {"dkim_missing": "problem"}, id="a-wildcard-of-dmarc"),
    pytest.param("v=DKIM2; p=AAAA", {"dkim_unreadable": "problem"}, id="another-version"),
]


@pytest.mark.parametrize(("record", "expected"), DKIM)
def test_dkim(record: object, expected: dict[str, str]) -> None:
    assert codes(look({KEY: record}, given=("s",))[Area.DKIM]) == expected


def test_key_with_blanks_and_breaks_is_read() -> None:
    data = make_rsa(2048)
    key = parse_key(f"v=DKIM1;\tk=rsa ;\n p= {data[:100]} \n {data[100:]};")
    assert (key.state, key.bits) == (KeyState.USABLE, 2048)


@pytest.mark.parametrize("text", ["", ";", "=", "p", "p=MA==", "v=DKIM1; p=MIL/////AA==", "p=AAAA"])
def test_odd_keys_never_raise(text: str) -> None:
    assert parse_key(text).state is KeyState.UNREADABLE


def test_selectors_of_platforms_may_be_absent() -> None:
    known = {"google": "Google Workspace", "s1": ""}
    assert codes(look(known=known)[Area.DKIM]) == {"dkim_not_found": "unknown"}
    found = look({"google._domainkey.shop.example": f"p={make_rsa(2048)}"}, known=known)[Area.DKIM]
    assert codes(found) == {"dkim": "good"}
    revoked = look({"google._domainkey.shop.example": "v=DKIM1; p="}, known=known)[Area.DKIM]
    assert codes(revoked) == {"dkim_revoked": "advice"}
    silent = look(known=known, silent=("google._domainkey.shop.example",))[Area.DKIM]
    assert codes(silent) == {"dkim_no_answer": "unknown"}


NAME = "_dmarc.shop.example"
RUA = "rua=mailto:d@shop.example"
DMARC = [
    pytest.param((), {"dmarc_missing": "problem"}, id="none"),
    pytest.param("v=dmarc1; p=reject", {"dmarc_missing": "problem"}, id="version-in-small-letters"),
    pytest.param(f"v=DMARC1; p=reject; {RUA}", {"dmarc": "good"}, id="reject"),
    pytest.param(f"v=DMARC1;p=Quarantine;{RUA};", {"dmarc": "good"}, id="quarantine"),
    pytest.param(f"v=DMARC1; p=none; {RUA}", {"dmarc_none": "advice"}, id="p-none"),
    pytest.param(
        "v=DMARC1; p=reject", {"dmarc_no_reports": "advice", "dmarc": "good"}, id="no-reports"
    ),
    pytest.param(f"v=DMARC1; {RUA}", {"dmarc_no_policy": "problem"}, id="no-policy"),
    pytest.param(f"v=DMARC1; p=rejct; {RUA}", {"dmarc_unreadable": "problem"}, id="typo"),
    pytest.param("v=DMARC1; p=reject; rua=d@x.example", {"dmarc_unreadable": "problem"}, id="rua"),
    pytest.param(
        f"v=DMARC1; p=reject; pct=30; {RUA}",
        {"dmarc_percent": "advice", "dmarc": "good"},
        id="a-part",
    ),
    pytest.param(f"v=DMARC1; p=reject; pct=x; {RUA}", {"dmarc_unreadable": "problem"}, id="pct"),
    pytest.param(
        f"v=DMARC1; p=reject; t=y; {RUA}",
        {"dmarc_testing": "advice"},
        id="testing",
    ),
    pytest.param(
        f"v=DMARC1; p=reject; adkim=s; aspf=s; {RUA}",
        {"dmarc_strict": "advice", "dmarc": "good"},
        id="strict",
    ),
    pytest.param(
        (f"v=DMARC1; p=reject; {RUA}", "v=DMARC1; p=none"), {"dmarc_several": "problem"}, id="two"
    ),
    pytest.param("v=DMARC1; p=reject; p=none", {"dmarc_unreadable": "problem"}, id="tag-twice"),
]


@pytest.mark.parametrize(("record", "expected"), DMARC)
def test_dmarc(record: object, expected: dict[str, str]) -> None:
    assert codes(look({NAME: record})[Area.DMARC]) == expected


def test_dmarc_mends_are_one_record_for_now_and_one_for_later() -> None:
    dmarc = look({NAME: "v=DMARC1; pct=50; t=y"})[Area.DMARC]
    assert codes(dmarc) == {
        "dmarc_no_policy": "problem",
        "dmarc_no_reports": "advice",
        "dmarc_testing": "advice",
    }
    now = "v=DMARC1; p=none; pct=50; t=y; rua=mailto:dmarc@shop.example"
    assert mended(dmarc, "dmarc_no_policy") == mended(dmarc, "dmarc_no_reports") == now
    later = "v=DMARC1; p=quarantine; rua=mailto:dmarc@shop.example"
    assert mended(dmarc, "dmarc_testing") == later
    assert codes(look({NAME: later})[Area.DMARC]) == {"dmarc": "good"}


def test_subdomain_falls_back_on_the_organisation() -> None:
    texts = {NAME: f"v=DMARC1; p=reject; sp=none; {RUA}"}
    dmarc = look(texts, domain="news.shop.example")[Area.DMARC]
    assert codes(dmarc) == {"dmarc_none": "advice"}
    assert dmarc.records[0].name == NAME
    assert mended(dmarc, "dmarc_none") == f"v=DMARC1; p=reject; sp=quarantine; {RUA}"
    own = {**texts, "_dmarc.news.shop.example": f"v=DMARC1; p=quarantine; {RUA}"}
    assert codes(look(own, domain="news.shop.example")[Area.DMARC]) == {"dmarc": "good"}
    silent = look(texts, domain="news.shop.example", silent=("_dmarc.news.shop.example",))
    assert codes(silent[Area.DMARC]) == {"dmarc_no_answer": "unknown"}


def test_reports_to_others_need_their_word() -> None:
    texts: dict[str, object] = {NAME: "v=DMARC1; p=reject; rua=mailto:a@reports.example!10m"}
    asked = "shop.example._report._dmarc.reports.example"
    refused = look({**texts, asked: ()})[Area.DMARC]
    assert codes(refused) == {"dmarc_reports_refused": "advice", "dmarc": "good"}
    assert codes(look({**texts, asked: "v=DMARC1;"})[Area.DMARC]) == {"dmarc": "good"}
    assert codes(look(texts, silent=(asked,))[Area.DMARC]) == {"dmarc": "good"}
    assert parse_dmarc(str(texts[NAME])).reports == ("a@reports.example",)


def test_record_at_the_wrong_name_is_told() -> None:
    dmarc = look({DOMAIN: ("v=DMARC1; p=reject",)})[Area.DMARC]
    assert codes(dmarc) == {"dmarc_misplaced": "problem"}
    assert mended(dmarc, "dmarc_misplaced").startswith("v=DMARC1; p=none; rua=mailto:")


@pytest.mark.parametrize(
    ("mail", "expected"),
    [
        (MX, {"mx": "good"}),
        (MailAnswer(MailRoute.NULL_MX), {"null_mx": "problem"}),
        (MailAnswer(MailRoute.NO_MAIL), {"no_mail": "problem"}),
        (MailAnswer(MailRoute.IMPLICIT_MX), {"implicit_mx": "advice"}),
        (MailAnswer(MailRoute.UNKNOWN), {"mx_no_answer": "unknown"}),
    ],
    ids=lambda value: str(getattr(value, "route", "")),
)
def test_mail(mail: MailAnswer, expected: dict[str, str]) -> None:
    assert codes(look(mail=mail)[Area.MX]) == expected


def test_mail_hosts_without_address() -> None:
    two = MailAnswer(MailRoute.MX, ("a.example", "b.example"))
    some = look(mail=two, hosts={"a.example": (), "b.example": ("192.0.2.1",)})[Area.MX]
    assert codes(some) == {"mx_without_address": "advice", "mx": "good"}
    none = look(mail=two, hosts={"a.example": (), "b.example": ()})[Area.MX]
    assert codes(none) == {"mx_without_address": "problem"}
    silent = look(mail=two, hosts={"a.example": None, "b.example": None})[Area.MX]
    assert codes(silent) == {"mx": "good"}


def test_of_a_domain_that_does_not_exist_only_that_is_told() -> None:
    areas = look(mail=MailAnswer(MailRoute.NOT_FOUND))
    assert list(areas) == [Area.MX]
    assert codes(areas[Area.MX]) == {"domain_not_found": "problem"}
