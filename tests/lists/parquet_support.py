"""Parquet lists made and cleaned in a folder of their own."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.lists.delimited_support import Run, make_judge, run_file
from winnow.core.tasks.task import InputPlan
from winnow.core.verdicts.judge import judge_text
from winnow.lists.inspection.inspect import find_column, plan_input, read_head

JUDGE = make_judge()
EMAILS = (
    *("ana@frei.de", "b@wegwerf.net", "info@firma.de", "x+tag@frei.de", "Ana@Frei.de", "a@b", ""),
    *("no address", '"quoted, too"@frei.de', "ü@büro.de", "b@wegwerf.net ", "ana@frei.de,x"),
    "two\nlines",
)


def write(path: Path, table: pa.Table, **options: object) -> Path:
    pq.write_table(table, path, **options)
    return path


def read_plan(path: Path, column: int | None = None) -> InputPlan:
    head = read_head(path, path.name)
    return plan_input(head, email_column=find_column(head) if column is None else column)


def clean(path: Path, **choices: Any) -> Run:
    """Run a list by the judge of these tests, with the choices of ``run_file``."""
    plan = choices.pop("plan", None) or read_plan(path)
    return run_file(path, plan=plan, **{"deduplicate": False, **choices})


def judge_all(emails: list[str | None]) -> list[tuple[str, str]]:
    """Return what each must get, judged one by one."""
    verdicts = [judge_text(JUDGE, email or "").verdict for email in emails]
    return [(verdict.category.value, verdict.domain_type.value) for verdict in verdicts]
