"""What the lists gained and lost between two versions, also over several steps."""

from pathlib import Path

import pytest

from winnow.core.refresh import ListMove
from winnow.domain_data.build import list_diffs
from winnow.domain_data.build.list_diffs import list_disposable_names, measure_move, write_step
from winnow.domain_data.compiled_file import NameTable, pack_names, read_compiled, write_compiled
from winnow.domain_data.loader import open_knowledge
from winnow.domain_data.look_up.look_up import Knowledge


def names(*labels: str) -> frozenset[str]:
    return frozenset(f"{label}.example" for label in labels)


def test_steps_are_added_up_and_what_comes_back_counts_for_nothing(tmp_path: Path) -> None:
    write_step(tmp_path, ("v1", "v2"), names("a", "b", "c"), names("b", "c", "d"))
    write_step(tmp_path, ("v2", "v3"), names("b", "c", "d"), names("a", "d", "e"))
    assert measure_move(tmp_path, "v1", "v2") == ListMove(1, 1)
    assert measure_move(tmp_path, "v1", "v3") == ListMove(2, 2)  # +d +e, -b -c; a came back
    assert measure_move(tmp_path, "v3", "v3") == ListMove(0, 0)


def test_a_missing_or_damaged_step_is_not_guessed(tmp_path: Path) -> None:
    write_step(tmp_path, ("v1", "v2"), names("a"), names("b"))
    write_step(tmp_path, ("v3", "v4"), names("a"), names("b"))
    assert measure_move(tmp_path, "v1", "v4") is None
    assert measure_move(tmp_path, "v2", "v1") is None
    (tmp_path / "v1--v2.moves").write_bytes(b"\xff")
    assert measure_move(tmp_path, "v1", "v2") is None


def test_two_writers_of_one_step_leave_one(tmp_path: Path) -> None:
    for _ in range(2):
        write_step(tmp_path, ("v1", "v2"), names("a"), names("a", "b"))
    write_step(tmp_path, ("v2", "v2"), names("a"), names("a"))
    assert [path.name for path in tmp_path.iterdir()] == ["v1--v2.moves"]
    assert measure_move(tmp_path, "v1", "v2") == ListMove(1, 0)


def test_only_the_newest_steps_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_diffs, "STEPS_KEPT", 3)
    for number in range(6):
        write_step(tmp_path, (f"v{number}", f"v{number + 1}"), names("a"), names("b"))
    assert len(list(tmp_path.iterdir())) == 3
    assert measure_move(tmp_path, "v5", "v6") == ListMove(1, 1)


@pytest.mark.slow
def test_a_build_that_takes_an_older_ones_place_writes_its_step(
    tmp_path: Path, knowledge: Knowledge, pytestconfig: pytest.Config
) -> None:
    assert pytestconfig.cache is not None
    (compiled,) = pytestconfig.cache.mkdir("knowledge").glob("*.knowledge")
    header, table = read_compiled(compiled)
    listed = list_disposable_names(header, NameTable(table))
    assert "mailinator.com" in listed
    assert "gmail.com" not in listed

    masks = dict(NameTable(table).items())
    masks["long-gone-throwaway.example"] = masks.pop("mailinator.com")
    older = {**header, "data_version": "2026-01-01.older", "fingerprint": "other"}
    write_compiled(tmp_path / "domains-0123456789abcdef.knowledge", older, pack_names(masks))
    opened = open_knowledge(tmp_path)
    assert measure_move(tmp_path, "2026-01-01.older", opened.data_version) == ListMove(1, 1)
