"""Names that were judged wrongly once, by what they are and why."""

import pytest

from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.facts import Guard
from winnow.core.verdicts.judge import Judge, judge_text
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category
from winnow.domain_data.build.catalogue import read_reviewed
from winnow.domain_data.look_up.look_up import Knowledge


def judge(knowledge: Knowledge, domain: str) -> tuple[Category, tuple[Reason, ...]]:
    verdict = judge_text(Judge(knowledge), f"ana@{domain}").verdict
    return verdict.category, verdict.reasons


@pytest.mark.parametrize(
    "domain",
    [
        "poczta.pl", "sibmail.com", "mihanmail.ir", "freshmail.com", "ukmail.com", "support.com",
        "24hourfitness.com", "podatnik.info",
    ],
)  # fmt: skip
def test_firms_and_providers_on_lists_that_copy_one_another(knowledge: Knowledge, domain: str):
    assert judge(knowledge, domain)[0] is Category.WHITE


@pytest.mark.parametrize("domain", ["amail3.com", "apemail.com"])
def test_the_word_mail_is_no_witness_beside_one_family(knowledge: Knowledge, domain: str):
    category, reasons = judge(knowledge, domain)
    assert (category, reasons[0]) == (Category.GREY, Reason.DOUBTFUL_LIST)


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


@pytest.mark.parametrize(
    ("domain", "category"),
    [
        *((f"foo.{host}", Category.GREY) for host in ("mooo.com", "us.to", "fr.cr")),
        ("foo.mailinator.com", Category.BLACK),
    ],
)
def test_a_host_that_lends_names_passes_no_listing_on(
    knowledge: Knowledge, domain: str, category: Category
):
    assert judge(knowledge, domain)[0] is category


def test_the_risky_ending_is_the_one_meant(knowledge: Knowledge):
    assert knowledge.look_up("lamidorasaku.de5.net").risky_suffix == "de5.net"
    assert knowledge.look_up("lamidorasaku.co.xyz").risky_suffix == "xyz"


@pytest.mark.parametrize(
    ("domain", "day"),
    [("xwaretech.info", "2024-07-01"), ("kennedy808.com", "2025-01-01"), ("dfgh.net", None)],
)
def test_a_removal_outweighs_copies(knowledge: Knowledge, domain: str, day: str | None):
    assert judge(knowledge, domain)[0] is Category.WHITE
    protection = knowledge.look_up(domain).protection
    if day is not None:
        assert protection is not None
        assert protection.guard is Guard.REMOVED_AFTER_REVIEW
        assert protection.set_aside
        assert str(protection.dated) >= day


@pytest.mark.parametrize("domain", ["lamidorasaku.co.com", "lamidorasaku.eu.org", "firma.uk.com"])
def test_hosts_that_sell_names_to_firms_are_none(knowledge: Knowledge, domain: str):
    assert judge(knowledge, domain)[0] is Category.WHITE


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


@pytest.mark.parametrize("domain", read_reviewed("relays.tsv").names)
def test_a_relay_is_grey_whatever_lists_say(knowledge: Knowledge, domain: str):
    assert judge(knowledge, domain) == (Category.GREY, (Reason.RELAY,))
    assert judge(knowledge, f"ana.{domain}") == (Category.GREY, (Reason.RELAY,))


@pytest.mark.parametrize("domain", read_reviewed("mediated_mail.tsv").names)
def test_mail_of_one_deal_is_no_company(knowledge: Knowledge, domain: str):
    assert judge(knowledge, domain) == (Category.GREY, (Reason.MEDIATED_MAIL,))
    _, _, company = domain.partition(".")
    assert "." not in company or judge(knowledge, company)[0] is Category.WHITE


@pytest.mark.parametrize(
    ("domain", "reason"),
    [
        ("withheldforprivacy.com", Reason.OWNER_PRIVACY),
        ("contact.gandi.net", Reason.OWNER_PRIVACY),
        ("users.noreply.github.com", Reason.CODE_HOST),
        ("reply.github.com", Reason.CODE_HOST),
        ("members.ebay.ca", Reason.MEDIATED_MAIL),
    ],
)
def test_forwarded_mail_has_a_reason_of_its_own(knowledge: Knowledge, domain: str, reason: Reason):
    assert judge(knowledge, domain) == (Category.GREY, (reason,))
    assert "{domain}" in reason.sentence


@pytest.mark.parametrize(
    ("domain", "domain_type", "premium"),
    [
        ("berlin.de", DomainType.GOVERNMENT, False),
        *((name, DomainType.FREE, True) for name in ("pec.it", "vip.163.com")),
        *((name, DomainType.FREE, False) for name in ("gmx.co.uk", "outlook.com.ar", "altibox.no")),
        ("test.de", DomainType.BUSINESS, None),
        *((name, DomainType.UNLISTED, None) for name in ("invalid.com", "disposable.com")),
    ],
)
def test_kinds(knowledge: Knowledge, domain: str, domain_type: DomainType, premium: bool | None):
    assert judge_text(Judge(knowledge), f"ana@{domain}").verdict.domain_type is domain_type
    assert knowledge.look_up(domain).premium is premium


@pytest.mark.parametrize(
    "domain",
    ["beispiel.de", "keinemail.de", "exemple.fr", "pasdemail.fr", "ejemplo.com", "sincorreo.com",
     "esempio.it", "exemplo.com.br", "naotem.com", "voorbeeld.nl", "geenmail.nl", "exempel.se",
     "eksempel.dk", "eksempel.no", "esimerkki.fi", "przyklad.pl", "priklad.cz", "priklad.sk",
     "pelda.hu", "exemplu.ro", "primjer.hr", "ornek.com", "example.co.jp", "example.cn",
     "contoh.co.id"],
)  # fmt: skip
def test_names_of_manuals_are_nobodys_in_any_language(knowledge: Knowledge, domain: str):
    assert judge(knowledge, domain)[1] == (Reason.PLACEHOLDER,)


COCK_LI = (  # its home page's names, by pull requests 307 and 546 of FGRibreau/mailchecker
    "420blaze.it", "aaathats3as.com", "airmail.cc", "cocaine.ninja", "cock.email", "cock.li",
    "cock.lu", "cumallover.me", "dicksinhisan.us", "dicksinmyan.us", "firemail.cc",
    "getbackinthe.kitchen", "goat.si", "hitler.rocks", "horsefucker.org",
    "loves.dicksinhisan.us", "loves.dicksinmyan.us", "memeware.net",
    "national.shitposting.agency", "nigge.rs", "nuke.africa", "rape.lol", "tfwno.gf",
    "waifu.club", "wants.dicksinhisan.us", "wants.dicksinmyan.us",
)  # fmt: skip


@pytest.mark.parametrize("domain", COCK_LI)
def test_all_names_of_one_provider_are_judged_one_way(knowledge: Knowledge, domain: str):
    """Its mailboxes last, whatever one thinks of the names."""
    assert judge(knowledge, domain) == (Category.WHITE, (Reason.FREE_PROVIDER,))


ABROAD = {
    DomainType.FREE: "goo.jp hinet.net netvigator.com vnn.vn",
    DomainType.EDUCATION: "lincoln.k12.ca.us hilo.k12.hi.us ac-paris.fr skole.hr",
    DomainType.GOVERNMENT: (
        "moe.gov.np health.gov.bc.ca gov.ro mil.dk kayseri.bel.tr tjro.jus.br stavanger.kommune.no "
        "pref.osaka.jp dot.state.tx.us landesarchiv-berlin.berlin.de comune.modena.it "
        "pec.comune.bs.it provincia.vicenza.it co.hennepin.mn.us ci.boulder.co.us city.yokohama.jp "
        "reykjavik.is fjr.gov.is maltapolice.gov.mt cm-cascais.pt"
    ),
}


@pytest.mark.parametrize(
    ("domain", "domain_type"),
    [(domain, domain_type) for domain_type, names in ABROAD.items() for domain in names.split()],
)
def test_kinds_beyond_english_speaking_countries(
    knowledge: Knowledge, domain: str, domain_type: DomainType
):
    verdict = judge_text(Judge(knowledge), f"ana@{domain}").verdict
    assert (verdict.category, verdict.domain_type) == (Category.WHITE, domain_type)


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


@pytest.mark.parametrize(
    "local_part",
    ["buchhaltung", "Vertrieb", "accueil", "ventas", "segreteria", "vendas", "biuro", "objednavky",
     "iroda", "muhasebe", "kundtjanst", "asiakaspalvelu", "verkoop", "toiawase", "kefu"],
)  # fmt: skip
def test_functions_are_named_in_many_languages(knowledge: Knowledge, local_part: str):
    verdict = judge_text(Judge(knowledge), f"{local_part}@lamidorasaku.de").verdict
    assert verdict.category is Category.WHITE
    assert Reason.ROLE_ACCOUNT in verdict.reasons
