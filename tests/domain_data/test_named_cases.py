"""Names by what the real data says of them, those that were judged wrongly once among them."""

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

import pytest

from winnow.core.judging.judge import Judge, judge_text
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.facts import Guard
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category
from winnow.domain_data.build.catalogue import read_reviewed
from winnow.domain_data.look_up.bulk_look_up import PLAIN
from winnow.domain_data.look_up.look_up import Knowledge

W, G, _ = Category
GOLDEN = Path(__file__).parents[1] / "golden" / "named_domains.tsv"
KINDS: dict[str, StrEnum] = {
    one.value: one for kind in (Reason, DomainType, Category) for one in kind
}


def read_cases() -> Iterator[tuple[str, tuple[StrEnum, ...], str]]:
    """Yield why, what is expected, and names, in the order of the file; ``#`` begins a comment."""
    for line in GOLDEN.read_text(encoding="utf-8").splitlines()[1:]:
        if not line.startswith("#"):
            why, expected, names = line.split("\t")
            yield why, tuple(KINDS[one] for one in expected.split(" + ")), names


def judge(knowledge: Knowledge, domain: str) -> tuple[Category, tuple[Reason, ...]]:
    verdict = judge_text(Judge(knowledge), f"ana@{domain}").verdict
    return verdict.category, verdict.reasons


@pytest.mark.parametrize(
    ("expected", "names"), [pytest.param(*case, id=why) for why, *case in read_cases()]
)
def test_names_are_judged(knowledge: Knowledge, expected: tuple[StrEnum, ...], names: str):
    """By category, domain type, and exactly the reasons, whatever of them a case names."""
    reasons = tuple(one for one in expected if isinstance(one, Reason))
    for name in names.split():
        verdict = judge_text(Judge(knowledge), f"ana@{name}").verdict
        assert set(expected) <= {verdict.category, verdict.domain_type, *verdict.reasons}, name
        assert reasons in ((), verdict.reasons), name
        assert verdict.category is W or knowledge.number_alike([name]) != bytes([PLAIN]), name


@pytest.mark.parametrize("domain", read_reviewed("disposable_services.tsv").names)
def test_a_reviewed_disposable_service_is_never_white(knowledge: Knowledge, domain: str):
    category, reasons = judge(knowledge, domain)
    assert category is Category.BLACK or reasons[0] is Reason.DOUBTFUL_LIST


@pytest.mark.parametrize("host", read_reviewed("subdomain_hosts.tsv").names)
def test_names_below_a_free_host_are_looked_at(knowledge: Knowledge, host: str):
    category, reasons = judge(knowledge, f"lamidorasaku.{host}")
    assert category is Category.GREY
    assert Reason.SUBDOMAIN_HOST in reasons
    below = knowledge.look_up(f"mail.lamidorasaku.{host}")
    assert below.subdomain_host is not None
    assert below.subdomain_host.matched == host
    assert knowledge.number_alike([f"lamidorasaku.{host}"]) == b"\0"


def test_the_risky_ending_is_the_one_meant(knowledge: Knowledge):
    assert knowledge.look_up("lamidorasaku.de5.net").risky_suffix == "de5.net"
    assert knowledge.look_up("lamidorasaku.co.xyz").risky_suffix == "xyz"


@pytest.mark.parametrize(
    ("domain", "day"), [("xwaretech.info", "2024-07-01"), ("kennedy808.com", "2025-01-01")]
)
def test_a_removal_outweighs_copies(knowledge: Knowledge, domain: str, day: str):
    protection = knowledge.look_up(domain).protection
    assert protection is not None
    assert protection.guard is Guard.REMOVED_AFTER_REVIEW
    assert protection.set_aside
    assert str(protection.dated) >= day


LOOK_ALIKES = {
    "mail.com": "rnail.com", "gmail.com": "grnail.com gmai1.com", "microsoft.com": "micros0ft.com",
    "paypal.com": "paypa1.com mail.paypa1.com", "amazon.com": "arnazon.com",
    "google.com": "g00gle.com", "outlook.com": "outl00k.com", None: "horne.nl paypal.com",
}  # fmt: skip


@pytest.mark.parametrize(
    ("domain", "known"),
    [(domain, known) for known, names in LOOK_ALIKES.items() for domain in names.split()],
)
def test_what_looks_like_a_known_name(knowledge: Knowledge, domain: str, known: str | None):
    assert knowledge.look_up(domain).imitates == known
    if known is not None:
        assert judge(knowledge, domain) == (Category.GREY, (Reason.CONFUSABLE_SCRIPT,))
        assert knowledge.number_alike([domain]) == b"\0"


NAMED_RELAYS = (
    "duck.com mozmail.com relay.firefox.com simplelogin.com simplelogin.co simplelogin.io "
    "slmail.me aleeas.com 8shield.net dralias.com silomails.com passmail.net passinbox.com "
    "passfwd.com anonaddy.com anonaddy.me addy.io privaterelay.appleid.com private.icloud.com "
    "forwardemail.net improvmx.com erine.email burnermail.io 33mail.com spamgourmet.com "
    "manyme.com starmail.net"
)


@pytest.mark.parametrize(
    "domain", sorted({*NAMED_RELAYS.split(), *read_reviewed("relays.tsv").names})
)
def test_a_relay_is_grey_whatever_lists_say(knowledge: Knowledge, domain: str):
    for name in (domain, f"ana.{domain}"):
        assert judge(knowledge, name) == (Category.GREY, (Reason.RELAY,))
        assert knowledge.look_up(name).listings == ()


@pytest.mark.parametrize("domain", read_reviewed("mediated_mail.tsv").names)
def test_mail_of_one_deal_is_no_company(knowledge: Knowledge, domain: str):
    assert judge(knowledge, domain) == (Category.GREY, (Reason.MEDIATED_MAIL,))
    _, _, company = domain.partition(".")
    assert "." not in company or judge(knowledge, company)[0] is Category.WHITE


@pytest.mark.parametrize("domain", ["comune.lamidorasaku.it", "co.us", "ci.lamidorasaku.de"])
def test_a_public_bodys_label_counts_below_a_place_alone(knowledge: Knowledge, domain: str):
    assert knowledge.look_up(domain).government is None


def test_a_carriers_customers_have_mailboxes_of_their_own(knowledge: Knowledge):
    judge = Judge(knowledge)
    for domain, country, operator in read_reviewed("carriers.tsv").rows:
        verdict = judge_text(judge, f"ana@{domain}").verdict
        assert (verdict.category, verdict.domain_type) == (Category.WHITE, DomainType.FREE), domain
        assert len(country) == 2, domain
        assert operator, domain
