"""Domains that a judge numbers alike get the same verdicts from it."""

from collections.abc import Iterable

import pytest

from winnow.core.own_lists.patterns import OwnLists
from winnow.core.ports import StaticKnowledge
from winnow.core.verdicts.facts import DomainFacts, LocalFlag, MailFacts, MailRoute, OwnEntry
from winnow.core.verdicts.judge import Judge, SandboxJudge
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category

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
    numbers = judge.number_alike(DOMAINS)
    assert len(numbers) == len(DOMAINS)
    flags = [LocalFlag(value) for value in range(8)]
    seen: dict[int, object] = {}
    for domain, number in zip(DOMAINS, numbers, strict=True):
        verdicts = judge.verdicts(flags, domain)
        if number:
            assert seen.setdefault(number, verdicts) == verdicts


def test_what_is_known_of_nobody_is_alike() -> None:
    assert Judge(KNOWLEDGE).number_alike(DOMAINS) == b"\1\0\1\1\1\1\1"
    assert Judge(KNOWLEDGE).put_own_first(OWN).number_alike(DOMAINS) == b"\1\0\1\0\0\1\1"
