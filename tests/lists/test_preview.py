"""A preview against the run that follows: it counts the rows that it reads."""

import random
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from tests.lists.delimited_support import MadeList, make_judge, run_file, scratch_folder
from tests.lists.test_delimited_properties import made_lists
from winnow.core.errors import BrokenFile
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.previews import ListHealth, Preview
from winnow.core.own_lists.patterns import OwnLists
from winnow.core.ports import StaticKnowledge
from winnow.core.tasks.task import InputPlan, Summary
from winnow.core.verdicts.facts import OwnEntry
from winnow.core.verdicts.judge import Judge, judge_text
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category
from winnow.lists.preview.preview import preview_list

ROWS = 9_000
FEW_BYTES = 30_000
BAD_SHARE = 0.2
HEAD = ["id,email,note"]
PLAN = InputPlan(FileFormat.CSV, 1, ("id", "email", "note"))


def make_address(pick: random.Random, number: int) -> str:
    kind = pick.random()
    if kind < 0.03:
        return f"nobody {number}"
    if kind < BAD_SHARE:
        return f"user{number}@wegwerf.net"
    if kind < 0.3:
        return f"user{number}+news@frei.de"
    return f"User{number}@firma{number % 700}.de"


def make_rows(pick: random.Random) -> list[str]:
    note = '"said ""yes"",\nthen, no"'
    return [f"{number:06},{make_address(pick, number)},{note}" for number in range(ROWS)]


def write(path: Path, rows: Iterable[str], encoding: str = "utf-8") -> Path:
    path.write_text("\n".join([*HEAD, *rows]) + "\n", encoding, newline="")
    return path


def look(path: Path, plan: InputPlan = PLAN, **more: int) -> Preview:
    return preview_list(path, plan, make_judge(), path.parent, **more)


def run(path: Path, plan: InputPlan = PLAN, *, deduplicate: bool) -> Summary:
    return run_file(path, plan=plan, deduplicate=deduplicate).outcome.summary


def assert_equal(health: ListHealth, summary: Summary) -> None:
    """Assert that shares are those of a run."""
    for category, share in health.categories.items():
        true = summary.by_category.get(category.value, 0) / summary.rows_out
        assert share == pytest.approx(true, abs=1e-9), category
    assert health.invalid == pytest.approx(summary.invalid / summary.rows_out, abs=1e-9)


def test_a_long_list_is_told_by_its_first_rows(tmp_path: Path) -> None:
    rows = make_rows(random.Random(7))
    path = write(tmp_path / "list", rows)
    preview = look(path, most_bytes=FEW_BYTES, row_count=len(rows))
    assert not preview.is_exact
    assert preview.kept is None
    assert preview.rows == len(rows)
    first = tmp_path / "first"
    first.mkdir()
    beginning = write(first / "list", rows[: preview.read])
    assert preview.duplicates == run(beginning, deduplicate=True).duplicates_removed
    assert_equal(preview.as_it_is, run(beginning, deduplicate=False))


def test_own_addresses_count_in_a_sample(tmp_path: Path) -> None:
    path = write(tmp_path / "list", [f"{place},ana@x.de,met" for place in range(ROWS)])
    own = OwnLists.build(1, [OwnEntry(Category.BLACK, "ana@x.de", Reason.OWN_ADDRESS)])
    judge = Judge(StaticKnowledge({})).put_own_first(own)
    preview = preview_list(path, PLAN, judge, tmp_path, most_bytes=FEW_BYTES)
    assert preview.as_it_is.categories[Category.BLACK] == 1


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(made_lists())
def test_any_small_list_is_judged_as_its_rows_are_one_by_one(made: MadeList) -> None:
    judge = make_judge()
    with scratch_folder() as folder:
        path = Path(folder) / "list"
        path.write_bytes(made.data)
        preview = preview_list(path, made.plan, judge, Path(folder))
    rows = made.rows()
    assert preview.rows == len(rows)
    for health, deduplicate in ((preview.kept, True), (preview.as_it_is, False)):
        emails = [made.email_of(row) for row in made.kept(deduplicate=deduplicate)]
        verdicts = [judge_text(judge, email).verdict for email in emails]
        assert health is not None
        for category, share in health.categories.items():
            count = sum(verdict.category is category for verdict in verdicts)
            assert round(share * len(emails)) == count
    assert preview.duplicates == len(rows) - len(made.kept(deduplicate=True))


HOSTILE: Sequence[bytes] = (
    b"a,b,c\n",
    b"a,b,c\n" + b"," * 200_000 + b"\n",
    b"a,b,c\n" + b'"' * 99_999,
    b"a,b,c\n" + b"x" * 3_000_000,
    b"a,b,c\n" + b"\r" * 100_000,
    b"a,b,c\n" + bytes(range(1, 256)) * 2_000,
    b"a,b,c\n" + b'1,"x\n' * 60_000,
    b"a,b,c\n" + b"1,\xff\xfe@x.de,\n" * 60_000,
)


@pytest.mark.parametrize("content", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("most_bytes", [1 << 30, FEW_BYTES], ids=["whole", "part"])
def test_hostile_content_is_a_preview_or_a_fault_with_its_line(
    content: bytes, most_bytes: int, tmp_path: Path
) -> None:
    path = tmp_path / "list"
    path.write_bytes(content)
    fault = None
    try:
        preview = look(path, most_bytes=most_bytes)
    except BrokenFile as error:
        fault = error
    if fault is not None:
        assert fault.line is not None
        return
    assert preview.rows >= preview.read >= preview.duplicates >= 0
    for health in filter(None, (preview.kept, preview.as_it_is)):
        assert all(0 <= share <= 1 for share in (*health.categories.values(), health.invalid))
