"""What stands behind a verdict is gathered once: each address still gets what is its own."""

from dataclasses import replace
from datetime import UTC, date, datetime

from winnow.core.own_lists.patterns import OwnLists
from winnow.core.ports import StaticKnowledge
from winnow.core.verdicts.evidence import collect_evidence
from winnow.core.verdicts.facts import (
    AgeFacts,
    DomainFacts,
    Listing,
    ListReach,
    MailFacts,
    MailRoute,
    OwnEntry,
)
from winnow.core.verdicts.judge import Judge, judge_text
from winnow.core.verdicts.not_black import explain_not_black
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.single_check import gather_findings
from winnow.core.verdicts.verdict import Category

REACH = ListReach(("one", "two"), 2, date(2026, 1, 1))


def test_whatever_differs_is_gathered_anew() -> None:
    plain = DomainFacts("kurz.de")
    listing = Listing("list", "family", "kurz.de", date(2026, 2, 1))
    asked = MailFacts(MailRoute.MX, "mx.kurz.de", asked_at=datetime(2026, 3, 1, tzinfo=UTC))
    entry = OwnEntry(Category.GREY, "kurz.de", Reason.OWN_DOMAIN, note="first")
    cases = [
        (facts, own, reach)
        for facts in (
            *(plain, replace(plain, premium=True), replace(plain, listings=(listing,))),
            *(replace(plain, mail=asked), replace(plain, mail=replace(asked, mx_host="b.de"))),
            replace(plain, age=AgeFacts(date(2020, 1, 1))),
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
