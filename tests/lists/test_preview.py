"""A preview against the run that follows: it counts the rows that it reads."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from tests.lists.delimited_support import JUDGE, MadeList, run_file, scratch_folder
from tests.lists.test_delimited_properties import made_lists
from tests.tables import write_csv
from winnow.core.errors import BrokenFile
from winnow.core.judging.judge import judge_text
from winnow.core.lists.file_format import FileFormat
from winnow.core.tasks.input_plan import InputPlan
from winnow.core.tasks.task import Summary
from winnow.core.verdicts.verdict import Action, Category
from winnow.lists.preview import preview_list

ROWS = 9_000
FEW_BYTES = 30_000
PLAN = InputPlan(FileFormat.CSV, 1, ("id", "email", "note"))


def make_rows() -> list[tuple[str, str, str]]:
    """Make rows of which about a fifth are bad; the user's own list names one address."""
    forms = ("nobody {}", "user{}@wegwerf.net", "user{}+news@frei.de", "ana@frei.de")
    pick = random.Random(7)
    kinds = pick.choices((*forms, "User{}@firma.de"), (3, 17, 8, 2, 70), k=ROWS)
    note = 'said "yes",\nthen, no'
    return [(f"{number:06}", kinds[number].format(number), note) for number in range(ROWS)]


def write(path: Path, rows: Iterable[tuple[str, str, str]]) -> Path:
    path.write_bytes(write_csv([PLAN.columns, *rows], lineterminator="\n"))
    return path


def run(path: Path, *, deduplicate: bool) -> Summary:
    return run_file(path, plan=PLAN, deduplicate=deduplicate).outcome.summary


def test_a_long_list_is_told_by_its_first_rows(tmp_path: Path) -> None:
    rows = make_rows()
    path = write(tmp_path / "list", rows)
    preview = preview_list(path, PLAN, JUDGE, tmp_path, most_bytes=FEW_BYTES, row_count=len(rows))
    assert not preview.is_exact
    assert preview.kept is None
    assert preview.rows == len(rows)
    first = tmp_path / "first"
    first.mkdir()
    beginning = write(first / "list", rows[: preview.read])
    assert preview.duplicates == run(beginning, deduplicate=True).duplicates_removed
    health, summary = preview.as_it_is, run(beginning, deduplicate=False)
    for category in Category:
        true = summary.by_category.get(category.value, 0) / summary.rows_out
        assert health.actions[category.action] == pytest.approx(true, abs=1e-9), category
    assert health.invalid == pytest.approx(summary.invalid / summary.rows_out, abs=1e-9)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(made_lists())
def test_any_small_list_is_judged_as_its_rows_are_one_by_one(made: MadeList) -> None:
    with scratch_folder() as folder:
        path = Path(folder) / "list"
        path.write_bytes(made.data)
        preview = preview_list(path, made.plan, JUDGE, Path(folder))
    rows = made.rows()
    assert preview.rows == len(rows)
    for health, deduplicate in ((preview.kept, True), (preview.as_it_is, False)):
        emails = [made.email_of(row) for row in made.kept(deduplicate=deduplicate)]
        verdicts = [judge_text(JUDGE, email).verdict for email in emails]
        assert health is not None
        for action, share in health.actions.items():
            count = sum(verdict.category.action is action for verdict in verdicts)
            assert share == pytest.approx(count / max(1, len(emails)))
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
    try:
        preview = preview_list(path, PLAN, JUDGE, tmp_path, most_bytes=most_bytes)
    except BrokenFile as error:
        assert error.line is not None  # noqa: PT017
        return
    assert preview.rows >= preview.read >= preview.duplicates >= 0
    for health in filter(None, (preview.kept, preview.as_it_is)):
        assert all(0 <= share <= 1 for share in (*health.actions.values(), health.invalid))


def test_a_no_counts_for_every_spelling_of_its_mailbox_and_not_for_blanks(tmp_path: Path) -> None:
    rows = (
        ("1", "cy@gmail.com", "Subscribed"),
        ("2", "cy@googlemail.com", "Unsubscribed"),
        ("3", "bo@frei.de", "Subscribed"),
        ("3", "bo+news@frei.de", "Unsubscribed"),
        ("3", "dee@firma.de", "Subscribed"),
        ("4", "", "Unsubscribed"),
        ("5", "", "Subscribed"),
        *(("6", "eve@frei.de", said) for said in ("Subscribed", "Bounced")),  # no one's own no
    )
    plan = replace(PLAN, columns=("id", "email", "Status"))
    path = tmp_path / "list"
    path.write_bytes(write_csv([plan.columns, *rows]))
    preview = preview_list(path, plan, JUDGE, tmp_path)
    assert preview.torn == 2
    assert preview.as_it_is.actions[Action.DO_NOT_MAIL] == pytest.approx(6 / 9)
    assert preview.as_it_is.actions[Action.REMOVE] == pytest.approx(2 / 9)
