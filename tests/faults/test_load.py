"""A little of the load that ``benchmarks/load.py`` puts on a server; answers, never speed."""

from pathlib import Path

from benchmarks.load import is_decided, run_load


def test_under_load_every_answer_is_decided_and_the_quota_holds(tmp_path: Path) -> None:
    outcome = run_load(tmp_path, uploads=32, lists=10, per_second=200, seconds=2)
    assert is_decided(outcome), outcome.describe()
    assert outcome.answers["upload", 200] >= 1
    assert outcome.answers["upload", 413] >= 1
    assert outcome.answers["list", 200] == outcome.answers["status", 200] == 10
    assert outcome.answers["check", 200] >= 1
