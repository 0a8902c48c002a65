"""The judge that single checks, lists and the API share, and own lists in front of it."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from itertools import combinations

import pytest

from winnow.core.errors import BadField
from winnow.core.judging.judge import Judge, Judgement, SandboxJudge, judge_text
from winnow.core.own_lists.patterns import OwnLists, PatternKind, parse_pattern
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
    Weight,
)
from winnow.core.verdicts.policy import MEDIATED, decide
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category


def test_what_was_decided_by_comes_along() -> None:
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
REVIEWED = Listing("hand", "hand", "x.example", weight=Weight.REVIEWED)
HOST = (MailRoute.MX, "mx.x.example")
VALUES: dict[str, list[object]] = {
    "registrable": ["x.example"],
    "listings": [
        *((LISTING,), (REVIEWED,), (LISTING, REVIEWED), (REVIEWED, LISTING)),
        *(
            (replace(LISTING, weight=weight, doubtful=doubtful),)
            for weight in Weight
            for doubtful in (False, True)
        ),
    ],
    "misspells": ["y.example", "z.example"],
    "imitates": ["y.example"],
    "mediated": [Listing("list", family, "x.example") for family in MEDIATED],
    "protection": [Protection(Guard.KNOWN_CONFLICT)],
    "disposable_word": ["trash"],
    "mail": [
        *(MailFacts(route) for route in MailRoute),
        MailFacts(*HOST),
        MailFacts(*HOST, disposable_mx="mx.x.example"),
        MailFacts(*HOST, parking="mx.x.example"),
    ],
    "age": [AgeFacts(is_new=True), AgeFacts(date(2026, 11, 1), registry="rdap.example")],
    "risky_suffix": ["example"],
    "local_signs": [LocalFlag.NO_MAILBOX, LocalFlag.MANY_DOTS | LocalFlag.PROVIDER_FILLER],
}
KINDS = "long_listed relay placeholder free education government business subdomain_host"
SIGNS = "has_plus_tags unknown_tld is_reserved is_word_common is_compound machine_made premium"
VALUES |= {name: [LISTING] for name in KINDS.split()} | {name: [True] for name in SIGNS.split()}


def test_what_was_decided_of_a_view_holds_for_each_domain_of_it() -> None:
    """Every fact alone and beside every other one: nothing that the rules read is left out."""
    assert {"domain", "own", *VALUES} == {*DomainFacts._fields}
    single = [(name, value) for name, values in VALUES.items() for value in values]
    table = {
        f"{number}.example": DomainFacts(f"{number}.example", **dict(chosen))  # type: ignore[arg-type]
        for number, chosen in enumerate([(), *combinations(single, 1), *combinations(single, 2)])
    }
    judge = Judge(StaticKnowledge(table))
    flags = [LocalFlag(value) for value in range(64)]
    for domain, facts in table.items():
        decided = [decide(AddressFacts(flags=flag, domain=facts)) for flag in flags]
        assert judge.verdicts(flags, domain) == decided
        assert [judge.decide(flag, facts) for flag in flags] == decided


KNOWLEDGE = StaticKnowledge(
    {"odd.de": DomainFacts("odd.de", machine_made=True, risky_suffix="xyz")}
)
OWN = OwnLists.build(
    1,
    (
        OwnEntry(Category.BLACK, "own.de", Reason.OWN_DOMAIN),
        OwnEntry(Category.GREY, "*.wild.de", Reason.OWN_WILDCARD),
    ),
)
DOMAINS = ["a.de", "odd.de", "b.de", "own.de", "a.wild.de", "wild.de", "none.de"]


class _Mail:
    def look_up(self, domain: str) -> MailFacts:
        return MailFacts(MailRoute.NOT_FOUND if domain == "none.de" else MailRoute.MX)

    def look_up_many(self, domains: Iterable[str]) -> None:
        """Nothing to gather."""


@pytest.mark.parametrize(
    "judge",
    [
        pytest.param(Judge(KNOWLEDGE), id="live"),
        pytest.param(Judge(KNOWLEDGE, mail=_Mail()), id="live-with-mail"),
        pytest.param(Judge(KNOWLEDGE).put_own_first(OWN), id="own"),
        pytest.param(Judge(KNOWLEDGE, mail=_Mail()).put_own_first(OWN), id="own-with-mail"),
        pytest.param(SandboxJudge(), id="sandbox"),
    ],
)
def test_alike_means_the_same_verdicts(judge: Judge) -> None:
    flags = [LocalFlag(value) for value in range(8)]
    seen: dict[int, object] = {}
    for domain, number in zip(DOMAINS, judge.number_alike(DOMAINS), strict=True):
        verdicts = judge.verdicts(flags, domain)
        if number:
            assert seen.setdefault(number, verdicts) == verdicts


def test_what_is_known_of_nobody_is_alike() -> None:
    assert Judge(KNOWLEDGE).number_alike(DOMAINS) == b"\1\0\1\1\1\1\1"
    assert Judge(KNOWLEDGE).put_own_first(OWN).number_alike(DOMAINS) == b"\1\0\1\0\0\1\1"


SUFFIXES = frozenset({"de", "co.uk", "uk", "com", "xn--p1ai"})
DISPOSABLE = DomainFacts(
    "weg.de", listings=(Listing("one", "one", "weg.de", weight=Weight.REVIEWED),)
)
JUDGE = Judge(StaticKnowledge({"weg.de": DISPOSABLE}))


def own(category: Category, text: str) -> OwnEntry:
    pattern = parse_pattern(text, SUFFIXES.__contains__)
    return OwnEntry(category, pattern.text, pattern.kind.reason)


@pytest.mark.parametrize(
    ("text", "canonical", "kind"),
    [
        ("Ana@Example.COM", "ana@example.com", PatternKind.ADDRESS),
        (" ana@bücher.de ", "ana@xn--bcher-kva.de", PatternKind.ADDRESS),
        ('"a b"@kurz.de', '"a b"@kurz.de', PatternKind.ADDRESS),
        ("a/b@kurz.de", "a/b@kurz.de", PatternKind.ADDRESS),
        ("Example.com", "example.com", PatternKind.DOMAIN),
        ("@example.com", "example.com", PatternKind.DOMAIN),
        ("example.com.", "example.com", PatternKind.DOMAIN),
        ("BÜCHER.de", "xn--bcher-kva.de", PatternKind.DOMAIN),
        ("xn--bcher-kva.de", "xn--bcher-kva.de", PatternKind.DOMAIN),
        ("a。b.de", "a.b.de", PatternKind.DOMAIN),
        ("*.Example.com", "*.example.com", PatternKind.WILDCARD),
        ("*.bücher.de", "*.xn--bcher-kva.de", PatternKind.WILDCARD),
        (" Presse@*", "presse@*", PatternKind.LOCAL_PART),
        ("jo\u0308rg+x@*", "jörg+x@*", PatternKind.LOCAL_PART),
    ],
)
def test_a_pattern_is_kept_in_one_form(text: str, canonical: str, kind: PatternKind) -> None:
    pattern = parse_pattern(text, SUFFIXES.__contains__)
    assert (pattern.text, pattern.kind) == (canonical, kind)
    assert parse_pattern(pattern.text, SUFFIXES.__contains__) == pattern


@pytest.mark.parametrize(
    "text",
    [
        "", "  ", "*", "*.", "*.*", "*.*.de", "a*.de", "*a.de", "*@kurz.de", "ana@*.kurz.de",
        "*@*", "a*@*", "a@b@*", f"{'a' * 65}@*",
        "de", "*.de", "co.uk", "*.co.uk", "рф", "*.рф", "localhost", "kurz", "a..de", "-a.de",
        "a b.de", "ana@", "@", "@@kurz.de", "ana@kurz", "Ana <ana@kurz.de>", "mailto:ana@kurz.de",
        "https://kurz.de/x", "kurz.de/x", "kurz.de/@ana.de", "www.kurz.de/x@y.de", "BÜCHER.de/x@*",
        "[127.0.0.1]", "127.0.0.1", "x.test", "ana@x.test",
        "a\0.de", f"{'a' * 250}.de", f"{'a' * 65}@kurz.de", "x" * 5000,
    ],
)  # fmt: skip
def test_what_is_no_pattern_is_refused_without_naming_it(text: str) -> None:
    with pytest.raises(BadField) as caught:
        parse_pattern(text, SUFFIXES.__contains__)
    assert len(text.strip()) < 3 or text.strip() not in str(caught.value)


@pytest.mark.parametrize(
    ("domain", "pattern"),
    [
        *((name, name) for name in ("kurz.de", "b.kurz.de", "only.de")),
        ("a.kurz.de", "*.kurz.de"),
        *((name, "*.b.kurz.de") for name in ("a.b.kurz.de", "x.a.b.kurz.de")),
        ("x.bare.de", "*.bare.de"),
        *((name, None) for name in ("bare.de", "xbare.de", "kurz.de.evil.de", "a.only.de")),
    ],
)
def test_a_domain_means_itself_and_a_wildcard_what_is_below(
    domain: str, pattern: str | None
) -> None:
    patterns = ("kurz.de", "*.kurz.de", "*.b.kurz.de", "b.kurz.de", "*.bare.de", "only.de")
    lists = OwnLists.build(1, [own(Category.GREY, text) for text in patterns])
    found = lists.match_domain(domain)
    assert (found.pattern if found else None) == pattern


def test_address_then_domain_then_wildcard_then_local_part_then_the_policy() -> None:
    lists = OwnLists.build(
        1,
        [
            own(Category.WHITE, "ana@a.weg.de"),
            own(Category.GREY, "a.weg.de"),
            own(Category.BLACK, "*.weg.de"),
            own(Category.GREY, "bo@*"),
        ],
    )
    judge = JUDGE.put_own_first(lists)
    found = {
        text: judge_text(judge, text).verdict
        for text in (
            *("ANA@A.weg.de", "bo@a.weg.de", "bo@b.weg.de", "Bo@weg.de"),
            *("bo+x@weg.de", "bo@a..weg.de"),
        )
    }
    assert [(v.category, v.domain_type.value, v.reasons[0]) for v in found.values()] == [
        (Category.WHITE, "white", Reason.OWN_ADDRESS),
        (Category.GREY, "grey", Reason.OWN_DOMAIN),
        (Category.BLACK, "black", Reason.OWN_WILDCARD),
        (Category.GREY, "grey", Reason.OWN_LOCAL_PART),
        (Category.BLACK, "disposable", Reason.DISPOSABLE_REVIEWED),
        (Category.BLACK, "invalid", Reason.DOMAIN_SYNTAX),
    ]
    for text in ("ANA@A.weg.de", "bo@a.weg.de", "bo@b.weg.de", "Bo@weg.de"):
        assert found[text].overruled == judge_text(JUDGE, text).verdict
        assert found[text].is_charged


def test_empty_lists_leave_the_judge_alone_and_the_sandbox_has_none() -> None:
    assert JUDGE.put_own_first(OwnLists()) is JUDGE
    assert judge_text(SandboxJudge(), "test@gmail.com").verdict.overruled is None
