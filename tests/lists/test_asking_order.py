"""Which domains a judge is told of first, in either format."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.lists.delimited_support import run_file
from tests.workbooks import write_workbook
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


@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
def test_the_domains_of_most_rows_come_first(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"list.{suffix}"
    if suffix == "csv":
        path.write_text("\n".join(["email", *ADDRESSES]) + "\n")
    else:
        write_workbook(path, [("email",), *((address,) for address in ADDRESSES)])
    judge = Listening()
    run_file(path, judge=judge)
    assert judge.told == ["often.example", "twice.example", "once.example", "last.example"]
