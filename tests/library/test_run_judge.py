"""The judge of a run says of every column what a single check says, whatever came before."""

import pytest

from winnow.core.verdicts.judge import Judge
from winnow.domain_data.look_up.look_up import Knowledge
from winnow.library.check_text import check_text
from winnow.library.checker import Checker
from winnow.library.checkers import MOST_DOMAINS, AnyChecker, RunJudge

NAMES = [
    "gmail.com",
    "gmial.com",
    "mailinator.com",
    "acme-tools.de",
    "xkqzwvjp.top",
    "a.xyz",
    "web.de",
    "simplelogin.com",
    "uni-koeln.de",
    "x.hotmial.com",
    "BÜCHER.de",
]


@pytest.mark.parametrize("most_domains", [MOST_DOMAINS, 3, 0])
def test_columns_of_a_run_are_judged_as_by_a_fresh_judge(
    knowledge: Knowledge, most_domains: int
) -> None:
    kept = AnyChecker(Checker(RunJudge(knowledge, most_domains)))
    for start in range(8):
        names = [NAMES[(start + step) % len(NAMES)] for step in range(1 + start % 5)]
        column = [f"{local}@{name}" for name in names for local in ("ana", "a+b", "info", "a b")]
        fresh = Judge(knowledge)
        assert kept.check_any(column) == [check_text(fresh, text) for text in column]


def test_numbers_are_those_of_the_knowledge_and_bounded(knowledge: Knowledge) -> None:
    judge = RunJudge(knowledge, most_domains=100)
    for start in range(0, 300, 20):
        domains = [f"shop-{number % 70}.de" for number in range(start, start + 40)]
        assert judge.number_alike(domains) == knowledge.number_alike(domains)
        assert len(judge._numbers) <= 100
