"""Parquet lists made and cleaned in a folder of their own."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tests.lists.delimited_support import JUDGE, run_file
from winnow.core.judging.judge import judge_text

EMAILS = (
    *("ana@frei.de", "b@wegwerf.net", "info@firma.de", "x+tag@frei.de", "Ana@Frei.de", "a@b", ""),
    *("no address", '"quoted, too"@frei.de', "ü@büro.de", "b@wegwerf.net ", "ana@frei.de,x"),
    "two\nlines",
)


def write(path: Path, table: pa.Table, **options: object) -> Path:
    pq.write_table(table, path, **options)
    return path


clean = partial(run_file, deduplicate=False)


def judge_all(emails: Sequence[str | None]) -> list[tuple[str, str]]:
    """Return what each must get, judged one by one."""
    verdicts = [judge_text(JUDGE, email or "").verdict for email in emails]
    return [(verdict.category.value, verdict.domain_type.value) for verdict in verdicts]
