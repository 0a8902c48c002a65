"""The account's your lists: patterns, who comes first, what stays beneath."""

import pytest

from winnow.core.errors import BadField
from winnow.core.own_lists.patterns import REASONS, OwnLists, PatternKind, parse_pattern
from winnow.core.ports import StaticKnowledge
from winnow.core.verdicts.facts import DomainFacts, Listing, OwnEntry
from winnow.core.verdicts.judge import Judge, SandboxJudge, judge_text
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category

SUFFIXES = frozenset({"de", "co.uk", "uk", "com", "xn--p1ai"})
DISPOSABLE = DomainFacts("weg.de", listings=(Listing("one", "one", "weg.de", reviewed=True),))
JUDGE = Judge(StaticKnowledge({"weg.de": DISPOSABLE}))


def own(category: Category, text: str) -> OwnEntry:
    pattern = parse_pattern(text, SUFFIXES.__contains__)
    return OwnEntry(category, pattern.text, REASONS[pattern.kind])


@pytest.mark.parametrize(
    ("text", "canonical", "kind"),
    [
        ("Ana@Example.COM", "ana@example.com", PatternKind.ADDRESS),
        (" ana@bücher.de ", "ana@xn--bcher-kva.de", PatternKind.ADDRESS),
        ('"a b"@kurz.de', '"a b"@kurz.de', PatternKind.ADDRESS),
        ("Example.com", "example.com", PatternKind.DOMAIN),
        ("@example.com", "example.com", PatternKind.DOMAIN),
        ("example.com.", "example.com", PatternKind.DOMAIN),
        ("BÜCHER.de", "xn--bcher-kva.de", PatternKind.DOMAIN),
        ("xn--bcher-kva.de", "xn--bcher-kva.de", PatternKind.DOMAIN),
        ("a。b.de", "a.b.de", PatternKind.DOMAIN),
        ("*.Example.com", "*.example.com", PatternKind.WILDCARD),
        ("*.bücher.de", "*.xn--bcher-kva.de", PatternKind.WILDCARD),
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
        "de", "*.de", "co.uk", "*.co.uk", "рф", "*.рф", "localhost", "kurz", "a..de", "-a.de",
        "a b.de", "ana@", "@", "@@kurz.de", "ana@kurz", "Ana <ana@kurz.de>", "mailto:ana@kurz.de",
        "https://kurz.de/x", "kurz.de/x", "[127.0.0.1]", "127.0.0.1", "x.test", "ana@x.test",
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


def test_address_then_domain_then_wildcard_then_the_policy() -> None:
    lists = OwnLists.build(
        1,
        [
            own(Category.WHITE, "ana@a.weg.de"),
            own(Category.GREY, "a.weg.de"),
            own(Category.BLACK, "*.weg.de"),
        ],
    )
    judge = JUDGE.put_own_first(lists)
    found = {
        text: judge_text(judge, text).verdict
        for text in ("ANA@A.weg.de", "bo@a.weg.de", "bo@b.weg.de", "bo@weg.de", "bo@a..weg.de")
    }
    assert [(v.category, v.domain_type.value, v.reasons[0]) for v in found.values()] == [
        (Category.WHITE, "white", Reason.OWN_ADDRESS),
        (Category.GREY, "grey", Reason.OWN_DOMAIN),
        (Category.BLACK, "black", Reason.OWN_WILDCARD),
        (Category.BLACK, "disposable", Reason.DISPOSABLE_REVIEWED),
        (Category.BLACK, "invalid", Reason.DOMAIN_SYNTAX),
    ]
    for text in ("ANA@A.weg.de", "bo@a.weg.de", "bo@b.weg.de"):
        assert found[text].overruled == judge_text(JUDGE, text).verdict
        assert found[text].is_charged


def test_empty_lists_leave_the_judge_alone_and_the_sandbox_has_none() -> None:
    assert JUDGE.put_own_first(OwnLists()) is JUDGE
    assert judge_text(SandboxJudge(), "test@gmail.com").verdict.overruled is None
