"""The sample list of the project is the one that its script makes."""

from pathlib import Path

from tests.made_lists import make_sample


def test_the_committed_sample_is_the_made_one(tmp_path: Path) -> None:
    make_sample.make_sample(tmp_path / "sample.csv")
    made = (tmp_path / "sample.csv").read_bytes()
    committed = make_sample.SAMPLE_PATH.read_bytes()
    assert committed.replace(b"\r\n", b"\n") == made.replace(b"\r\n", b"\n")
