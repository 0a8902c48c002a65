"""The policy as a table: each case is named for what it proves."""

from datetime import UTC, date, datetime

import pytest

from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.facts import (
    AddressFacts,
    AgeFacts,
    DomainFacts,
    Listing,
    LocalFlag,
    MailFacts,
    MailRoute,
    OwnEntry,
)
from winnow.core.verdicts.policy import decide
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category, Verdict

REVIEWED = Listing("by hand", "hand", "x.example", date(2026, 11, 9), reviewed=True)
CRAWLED = Listing("crawl", "crawl", "x.example", date(2026, 7, 1))
COPIED = Listing("copy of the crawl", "crawl", "x.example", date(2026, 7, 2))
DOUBTFUL = Listing("dirty", "dirty", "x.example", doubtful=True)
KIND = Listing("reviewed file", "own", "x.example")
ASKED_AT = datetime(2026, 11, 20, tzinfo=UTC)


def make(flags: LocalFlag = LocalFlag.NONE, **facts: object) -> AddressFacts:
    return AddressFacts(flags=flags, domain=DomainFacts("x.example", **facts))  # type: ignore[arg-type]


def route(of: MailRoute, **more: object) -> MailFacts:
    return MailFacts(route=of, asked_at=ASKED_AT, **more)  # type: ignore[arg-type]


def own(category: Category, reason: Reason) -> OwnEntry:
    return OwnEntry(category, "x.example", reason)


W, G, B = Category.WHITE, Category.GREY, Category.BLACK
T = DomainType

CASES = [
    pytest.param(
        AddressFacts(fault=Reason.NO_AT_SIGN, own=own(W, Reason.OWN_ADDRESS)),
        (B, T.INVALID, (Reason.NO_AT_SIGN,)),
        id="invalid-outranks-own-lists",
    ),
    pytest.param(
        AddressFacts(
            domain=DomainFacts("x.example", own=own(B, Reason.OWN_DOMAIN)),
            own=own(W, Reason.OWN_ADDRESS),
        ),
        (W, T.WHITE, (Reason.OWN_ADDRESS,)),
        id="own-address-outranks-own-domain",
    ),
    pytest.param(
        make(listings=(REVIEWED,), own=own(W, Reason.OWN_DOMAIN)),
        (W, T.WHITE, (Reason.OWN_DOMAIN,)),
        id="own-domain-outranks-disposable",
    ),
    pytest.param(
        make(own=own(G, Reason.OWN_WILDCARD)),
        (G, T.GREY, (Reason.OWN_WILDCARD,)),
        id="own-grey-wildcard",
    ),
    pytest.param(
        make(relay=KIND, listings=(REVIEWED, CRAWLED)),
        (G, T.MULTI_ALIAS, (Reason.RELAY,)),
        id="relay-is-never-black",
    ),
    pytest.param(
        make(relay=KIND, mail=route(MailRoute.NOT_FOUND)),
        (G, T.MULTI_ALIAS, (Reason.RELAY,)),
        id="relay-without-mail-is-still-a-relay",
    ),
    pytest.param(
        make(misspells="gmail.com", listings=(REVIEWED,)),
        (G, T.MASKED, (Reason.CLOSE_MISSPELLING,)),
        id="look-alike-comes-before-disposable",
    ),
    pytest.param(
        make(imitates="gmail.com", mail=route(MailRoute.NULL_MX)),
        (B, T.MASKED, (Reason.CONFUSABLE_SCRIPT, Reason.NULL_MX)),
        id="look-alike-that-takes-no-mail-is-black",
    ),
    pytest.param(
        make(misspells="gmail.com", mail=route(MailRoute.UNKNOWN)),
        (G, T.MASKED, (Reason.CLOSE_MISSPELLING, Reason.MAIL_UNKNOWN)),
        id="look-alike-with-silence-stays-grey",
    ),
    pytest.param(
        make(placeholder=KIND, listings=(REVIEWED,)),
        (G, T.SUSPICIOUS, (Reason.PLACEHOLDER,)),
        id="placeholder-comes-before-disposable",
    ),
    pytest.param(
        make(listings=(REVIEWED,)),
        (B, T.DISPOSABLE, (Reason.DISPOSABLE_REVIEWED,)),
        id="reviewed-by-hand-is-enough",
    ),
    pytest.param(
        make(listings=(CRAWLED, DOUBTFUL)),
        (B, T.DISPOSABLE, (Reason.DISPOSABLE_LISTED,)),
        id="two-families-are-enough",
    ),
    pytest.param(
        make(listings=(CRAWLED, COPIED)),
        (G, T.SUSPICIOUS, (Reason.DOUBTFUL_LIST,)),
        id="a-copy-of-a-list-is-no-second-family",
    ),
    pytest.param(
        make(listings=(DOUBTFUL,)),
        (G, T.SUSPICIOUS, (Reason.DOUBTFUL_LIST,)),
        id="one-doubtful-list-is-grey",
    ),
    pytest.param(
        make(listings=(DOUBTFUL,), risky_suffix="xyz"),
        (B, T.DISPOSABLE, (Reason.DISPOSABLE_SIGN, Reason.RISKY_TLD)),
        id="one-doubtful-list-with-a-sign-is-black",
    ),
    pytest.param(
        make(listings=(DOUBTFUL,), disposable_word="trash"),
        (B, T.DISPOSABLE, (Reason.DISPOSABLE_SIGN, Reason.DISPOSABLE_WORD)),
        id="one-doubtful-list-with-a-telling-word-is-black",
    ),
    pytest.param(
        make(listings=(DOUBTFUL,), disposable_word="mail", is_word_common=True, machine_made=True),
        (G, T.SUSPICIOUS, (Reason.DOUBTFUL_LIST, Reason.DISPOSABLE_WORD, Reason.MACHINE_MADE_NAME)),
        id="a-word-that-honest-services-use-is-no-witness",
    ),
    pytest.param(
        make(
            listings=(DOUBTFUL,),
            disposable_word="mail",
            is_word_common=True,
            risky_suffix="xyz",
        ),
        (B, T.DISPOSABLE, (Reason.DISPOSABLE_SIGN, Reason.RISKY_TLD, Reason.DISPOSABLE_WORD)),
        id="beside-that-word-a-risky-tld-is-one",
    ),
    pytest.param(
        make(subdomain_host=KIND),
        (G, T.SUSPICIOUS, (Reason.SUBDOMAIN_HOST,)),
        id="below-a-host-of-free-subdomains",
    ),
    pytest.param(
        make(subdomain_host=KIND, business=KIND),
        (W, T.BUSINESS, (Reason.BUSINESS,)),
        id="a-company-below-such-a-host",
    ),
    pytest.param(
        make(subdomain_host=KIND, listings=(DOUBTFUL,)),
        (B, T.DISPOSABLE, (Reason.DISPOSABLE_SIGN, Reason.SUBDOMAIN_HOST)),
        id="such-a-host-is-a-witness-beside-a-list",
    ),
    pytest.param(
        make(mail=route(MailRoute.MX, disposable_mx="mx.throwaway.example")),
        (G, T.SUSPICIOUS, (Reason.DISPOSABLE_NEIGHBOURS,)),
        id="mx-evidence-alone-is-a-doubt",
    ),
    pytest.param(
        make(listings=(DOUBTFUL,), mail=route(MailRoute.MX, disposable_mx="192.0.2.66")),
        (B, T.DISPOSABLE, (Reason.DISPOSABLE_MX,)),
        id="mx-evidence-and-one-list",
    ),
    pytest.param(
        make(age=AgeFacts(is_new=True), mail=route(MailRoute.MX, disposable_mx="192.0.2.66")),
        (B, T.DISPOSABLE, (Reason.DISPOSABLE_MX,)),
        id="mx-evidence-and-a-new-name",
    ),
    pytest.param(
        make(
            risky_suffix="xyz",
            mail=route(MailRoute.MX, disposable_mx="mx.x.example"),
        ),
        (B, T.DISPOSABLE, (Reason.DISPOSABLE_MX, Reason.RISKY_TLD)),
        id="mx-evidence-and-a-sign-in-the-name",
    ),
    pytest.param(
        make(business=KIND, mail=route(MailRoute.MX, disposable_mx="192.0.2.66", parking="p")),
        (W, T.BUSINESS, (Reason.BUSINESS,)),
        id="neighbours-say-nothing-of-a-known-company",
    ),
    pytest.param(
        make(mail=route(MailRoute.IMPLICIT_MX, parking="ns1.parking.example")),
        (G, T.SUSPICIOUS, (Reason.PARKED,)),
        id="parked-is-grey",
    ),
    pytest.param(
        make(mail=route(MailRoute.NULL_MX, parking="ns1.parking.example")),
        (B, T.NO_WEBSITE, (Reason.NULL_MX,)),
        id="parked-with-null-mx-takes-no-mail",
    ),
    pytest.param(
        make(business=KIND, mail=route(MailRoute.MX, disposable_mx="mx.throwaway.example")),
        (W, T.BUSINESS, (Reason.BUSINESS,)),
        id="mx-evidence-never-against-a-known-company",
    ),
    pytest.param(
        make(listings=(REVIEWED,), mail=route(MailRoute.NOT_FOUND)),
        (B, T.DISPOSABLE, (Reason.DISPOSABLE_REVIEWED,)),
        id="disposable-comes-before-no-website",
    ),
    pytest.param(
        make(education=KIND, mail=route(MailRoute.NOT_FOUND)),
        (B, T.NO_WEBSITE, (Reason.DOMAIN_NOT_FOUND,)),
        id="nxdomain-outranks-education",
    ),
    pytest.param(
        make(mail=route(MailRoute.NULL_MX)),
        (B, T.NO_WEBSITE, (Reason.NULL_MX,)),
        id="null-mx-is-black",
    ),
    pytest.param(
        make(mail=route(MailRoute.NO_MAIL)),
        (B, T.NO_WEBSITE, (Reason.NO_MAIL_ROUTE,)),
        id="neither-mx-nor-address-is-black",
    ),
    pytest.param(
        make(mail=route(MailRoute.UNKNOWN)),
        (W, T.UNLISTED, (Reason.UNLISTED, Reason.MAIL_UNKNOWN)),
        id="timeout-is-not-black",
    ),
    pytest.param(
        make(LocalFlag.PLUS_TAG, free=KIND, has_plus_tags=True),
        (G, T.SUSPICIOUS, (Reason.PLUS_TAG, Reason.FREE_PROVIDER)),
        id="plus-tag-at-a-provider-with-tags",
    ),
    pytest.param(
        make(LocalFlag.PLUS_TAG, free=KIND),
        (W, T.FREE, (Reason.FREE_PROVIDER,)),
        id="plus-tag-elsewhere-is-no-sign",
    ),
    pytest.param(
        make(LocalFlag.MANY_DOTS, business=KIND),
        (G, T.SUSPICIOUS, (Reason.MANY_DOTS,)),
        id="more-than-three-dots",
    ),
    pytest.param(
        make(risky_suffix="xyz", disposable_word="trash"),
        (G, T.SUSPICIOUS, (Reason.RISKY_TLD, Reason.DISPOSABLE_WORD)),
        id="risky-tld-with-a-word",
    ),
    pytest.param(
        make(risky_suffix="xyz", machine_made=True),
        (G, T.SUSPICIOUS, (Reason.RISKY_TLD, Reason.MACHINE_MADE_NAME)),
        id="risky-tld-with-a-machine-made-name",
    ),
    pytest.param(
        make(disposable_word="trash", machine_made=True),
        (W, T.UNLISTED, (Reason.UNLISTED,)),
        id="two-signs-without-a-risky-tld-are-not-enough",
    ),
    pytest.param(
        make(risky_suffix="xyz", machine_made=True, business=KIND),
        (W, T.BUSINESS, (Reason.BUSINESS,)),
        id="name-signs-never-against-a-known-company",
    ),
    pytest.param(
        make(unknown_tld=True),
        (G, T.SUSPICIOUS, (Reason.UNKNOWN_TLD,)),
        id="unknown-tld",
    ),
    pytest.param(
        make(unknown_tld=True, mail=route(MailRoute.MX)),
        (W, T.BUSINESS, (Reason.WORKING_MAIL,)),
        id="working-mail-proves-an-unknown-tld",
    ),
    pytest.param(
        make(unknown_tld=True, mail=route(MailRoute.NOT_FOUND)),
        (B, T.NO_WEBSITE, (Reason.DOMAIN_NOT_FOUND,)),
        id="unknown-tld-that-dns-denies-is-black",
    ),
    pytest.param(
        make(age=AgeFacts(is_new=True), mail=route(MailRoute.MX)),
        (G, T.SUSPICIOUS, (Reason.NEWLY_REGISTERED,)),
        id="newly-registered",
    ),
    pytest.param(
        make(age=AgeFacts(is_new=True), business=KIND),
        (W, T.BUSINESS, (Reason.BUSINESS,)),
        id="newly-registered-never-against-a-known-company",
    ),
    pytest.param(
        make(government=KIND, education=KIND),
        (W, T.GOVERNMENT, (Reason.GOVERNMENT,)),
        id="government-comes-before-education",
    ),
    pytest.param(
        make(education=KIND, free=KIND),
        (W, T.EDUCATION, (Reason.EDUCATION, Reason.FREE_PROVIDER)),
        id="education-comes-before-free",
    ),
    pytest.param(
        make(free=KIND, business=KIND),
        (W, T.FREE, (Reason.FREE_PROVIDER,)),
        id="free-comes-before-business",
    ),
    pytest.param(
        make(mail=route(MailRoute.MX)),
        (W, T.BUSINESS, (Reason.WORKING_MAIL,)),
        id="own-domain-with-working-mail",
    ),
    pytest.param(
        make(mail=route(MailRoute.IMPLICIT_MX)),
        (W, T.UNLISTED, (Reason.UNLISTED,)),
        id="implicit-mx-proves-no-mail-of-its-own",
    ),
    pytest.param(
        make(LocalFlag.ROLE),
        (W, T.UNLISTED, (Reason.UNLISTED, Reason.ROLE_ACCOUNT)),
        id="role-account-is-a-fact-not-a-category",
    ),
    pytest.param(make(), (W, T.UNLISTED, (Reason.UNLISTED,)), id="nothing-known"),
]


@pytest.mark.parametrize(("facts", "expected"), CASES)
def test_policy(facts: AddressFacts, expected: tuple[Category, DomainType, tuple[Reason, ...]]):
    assert decide(facts) == Verdict(*expected)


def test_only_invalid_is_uncharged():
    charged = {
        domain_type: Verdict(W, domain_type, (Reason.UNLISTED,)).is_charged
        for domain_type in DomainType
    }
    assert [domain_type for domain_type, is_charged in charged.items() if not is_charged] == [
        DomainType.INVALID
    ]


def test_decide_refuses_a_well_formed_address_without_domain_facts():
    with pytest.raises(ValueError, match="facts of its domain"):
        decide(AddressFacts())
