"""What was chosen for a run, as the store keeps it."""

import json

import pytest
from msgspec import convert

from winnow.core.addresses.repair_kinds import SAFE_KINDS, RepairKind
from winnow.core.lists.merging import Merge, MergedFile
from winnow.core.tasks.keep_rule import Keep, KeepRule
from winnow.core.tasks.repair_choice import SAFE_REPAIRS, RepairChoice, RepairPlace
from winnow.core.tasks.run_options import USUAL, RunOptions
from winnow.storage.repositories.tasks import options_to_row


@pytest.mark.parametrize(
    "options",
    [
        USUAL,
        RunOptions(repair=SAFE_REPAIRS),
        RunOptions(repair=RepairChoice()),
        RunOptions(keep=KeepRule(Keep.NEWEST, 3, joins_aliases=True), made_from="task"),
        RunOptions(merge=Merge((MergedFile("a.csv", 3),), 1)),
        RunOptions(
            repair=RepairChoice(
                frozenset({RepairKind.DOTS, RepairKind.SEVERAL}),
                {"gmial.com": "gmail.com"},
                {"ana@kurz,de": "ana@kurz.de", "\uff41na@kurz.de": None},
                RepairPlace.REPLACE,
            )
        ),
    ],
    ids=["usual", "safe", "none", "keep", "merge", "everything"],
)
def test_options_come_back_from_the_store(options: RunOptions) -> None:
    stored = json.loads(json.dumps(options_to_row(options)))
    assert convert(stored or {}, RunOptions) == options
    assert (stored is None) == (options == USUAL)


def test_safe_repairs_change_no_domain() -> None:
    assert all(not kind.is_of_domain for kind in SAFE_KINDS)
    assert SAFE_REPAIRS.kinds == SAFE_KINDS
    assert SAFE_REPAIRS.place is RepairPlace.COLUMN
