"""Lists are cited with their dates."""

from datetime import date

import pytest

from winnow.core.ports import StaticKnowledge
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.evidence import collect_evidence, find_first_listed
from winnow.core.verdicts.facts import DomainFacts, Listing
from winnow.core.verdicts.judge import Judge, judge_text
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category, Verdict

HAND = Listing("by hand", "hand", "trash.example", date(2026, 11, 9), reviewed=True)
CRAWL = Listing("crawl", "crawl", "example", date(2026, 7, 1))


def test_lists_are_cited_each_with_its_date():
    verdict = Verdict(
        Category.BLACK,
        DomainType.DISPOSABLE,
        (Reason.DISPOSABLE_REVIEWED, Reason.DISPOSABLE_LISTED),
    )
    evidence = collect_evidence(verdict, DomainFacts("a.trash.example", listings=(HAND, CRAWL)))
    assert [(found.reason, found.source, found.dated, found.matched) for found in evidence] == [
        (Reason.DISPOSABLE_REVIEWED, "by hand", date(2026, 11, 9), "trash.example"),
        (Reason.DISPOSABLE_LISTED, "by hand", date(2026, 11, 9), "trash.example"),
        (Reason.DISPOSABLE_LISTED, "crawl", date(2026, 7, 1), "example"),
    ]


def test_first_listed_is_the_earliest_date():
    assert find_first_listed(DomainFacts("x", listings=(HAND, CRAWL))) == date(2026, 7, 1)
    assert find_first_listed(DomainFacts("x")) is None


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
