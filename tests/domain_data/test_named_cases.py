"""Names by what the real data says of them, those that were judged wrongly once among them."""

from enum import StrEnum

import pytest

from winnow.core.judging.judge import Judge, judge_text
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.facts import Guard
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category
from winnow.domain_data.build.catalogue import read_reviewed
from winnow.domain_data.look_up.bulk_look_up import PLAIN
from winnow.domain_data.look_up.look_up import Knowledge

W, G, B = Category
T, R = DomainType, Reason
NAMED: list[tuple[str, tuple[StrEnum, ...], str]] = [
    ("known-whatever-lists-say", (W,),
     "nus.edu.sg dallas.gov craigslist.org nytimes.com asics.com hushmail.com sohu.com 139.com "
     "zoho.in yandex.net gmail.com outlook.com yahoo.co.uk gmx.de web.de mail.ru qq.com"),
    ("on-lists-that-copy-one-another", (W,),
     "poczta.pl sibmail.com mihanmail.ir freshmail.com ukmail.com support.com 24hourfitness.com "
     "podatnik.info"),
    ("removed-after-review", (W,), "xwaretech.info kennedy808.com dfgh.net"),
    ("hosts-that-sell-names-to-firms", (W,),
     "lamidorasaku.co.com lamidorasaku.eu.org firma.uk.com"),
    ("mail-is-no-witness-beside-copies", (W,), "amail3.com apemail.com"),
    ("a-host-that-lends-names-passes-no-listing-on", (G,),
     "foo.mooo.com foo.us.to foo.fr.cr foo.zyns.com foo.25u.com foo.ezua.com"),
    ("and-stays-black-itself", (B, T.DISPOSABLE), "zyns.com 25u.com ezua.com"),
    ("any-other-host-does", (B, T.DISPOSABLE), "foo.mailinator.com"),
    ("an-open-school-suffix-is-a-doubt", (G,), "paris.edu.pl edumail.edu.pl"),
    ("two-signs-below-it", (B,), "tempmail.edu.kg"),
    ("owner-privacy", (G, R.OWNER_PRIVACY), "withheldforprivacy.com contact.gandi.net"),
    ("code-hosts", (G, R.CODE_HOST), "users.noreply.github.com reply.github.com"),
    ("support-desks", (G, R.SUPPORT_DESK),
     "acme.zendesk.com acme.freshdesk.com case.salesforce.com na1.case.salesforce.com "
     "acme.hs-inbox.com acme.com.hs-inbox.com acme.zohodesk.com"),
    ("the-desks-themselves", (W,), "zendesk.com freshdesk.com salesforce.com zohodesk.com"),
    ("a-compound-that-says-what-it-is", (G, R.DISPOSABLE_WORD),
     "10minutemail.co burnermailbox.com get-tempmail.de wegwerf-email.ch mytempinbox.com "
     "emailtemporal.es courriel-jetable.fr vremennaya-pochta.ru newtempmail.de"),
    ("words-that-hold-one", (W,),
     "attemptemail.com antifakemail.com contemporarymail.com mailtemplate.com"),
    ("marketplaces", (G, R.MEDIATED_MAIL), "members.ebay.ca"),
    ("names-of-manuals-in-any-language", (G, R.PLACEHOLDER),
     "beispiel.de keinemail.de exemple.fr pasdemail.fr ejemplo.com sincorreo.com esempio.it "
     "exemplo.com.br naotem.com voorbeeld.nl geenmail.nl exempel.se eksempel.dk eksempel.no "
     "esimerkki.fi przyklad.pl priklad.cz priklad.sk pelda.hu exemplu.ro primjer.hr ornek.com "
     "example.co.jp example.cn contoh.co.id example.com"),
    # The home page of cock.li, by pull requests 307 and 546 of FGRibreau/mailchecker: its
    # mailboxes last, whatever one thinks of the names.
    ("all-names-of-one-provider", (W, R.FREE_PROVIDER),
     "420blaze.it aaathats3as.com airmail.cc cocaine.ninja cock.email cock.li cock.lu "
     "cumallover.me dicksinhisan.us dicksinmyan.us firemail.cc getbackinthe.kitchen goat.si "
     "hitler.rocks horsefucker.org loves.dicksinhisan.us loves.dicksinmyan.us memeware.net "
     "national.shitposting.agency nigge.rs nuke.africa rape.lol tfwno.gf waifu.club "
     "wants.dicksinhisan.us wants.dicksinmyan.us"),
    ("free", (W, T.FREE),
     "gmx.li hey.com pec.it vip.163.com gmx.co.uk outlook.com.ar altibox.no goo.jp hinet.net "
     "netvigator.com vnn.vn"),
    ("education", (W, T.EDUCATION),
     "cs.mit.edu in.tum.de lincoln.k12.ca.us hilo.k12.hi.us ac-paris.fr skole.hr"),
    ("government", (W, T.GOVERNMENT),
     "city.gov.uk bmi.bund.de gov.uk berlin.de moe.gov.np health.gov.bc.ca gov.ro mil.dk "
     "kayseri.bel.tr tjro.jus.br stavanger.kommune.no pref.osaka.jp dot.state.tx.us "
     "landesarchiv-berlin.berlin.de comune.modena.it pec.comune.bs.it provincia.vicenza.it "
     "co.hennepin.mn.us ci.boulder.co.us city.yokohama.jp reykjavik.is fjr.gov.is "
     "maltapolice.gov.mt cm-cascais.pt"),
    ("business", (W, T.BUSINESS), "mail.siemens.com test.de"),
    ("imitations-three-with-cyrillic-letters", (G, T.MASKED),
     "gmial.com xn--pypal-4ve.com gmx.d\u0435 gmx.\u0501e"),
    ("endings-that-no-registry-runs", (G, T.SUSPICIOUS, R.UNKNOWN_TLD),
     "sparrowhill.zzzq lamidorasaku.zzq lamidorasaku.con lamidorasaku.fake lamidorasaku.bl "
     "lamidorasaku.eh lamidorasaku.mf"),
    ("reserved", (G, T.SUSPICIOUS), "sparrowhill.example"),
    ("unlisted", (W, T.UNLISTED),
     "sparrowhill.ck sparrowhill.co.ck sparrowhill.com invalid.com disposable.com"),
]  # fmt: skip


def judge(knowledge: Knowledge, domain: str) -> tuple[Category, tuple[Reason, ...]]:
    verdict = judge_text(Judge(knowledge), f"ana@{domain}").verdict
    return verdict.category, verdict.reasons


@pytest.mark.parametrize(
    ("expected", "names"), [pytest.param(*case, id=why) for why, *case in NAMED]
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
