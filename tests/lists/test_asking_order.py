"""Which domains a judge is told of first."""

from collections.abc import Iterable
from pathlib import Path

from tests.lists.delimited_support import run_file
from winnow.core.ports import StaticKnowledge
from winnow.core.verdicts.judge import Judge

ADDRESSES = [
    "a@once.example",
    *[f"b{number}@often.example" for number in range(3)],
    "c@Twice.example",
    "d@twice.example",
    "no address",
    "e@last.example",
]


class Listening(Judge):
    """Notes the domains that it should prepare for."""

    def __init__(self) -> None:
        super().__init__(StaticKnowledge({}))
        self.told: list[str] = []

    def prepare(self, domains: Iterable[str]) -> None:
        self.told = list(domains)
        assert list(domains) == self.told  # they can be gone through again


def test_the_domains_of_most_rows_come_first(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("\n".join(["email", *ADDRESSES]) + "\n")
    judge = Listening()
    run_file(path, judge=judge)
    assert judge.told == ["often.example", "twice.example", "once.example", "last.example"]
