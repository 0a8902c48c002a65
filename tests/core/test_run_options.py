"""What was chosen for a run, as the store keeps it."""

import json

import pytest

from winnow.core.addresses.repair_kinds import SAFE_KINDS, RepairKind
from winnow.core.tasks.repair_choice import SAFE_REPAIRS, RepairChoice, RepairPlace
from winnow.core.tasks.run_options import USUAL, RunOptions


@pytest.mark.parametrize(
    "options",
    [
        USUAL,
        RunOptions(repair=SAFE_REPAIRS),
        RunOptions(repair=RepairChoice()),
        RunOptions(
            repair=RepairChoice(
                frozenset({RepairKind.DOTS, RepairKind.SEVERAL}),
                {"gmial.com": "gmail.com"},
                {"ana@kurz,de": "ana@kurz.de", "\uff41na@kurz.de": None},
                RepairPlace.REPLACE,
            )
        ),
    ],
    ids=["usual", "safe", "none", "everything"],
)
def test_options_come_back_from_the_store(options: RunOptions) -> None:
    stored = json.loads(json.dumps(options.to_json()))
    assert RunOptions.from_json(stored) == options


def test_usual_options_are_stored_as_nothing() -> None:
    assert USUAL.to_json() is None
    assert RunOptions.from_json(None) == USUAL


def test_safe_repairs_change_no_domain() -> None:
    assert all(not kind.is_of_domain for kind in SAFE_KINDS)
    assert SAFE_REPAIRS.kinds == SAFE_KINDS
    assert SAFE_REPAIRS.place is RepairPlace.COLUMN
