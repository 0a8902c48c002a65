"""Parquet lists made and cleaned in a folder of their own."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tests.lists.delimited_support import make_judge
from winnow.core.tasks.task import InputPlan
from winnow.core.verdicts.judge import judge_text
from winnow.lists.batch import run_batch
from winnow.lists.execution.blocks import BLOCK_BYTES
from winnow.lists.inspection.inspect import find_column, plan_input, read_head
from winnow.lists.list_format import BatchOutcome
from winnow.lists.requests import BatchRequest
from winnow.lists.result.result_rows import ResultRows

JUDGE = make_judge()
EMAILS = (
    *(
        "ana@frei.de",
        "b@wegwerf.net",
        "info@firma.de",
        "x+tag@frei.de",
        "Ana@Frei.de",
        "no address",
    ),
    *(
        '"quoted, too"@frei.de',
        "ü@büro.de",
        "b@wegwerf.net ",
        "",
        "a@b",
        "ana@frei.de,x",
        "two\nlines",
    ),
)


def write(path: Path, table: pa.Table, **options: object) -> Path:
    pq.write_table(table, path, **options)
    return path


def read_plan(path: Path, column: int | None = None) -> InputPlan:
    head = read_head(path, path.name)
    return plan_input(head, email_column=find_column(head) if column is None else column)


def clean(
    path: Path,
    folder: Path,
    *,
    deduplicate: bool = False,
    plan: InputPlan | None = None,
    block_bytes: int = BLOCK_BYTES,
) -> tuple[BatchOutcome, ResultRows]:
    """Run a list; the result is ``folder / "result"``."""
    folder.mkdir(exist_ok=True)
    plan = plan or read_plan(path)
    outcome = run_batch(
        BatchRequest(
            path, plan, JUDGE, folder, deduplicate=deduplicate, report=lambda progress: None
        ),
        block_bytes=block_bytes,
    )
    return outcome, ResultRows(folder, plan)


def judge_all(emails: list[str | None]) -> list[tuple[str, str]]:
    """Return what each must get, judged one by one."""
    verdicts = [judge_text(JUDGE, email or "").verdict for email in emails]
    return [(verdict.category.value, verdict.domain_type.value) for verdict in verdicts]
