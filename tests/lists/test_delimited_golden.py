"""Golden lists: ``NAME.in`` beside ``NAME.out``, with the plan in ``NAME.json``.

A new case is three new files. The plan's keys are InputPlan's, plus ``deduplicate``.
"""

import json
import random
from pathlib import Path

import pytest

from tests.lists.delimited_support import run_list
from winnow.core.lists.file_format import FileFormat
from winnow.core.tasks.task import InputPlan

_FOLDER = Path(__file__).parent.parent / "golden" / "batch"
_CASES = sorted(path.stem for path in _FOLDER.glob("*.in"))


@pytest.mark.parametrize("name", _CASES)
@pytest.mark.parametrize("block_bytes", [5, 1 << 22])
def test_golden(name: str, block_bytes: int, tmp_path: Path) -> None:
    choices = json.loads((_FOLDER / f"{name}.json").read_bytes())
    deduplicate = choices.pop("deduplicate", True)
    choices["columns"] = tuple(choices["columns"])
    plan = InputPlan(FileFormat(choices.pop("file_format", "csv")), **choices)
    data, options = (_FOLDER / f"{name}.in").read_bytes(), {"deduplicate": deduplicate}
    run = run_list(data, plan, tmp_path, block_bytes=block_bytes, **options)
    assert run.result == (_FOLDER / f"{name}.out").read_bytes()


def test_domains_are_numbered_in_the_order_of_the_file(tmp_path: Path) -> None:
    """Blocks are read by two threads; which is quicker may not show in any file of the result."""
    names = [f"firm{number:05}.de" for number in range(20_000)]
    pick = random.Random(3)
    pick.shuffle(names)
    data = "email\n" + "".join(f"ana@{name}\n" for name in names)
    plan = InputPlan(FileFormat.CSV, 0, ("email",))
    run = run_list(data.encode(), plan, tmp_path, block_bytes=1 << 12)
    assert (run.folder / "rows.names").read_text().split() == names
