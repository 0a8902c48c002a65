"""What a verdict is explained by: lists, the fault, why it is not black, and how likely it is."""

from dataclasses import replace
from datetime import UTC, date, datetime
from itertools import pairwise, product

import pytest

from winnow.core.judging.evidence import collect_evidence, find_first_listed
from winnow.core.judging.judge import Judge, judge_text
from winnow.core.judging.not_black import GUARD_SENTENCES, explain_not_black
from winnow.core.judging.single_check import gather_findings
from winnow.core.own_lists.patterns import OwnLists
from winnow.core.ports import StaticKnowledge
from winnow.core.verdicts.facts import (
    AddressFacts,
    AgeFacts,
    DomainFacts,
    Guard,
    Listing,
    ListReach,
    LocalFlag,
    MailFacts,
    MailRoute,
    OwnEntry,
    Protection,
    Weight,
)
from winnow.core.verdicts.policy import SANDBOX_DEFAULT, decide
from winnow.core.verdicts.probability import GROUPS, KNOWN, SIGNS, find_group, find_measured_group
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category
from winnow.domain_data.look_up.look_up import Knowledge

NAME = "a.kurz.example"
CRAWL = Listing("crawl", "crawl", "example", date(2026, 7, 1))
COPY = Listing("copy", "crawl", NAME, date(2026, 8, 1))
HAND = Listing("by hand", "hand", "kurz.example", date(2026, 11, 9), weight=Weight.REVIEWED)
FREE = Listing("providers", "free", NAME, date(2026, 1, 1))
REACH = ListReach(("by hand", "crawl", "copy"), 2, date(2026, 11, 9))
ASKED = datetime(2026, 11, 20, 12, tzinfo=UTC)


def know(**facts: object) -> DomainFacts:
    return DomainFacts(NAME, **facts)  # type: ignore[arg-type]


def set_aside(*listings: Listing, note: str = "") -> DomainFacts:
    return know(protection=Protection(Guard.KNOWN_CONFLICT, listings, note))


def route(of: MailRoute, *hosts: str, **more: str) -> MailFacts:
    return MailFacts(of, *hosts, asked_at=ASKED, **more)  # type: ignore[arg-type]


def explain(facts: DomainFacts) -> str:
    verdict = decide(AddressFacts(domain=facts))
    findings = explain_not_black(verdict, facts, REACH)
    assert all(found.reason is verdict.reasons[0] for found in findings)
    return "\n".join(found.rule for found in findings)


def test_lists_are_cited_each_with_its_date() -> None:
    facts = know(listings=(HAND, CRAWL))
    evidence = collect_evidence(decide(AddressFacts(domain=facts)), facts)
    assert [(found.reason, found.source, found.dated, found.matched) for found in evidence] == [
        (Reason.DISPOSABLE_REVIEWED, "by hand", date(2026, 11, 9), "kurz.example"),
        (Reason.DISPOSABLE_LISTED, "by hand", date(2026, 11, 9), "kurz.example"),
        (Reason.DISPOSABLE_LISTED, "crawl", date(2026, 7, 1), "example"),
    ]
    assert find_first_listed(facts) == date(2026, 7, 1)
    assert find_first_listed(know()) is None


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("a na@x.de", "There is a blank before the at-sign"),
        ("ana,b@x.de", "Before the at-sign is “,”, which is not allowed there"),
        ("ana..b@x.de", "Before the at-sign, a dot is first or last, or two dots are next to each"),
        ("ana@firma_x.de", "The domain has “_”"),
        ("ana@fir ma.de", "The domain has a blank"),
        ("ana@x\u200b.de", "a character that cannot be seen: U+200B ZERO WIDTH SPACE."),
        ("ana\x07@x.de", "a character that cannot be seen: U+0007."),
        ("ana@-x.de", "letters, digits and hyphens between them"),
        ("ana@b@x.de", "this one has more"),
        ("ana@@kurz", "this one has more"),
    ],
)
def test_the_offending_character_is_named(text: str, rule: str) -> None:
    judged = judge_text(Judge(StaticKnowledge()), text)
    (evidence,) = collect_evidence(judged.verdict, None, None, judged.fault)
    assert rule in evidence.rule


def test_every_guard_has_its_sentence() -> None:
    assert set(GUARD_SENTENCES) == set(Guard)


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        (know(), "on none of the lists of disposable services. There are 3,"),
        (know(listings=(CRAWL,)), "Only one list names it"),
        (know(listings=(CRAWL, COPY)), "2 lists name it, but they copy one another"),
        (set_aside(HAND, CRAWL), "2 lists name kurz.example. They do not count here."),
        (set_aside(CRAWL, note="a newspaper"), "by mistake. Note: a newspaper"),
        (know(risky_suffix="xyz"), "Signs in the name alone (its ending) are never enough"),
        (know(), "no sign in its name"),
        (know(), "DNS was not asked"),
        (know(mail=route(MailRoute.UNKNOWN)), "gave no answer, which does not count against"),
        (know(mail=route(MailRoute.IMPLICIT_MX)), "may take its mail (RFC 5321, 5.1)."),
        (know(free=FREE, mail=route(MailRoute.MX, "mx.example", "mx.example")),
         "for a known provider"),
        (know(), "no registry was asked"),
        (know(age=AgeFacts(registry="r.example", asked_at=ASKED)), "the registry did not give it"),
        (know(age=AgeFacts(date(2010, 1, 1))), "not registered recently"),
        (know(relay=FREE), "Relays are not removed"),
        (know(misspells="gmail.com"), "or a typing mistake is only removed where DNS"),
    ],
)  # fmt: skip
def test_it_says_what_was_looked_at(facts: DomainFacts, said: str) -> None:
    assert said in explain(facts)


def test_the_newest_list_is_dated() -> None:
    lists = explain_not_black(decide(AddressFacts(domain=know())), know(), REACH)[0]
    assert (lists.source, lists.dated) == ("by hand, crawl, copy", date(2026, 11, 9))


def test_dns_that_decided_is_not_said_twice() -> None:
    assert "DNS" not in explain(know(mail=route(MailRoute.MX, "mx.example")))


@pytest.mark.parametrize("category", Category)
def test_black_own_and_sandbox_verdicts_have_nothing_to_explain(category: Category) -> None:
    assert explain(know(listings=(HAND,))) == ""
    assert explain(know(own=OwnEntry(category, NAME, Reason.OWN_DOMAIN))) == ""
    assert explain_not_black(SANDBOX_DEFAULT, know(), REACH) == ()
    assert explain_not_black(decide(AddressFacts(fault=Reason.EMPTY)), None, REACH) == ()


def test_a_mail_host_that_is_a_reason_is_not_set_aside() -> None:
    facts = know(mail=route(MailRoute.MX, "mx.x.example", disposable_mx="mx.x.example"))
    verdict = decide(AddressFacts(domain=facts, flags=LocalFlag.LONE_PARTS))
    assert verdict.reasons == (Reason.MANY_DOTS, Reason.DISPOSABLE_NEIGHBOURS)
    found = explain_not_black(verdict, facts, REACH)
    assert not [one.rule for one in found if "mail server" in one.rule]


def test_whatever_differs_is_gathered_anew() -> None:
    """Findings are cached: each address still gets what is its own."""
    plain = DomainFacts("kurz.de")
    listing = Listing("list", "family", "kurz.de", date(2026, 2, 1))
    asked = MailFacts(MailRoute.MX, "mx.kurz.de", asked_at=datetime(2026, 3, 1, tzinfo=UTC))
    entry = OwnEntry(Category.GREY, "kurz.de", Reason.OWN_DOMAIN, note="first")
    cases = [
        (facts, own, reach)
        for facts in (
            *(plain, plain._replace(premium=True), plain._replace(listings=(listing,))),
            *(plain._replace(mail=asked), plain._replace(mail=replace(asked, mx_host="b.de"))),
            plain._replace(age=AgeFacts(date(2020, 1, 1))),
            *(one._replace(domain="lang.xx") for one in (plain, plain._replace(unknown_tld=True))),
            plain._replace(domain="lang.yy", unknown_tld=True),
            *(plain._replace(domain=name, protection=Protection(Guard.RELAY)) for name in "ab"),
            *(plain._replace(domain=name, registrable=name) for name in ("c.de", "d.de")),
        )
        for own in (None, entry, replace(entry, note="second"))
        for reach in (REACH, replace(REACH, newest_on=date(2026, 5, 1)))
    ]
    for facts, own, reach in cases * 2:
        knowledge = StaticKnowledge({"kurz.de": facts}, reach=reach)
        judge = Judge(knowledge).put_own_first(OwnLists.build(1, [own] if own else []))
        judged = judge_text(judge, "ana@kurz.de")
        found = gather_findings(judged, judge.knowledge.reach)
        assert found.evidence == collect_evidence(judged.verdict, judged.facts, own)
        assert found.not_black == explain_not_black(judged.verdict, judged.facts, reach)
        assert found.group == find_measured_group(judged.verdict, judged.facts)


ONE, COPIED, OTHER, THIRD = (
    Listing(source, family, "x.example")
    for source, family in (("a", "one"), ("b", "one"), ("c", "two"), ("d", "three"))
)
PLAIN = DomainFacts("x.example", registrable="x.example")
HOST = Listing("hosts", "hosts", "example")
SERVED = PLAIN._replace(mail=MailFacts(MailRoute.MX, "mx.example", "mx.example"))


@pytest.mark.parametrize(
    ("facts", "group"),
    [
        (PLAIN, "0 none"),
        (PLAIN._replace(risky_suffix="xyz"), "0 weak"),
        (PLAIN._replace(machine_made=True), "0 weak"),
        (PLAIN._replace(disposable_word="temp"), "0 strong"),
        (PLAIN._replace(subdomain_host=HOST), "0 strong"),
        (PLAIN._replace(risky_suffix="xyz", machine_made=True), "0 strong"),
        pytest.param(PLAIN._replace(listings=(ONE, COPIED)), "1 none", id="copies-count-once"),
        (PLAIN._replace(listings=(ONE, OTHER)), "2 none"),
        pytest.param(PLAIN._replace(listings=(ONE, OTHER, THIRD)), "2 none", id="three-are-two"),
        (PLAIN._replace(free=ONE), KNOWN),
        (PLAIN._replace(relay=ONE), KNOWN),
        pytest.param(PLAIN._replace(free=ONE, listings=(OTHER,)), "1 none", id="listed-provider"),
    ],
)
def test_a_domain_belongs_to_one_group(facts: DomainFacts, group: str) -> None:
    assert find_group(facts) == group
    verdict = decide(AddressFacts(domain=facts))
    assert find_measured_group(verdict, facts) == group


OWN = OwnEntry(Category.BLACK, "x", Reason.OWN_ADDRESS)


@pytest.mark.parametrize(
    "address",
    [
        pytest.param(AddressFacts(fault=Reason.NO_AT_SIGN), id="malformed"),
        pytest.param(AddressFacts(domain=PLAIN, own=OWN), id="own-list"),
        pytest.param(AddressFacts(domain=DomainFacts("co.uk")), id="suffix"),
        pytest.param(AddressFacts(domain=SERVED), id="mail-host-of-disposable-services"),
    ],
)
def test_there_is_none_where_it_is_not_known(address: AddressFacts) -> None:
    assert find_measured_group(decide(address), address.domain) is None
    assert find_measured_group(SANDBOX_DEFAULT, PLAIN) is None


def test_more_families_and_stronger_signs_never_make_it_less_likely(knowledge: Knowledge) -> None:
    found = knowledge.probabilities
    assert set(found) == set(GROUPS)
    assert all(0 < likely < 1 for likely in found.values())
    assert found[KNOWN] <= min(found.values())
    for count, (weaker, stronger) in product(range(3), pairwise(SIGNS)):
        assert found[f"{count} {weaker}"] <= found[f"{count} {stronger}"]
    for (fewer, more), sign in product(pairwise(range(3)), SIGNS):
        assert found[f"{fewer} {sign}"] <= found[f"{more} {sign}"]


def test_it_decides_nothing(knowledge: Knowledge) -> None:
    """The one place where it could: what rules are given has no such field."""
    assert not any("probab" in name for name in DomainFacts._fields)
    provider = knowledge.look_up("gmail.com")
    listed = knowledge.look_up("mailinator.com")
    for facts, is_likely in ((provider, False), (listed, True)):
        group = find_measured_group(decide(AddressFacts(domain=facts)), facts)
        assert (knowledge.probabilities[group or ""] > 0.9) is is_likely
