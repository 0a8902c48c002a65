"""A storm of a hundred kills over a busy server; afterwards everything adds up."""

import shutil
from pathlib import Path

import pytest

from tests.faults.storm import run_spell
from winnow.domain_data.look_up.look_up import Knowledge

KILLS_A_SPELL = 50
LONGEST_SECONDS = 15.0  # a slow machine has fewer kills, not a longer test


@pytest.mark.parametrize("seed", ["1"])
def test_a_storm(
    tmp_path: Path, knowledge: Knowledge, pytestconfig: pytest.Config, seed: str
) -> None:
    assert pytestconfig.cache is not None
    data_dir = tmp_path / "data"
    shutil.copytree(pytestconfig.cache.mkdir("knowledge"), data_dir / "knowledge")
    killed, ends = run_spell(data_dir, seed, KILLS_A_SPELL, seconds=LONGEST_SECONDS)
    assert killed
    assert sum(ends.values())
