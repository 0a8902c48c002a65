"""The policy as a table: each case is named for what it proves."""

from datetime import UTC, date, datetime
from typing import Any

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
    Weight,
)
from winnow.core.verdicts.policy import decide
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category, Verdict

REVIEWED = Listing("by hand", "hand", "x.example", date(2026, 11, 9), weight=Weight.REVIEWED)
CRAWLED = Listing("crawl", "crawl", "x.example", date(2026, 7, 1))
COPIED = Listing("copy of the crawl", "crawl", "x.example", date(2026, 7, 2))
DOUBTFUL = Listing("dirty", "dirty", "x.example", doubtful=True)
CURRENT = Listing("fresh crawl", "crawl", "x.example", weight=Weight.CURRENT)
HINT = Listing("copied", "crawl", "x.example", weight=Weight.HINT)
UNSOURCED = Listing("unsourced", "crawl", "x.example", weight=Weight.HINT, doubtful=True)
KIND = Listing("reviewed file", "own", "x.example")
ASKED_AT = datetime(2026, 11, 20, tzinfo=UTC)


def make(flags: LocalFlag = LocalFlag.NONE, **facts: object) -> AddressFacts:
    return AddressFacts(flags=flags, domain=DomainFacts("x.example", **facts))  # type: ignore[arg-type]


def route(of: MailRoute, **more: object) -> MailFacts:
    return MailFacts(route=of, asked_at=ASKED_AT, **more)  # type: ignore[arg-type]


def own(category: Category, reason: Reason) -> OwnEntry:
    return OwnEntry(category, "x.example", reason)


W, G, B = Category
T, R = DomainType, Reason

CASES = [
    ("invalid-outranks-own-lists",
     AddressFacts(fault=R.NO_AT_SIGN, own=own(W, R.OWN_ADDRESS)), (B, T.INVALID, R.NO_AT_SIGN)),
    ("own-address-outranks-own-domain",
     AddressFacts(domain=DomainFacts("x", own=own(B, R.OWN_DOMAIN)), own=own(W, R.OWN_ADDRESS)),
     (W, T.WHITE, R.OWN_ADDRESS)),
    ("own-domain-outranks-disposable",
     make(listings=(REVIEWED,), own=own(W, R.OWN_DOMAIN)), (W, T.WHITE, R.OWN_DOMAIN)),
    ("own-grey-wildcard", make(own=own(G, R.OWN_WILDCARD)), (G, T.GREY, R.OWN_WILDCARD)),
    ("relay-is-never-black",
     make(relay=KIND, listings=(REVIEWED, CRAWLED)), (G, T.MULTI_ALIAS, R.RELAY)),
    ("relay-without-mail-is-still-a-relay",
     make(relay=KIND, mail=route(MailRoute.NOT_FOUND)), (G, T.MULTI_ALIAS, R.RELAY)),
    ("look-alike-comes-before-disposable",
     make(misspells="gmail.com", listings=(REVIEWED,)), (G, T.MASKED, R.CLOSE_MISSPELLING)),
    ("look-alike-that-takes-no-mail-is-black",
     make(imitates="gmail.com", mail=route(MailRoute.NULL_MX)),
     (B, T.MASKED, R.CONFUSABLE_SCRIPT, R.NULL_MX)),
    ("look-alike-with-silence-stays-grey",
     make(misspells="gmail.com", mail=route(MailRoute.UNKNOWN)),
     (G, T.MASKED, R.CLOSE_MISSPELLING, R.MAIL_UNKNOWN)),
    ("placeholder-comes-before-disposable",
     make(placeholder=KIND, listings=(REVIEWED,)), (G, T.SUSPICIOUS, R.PLACEHOLDER)),
    ("reviewed-by-hand-is-enough",
     make(listings=(REVIEWED,)), (B, T.DISPOSABLE, R.DISPOSABLE_REVIEWED)),
    ("two-families-are-enough",
     make(listings=(CRAWLED, DOUBTFUL)), (B, T.DISPOSABLE, R.DISPOSABLE_LISTED)),
    ("a-copy-of-a-list-is-no-second-family",
     make(listings=(CRAWLED, COPIED)), (G, T.SUSPICIOUS, R.DOUBTFUL_LIST)),
    ("one-doubtful-list-is-grey", make(listings=(DOUBTFUL,)), (G, T.SUSPICIOUS, R.DOUBTFUL_LIST)),
    ("one-doubtful-list-with-a-sign-is-black", make(listings=(DOUBTFUL,), risky_suffix="xyz"),
     (B, T.DISPOSABLE, R.DISPOSABLE_SIGN, R.RISKY_TLD)),
    ("one-doubtful-list-with-a-telling-word-is-black",
     make(listings=(DOUBTFUL,), disposable_word="trash"),
     (B, T.DISPOSABLE, R.DISPOSABLE_SIGN, R.DISPOSABLE_WORD)),
    ("a-word-that-honest-services-use-is-no-witness",
     make(listings=(DOUBTFUL,), disposable_word="mail", is_word_common=True, machine_made=True),
     (G, T.SUSPICIOUS, R.DOUBTFUL_LIST, R.DISPOSABLE_WORD, R.MACHINE_MADE_NAME)),
    ("beside-that-word-a-risky-tld-is-one",
     make(listings=(DOUBTFUL,), disposable_word="mail", is_word_common=True, risky_suffix="xyz"),
     (B, T.DISPOSABLE, R.DISPOSABLE_SIGN, R.RISKY_TLD, R.DISPOSABLE_WORD)),
    ("one-doubtful-list-with-the-form-of-a-name-is-grey",
     make(listings=(DOUBTFUL,), machine_made=True),
     (G, T.SUSPICIOUS, R.DOUBTFUL_LIST, R.MACHINE_MADE_NAME)),
    ("a-current-crawl-is-enough", make(listings=(CURRENT,)),
     (B, T.DISPOSABLE, R.DISPOSABLE_CRAWLED)),
    ("a-copied-listing-is-white", make(listings=(HINT,)), (W, T.UNLISTED, R.UNLISTED)),
    ("a-copied-listing-with-a-sign-is-black", make(listings=(HINT,), machine_made=True),
     (B, T.DISPOSABLE, R.DISPOSABLE_SIGN, R.MACHINE_MADE_NAME)),
    ("a-copied-listing-and-mx-evidence",
     make(listings=(HINT,), mail=route(MailRoute.MX, disposable_mx="192.0.2.66")),
     (B, T.DISPOSABLE, R.DISPOSABLE_MX)),
    ("of-unknown-sources-with-the-form-of-a-name", make(listings=(UNSOURCED,), machine_made=True),
     (G, T.SUSPICIOUS, R.DOUBTFUL_LIST, R.MACHINE_MADE_NAME)),
    ("of-unknown-sources-with-an-ending", make(listings=(UNSOURCED,), risky_suffix="xyz"),
     (B, T.DISPOSABLE, R.DISPOSABLE_SIGN, R.RISKY_TLD)),
    ("an-ending-beside-a-long-listed-name-is-grey",
     make(listings=(HINT,), long_listed=KIND, risky_suffix="xyz"),
     (G, T.SUSPICIOUS, R.DOUBTFUL_LIST, R.RISKY_TLD)),
    ("two-signs-beside-it-are-black",
     make(listings=(HINT,), long_listed=KIND, risky_suffix="xyz", machine_made=True),
     (B, T.DISPOSABLE, R.DISPOSABLE_SIGN, R.RISKY_TLD, R.MACHINE_MADE_NAME)),
    ("a-copied-listing-beside-another-family", make(listings=(HINT, CRAWLED, DOUBTFUL)),
     (B, T.DISPOSABLE, R.DISPOSABLE_LISTED)),
    ("below-a-host-of-free-subdomains",
     make(subdomain_host=KIND), (G, T.SUSPICIOUS, R.SUBDOMAIN_HOST)),
    ("a-company-below-such-a-host",
     make(subdomain_host=KIND, business=KIND), (W, T.BUSINESS, R.BUSINESS)),
    ("such-a-host-is-a-witness-beside-a-list", make(subdomain_host=KIND, listings=(DOUBTFUL,)),
     (B, T.DISPOSABLE, R.DISPOSABLE_SIGN, R.SUBDOMAIN_HOST)),
    ("mx-evidence-alone-is-a-doubt",
     make(mail=route(MailRoute.MX, disposable_mx="mx.throwaway.example")),
     (G, T.SUSPICIOUS, R.DISPOSABLE_NEIGHBOURS)),
    ("mx-evidence-and-one-list",
     make(listings=(DOUBTFUL,), mail=route(MailRoute.MX, disposable_mx="192.0.2.66")),
     (B, T.DISPOSABLE, R.DISPOSABLE_MX)),
    ("mx-evidence-and-a-new-name",
     make(age=AgeFacts(is_new=True), mail=route(MailRoute.MX, disposable_mx="192.0.2.66")),
     (B, T.DISPOSABLE, R.DISPOSABLE_MX)),
    ("mx-evidence-and-a-sign-in-the-name",
     make(risky_suffix="xyz", mail=route(MailRoute.MX, disposable_mx="mx.x.example")),
     (B, T.DISPOSABLE, R.DISPOSABLE_MX, R.RISKY_TLD)),
    ("neighbours-say-nothing-of-a-known-company",
     make(business=KIND, mail=route(MailRoute.MX, disposable_mx="192.0.2.66", parking="p")),
     (W, T.BUSINESS, R.BUSINESS)),
    ("parked-is-grey", make(mail=route(MailRoute.IMPLICIT_MX, parking="ns1.parking.example")),
     (G, T.SUSPICIOUS, R.PARKED)),
    ("parked-with-null-mx-takes-no-mail",
     make(mail=route(MailRoute.NULL_MX, parking="ns1.parking.example")),
     (B, T.NO_WEBSITE, R.NULL_MX)),
    ("disposable-comes-before-no-website",
     make(listings=(REVIEWED,), mail=route(MailRoute.NOT_FOUND)),
     (B, T.DISPOSABLE, R.DISPOSABLE_REVIEWED)),
    ("nxdomain-outranks-education",
     make(education=KIND, mail=route(MailRoute.NOT_FOUND)), (B, T.NO_WEBSITE, R.DOMAIN_NOT_FOUND)),
    ("null-mx-is-black", make(mail=route(MailRoute.NULL_MX)), (B, T.NO_WEBSITE, R.NULL_MX)),
    ("neither-mx-nor-address-is-black",
     make(mail=route(MailRoute.NO_MAIL)), (B, T.NO_WEBSITE, R.NO_MAIL_ROUTE)),
    ("timeout-is-not-black",
     make(mail=route(MailRoute.UNKNOWN)), (W, T.UNLISTED, R.UNLISTED, R.MAIL_UNKNOWN)),
    ("plus-tag-at-a-provider-with-tags", make(LocalFlag.PLUS_TAG, free=KIND, has_plus_tags=True),
     (G, T.SUSPICIOUS, R.PLUS_TAG, R.FREE_PROVIDER)),
    ("plus-tag-elsewhere-is-no-sign",
     make(LocalFlag.PLUS_TAG, free=KIND), (W, T.FREE, R.FREE_PROVIDER)),
    ("more-than-three-dots-where-the-provider-ignores-them",
     make(LocalFlag.MANY_DOTS, business=KIND, local_signs=LocalFlag.MANY_DOTS),
     (G, T.SUSPICIOUS, R.MANY_DOTS)),
    ("more-than-three-dots-elsewhere-are-a-person",
     make(LocalFlag.MANY_DOTS, business=KIND), (W, T.BUSINESS, R.BUSINESS)),
    ("more-than-five-lone-parts",
     make(LocalFlag.MANY_DOTS | LocalFlag.LONE_PARTS), (G, T.SUSPICIOUS, R.MANY_DOTS)),
    ("a-throw-away-compound-is-grey-by-itself", make(disposable_word="tempmail", is_compound=True),
     (G, T.SUSPICIOUS, R.DISPOSABLE_WORD)),
    ("never-against-a-known-provider",
     make(disposable_word="tempmail", is_compound=True, free=KIND), (W, T.FREE, R.FREE_PROVIDER)),
    ("risky-tld-with-a-word", make(risky_suffix="xyz", disposable_word="trash"),
     (G, T.SUSPICIOUS, R.RISKY_TLD, R.DISPOSABLE_WORD)),
    ("risky-tld-with-a-machine-made-name", make(risky_suffix="xyz", machine_made=True),
     (G, T.SUSPICIOUS, R.RISKY_TLD, R.MACHINE_MADE_NAME)),
    ("two-signs-without-a-risky-tld-are-not-enough",
     make(disposable_word="trash", machine_made=True), (W, T.UNLISTED, R.UNLISTED)),
    ("name-signs-never-against-a-known-company",
     make(risky_suffix="xyz", machine_made=True, business=KIND), (W, T.BUSINESS, R.BUSINESS)),
    ("unknown-tld", make(unknown_tld=True), (G, T.SUSPICIOUS, R.UNKNOWN_TLD)),
    ("working-mail-proves-an-unknown-tld",
     make(unknown_tld=True, mail=route(MailRoute.MX)), (W, T.BUSINESS, R.WORKING_MAIL)),
    ("unknown-tld-that-dns-denies-is-black",
     make(unknown_tld=True, mail=route(MailRoute.NOT_FOUND)),
     (B, T.NO_WEBSITE, R.DOMAIN_NOT_FOUND)),
    ("newly-registered", make(age=AgeFacts(is_new=True), mail=route(MailRoute.MX)),
     (G, T.SUSPICIOUS, R.NEWLY_REGISTERED)),
    ("newly-registered-never-against-a-known-company",
     make(age=AgeFacts(is_new=True), business=KIND), (W, T.BUSINESS, R.BUSINESS)),
    ("government-comes-before-education",
     make(government=KIND, education=KIND), (W, T.GOVERNMENT, R.GOVERNMENT)),
    ("education-comes-before-free",
     make(education=KIND, free=KIND), (W, T.EDUCATION, R.EDUCATION, R.FREE_PROVIDER)),
    ("free-comes-before-business", make(free=KIND, business=KIND), (W, T.FREE, R.FREE_PROVIDER)),
    ("own-domain-with-working-mail",
     make(mail=route(MailRoute.MX)), (W, T.BUSINESS, R.WORKING_MAIL)),
    ("implicit-mx-proves-no-mail-of-its-own",
     make(mail=route(MailRoute.IMPLICIT_MX)), (W, T.UNLISTED, R.UNLISTED)),
    ("role-account-is-a-fact-not-a-category",
     make(LocalFlag.ROLE), (W, T.UNLISTED, R.UNLISTED, R.ROLE_ACCOUNT)),
    ("nothing-known", make(), (W, T.UNLISTED, R.UNLISTED)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("facts", "expected"), [pytest.param(*case, id=name) for name, *case in CASES]
)
def test_policy(facts: AddressFacts, expected: tuple[Any, ...]) -> None:
    category, domain_type, *reasons = expected
    assert decide(facts) == Verdict(category, domain_type, tuple(reasons))


def test_only_invalid_is_uncharged() -> None:
    free = [one for one in DomainType if not Verdict(W, one, (Reason.UNLISTED,)).is_charged]
    assert free == [DomainType.INVALID]


def test_decide_refuses_a_well_formed_address_without_domain_facts() -> None:
    with pytest.raises(ValueError, match="facts of its domain"):
        decide(AddressFacts())
