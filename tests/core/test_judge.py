"""The judge that single checks, lists and the API share."""

from dataclasses import fields
from datetime import date
from itertools import combinations

from winnow.core.own_lists.patterns import OwnLists
from winnow.core.ports import StaticKnowledge
from winnow.core.verdicts.facts import (
    AddressFacts,
    AgeFacts,
    DomainFacts,
    Guard,
    Listing,
    LocalFlag,
    MailFacts,
    MailRoute,
    OwnEntry,
    Protection,
)
from winnow.core.verdicts.judge import Judge, Judgement, judge_text
from winnow.core.verdicts.policy import MEDIATED, decide
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category


def test_what_was_decided_by_comes_along():
    facts = DomainFacts("kurz.de", risky_suffix="xyz")
    own = OwnEntry(Category.BLACK, "ana@kurz.de", Reason.OWN_ADDRESS)
    judge = Judge(StaticKnowledge({"kurz.de": facts})).put_own_first(OwnLists.build(1, [own]))
    named, other = judge_text(judge, "ANA@kurz.de"), judge_text(judge, "bob@kurz.de")
    assert (named.facts, other.facts) == (facts, facts)
    assert (named.own_entry, other.own_entry) == (own, None)
    assert named.verdict.reasons == (Reason.OWN_ADDRESS,)
    assert named.verdict.overruled == other.verdict == decide(AddressFacts(domain=facts))
    malformed = judge_text(judge, "ana@kurz")
    assert malformed == Judgement(None, None, None, judge.invalid(Reason.NO_TLD))


LISTING = Listing("list", "family", "x.example")
REVIEWED = Listing("hand", "hand", "x.example", reviewed=True)
MAILS = [
    *(MailFacts(route) for route in MailRoute),
    MailFacts(MailRoute.MX, "mx.x.example"),
    MailFacts(MailRoute.MX, "mx.x.example", disposable_mx="mx.x.example"),
    MailFacts(MailRoute.MX, "mx.x.example", parking="mx.x.example"),
]
VALUES: dict[str, list[object]] = {
    "registrable": ["x.example"],
    "listings": [(LISTING,), (REVIEWED,), (LISTING, REVIEWED), (REVIEWED, LISTING)],
    "misspells": ["y.example", "z.example"],
    "imitates": ["y.example"],
    "mediated": [Listing("list", family, "x.example") for family in MEDIATED],
    "protection": [Protection(Guard.KNOWN_CONFLICT)],
    "disposable_word": ["trash"],
    "mail": [*MAILS],
    "age": [AgeFacts(is_new=True), AgeFacts(date(2026, 11, 1), registry="rdap.example")],
    **{
        name: [LISTING]
        for name in (
            "relay",
            "placeholder",
            "free",
            "education",
            "government",
            "business",
            "subdomain_host",
        )
    },
    "risky_suffix": ["example"],
    **{
        name: [True]
        for name in (
            "has_plus_tags",
            "unknown_tld",
            "is_reserved",
            "is_word_common",
            "is_filler",
            "machine_made",
            "premium",
        )
    },
}


def test_what_was_decided_of_a_view_holds_for_each_domain_of_it():
    """Every fact alone and beside every other one: nothing that the rules read is left out."""
    assert {"domain", "own", *VALUES} == {field.name for field in fields(DomainFacts)}
    single = [(name, value) for name, values in VALUES.items() for value in values]
    table = {
        f"{number}.example": DomainFacts(f"{number}.example", **dict(chosen))  # type: ignore[arg-type]
        for number, chosen in enumerate([(), *combinations(single, 1), *combinations(single, 2)])
    }
    judge = Judge(StaticKnowledge(table))
    flags = [LocalFlag(value) for value in range(32)]
    for domain, facts in table.items():
        decided = [decide(AddressFacts(flags=flag, domain=facts)) for flag in flags]
        assert judge.verdicts(flags, domain) == decided
        assert [judge.decide(flag, facts) for flag in flags] == decided
