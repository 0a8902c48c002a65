"""Parquet: the rows of a CSV list, as Polars writes them, beside the same rows in CSV."""

from pathlib import Path
from typing import Any

from benchmarks.list_data import HEADER
from benchmarks.lists import EMAIL_COLUMN, cache_folder, run_winnow


def write_parquet(source: str, path: str) -> dict[str, Any]:
    """Write a CSV list as Parquet, every column of texts."""
    import polars

    polars.read_csv(source, infer_schema=False).write_parquet(path)
    return {}


def run_on_csv(source: str, folder: str) -> dict[str, Any]:
    """Run the whole job on the CSV list that lies beside."""
    return run_winnow(str(Path(source).with_suffix(".csv")), folder)


def run_on_parquet(source: str, folder: str) -> dict[str, Any]:
    """Run the whole job; the answer is as of ``lists.run_winnow``."""
    from winnow.core.lists.file_format import FileFormat
    from winnow.core.tasks.task import InputPlan
    from winnow.core.verdicts.judge import LiveJudge
    from winnow.domain_data.loader import open_knowledge
    from winnow.lists.batch import run_batch
    from winnow.lists.requests import BatchRequest

    request = BatchRequest(
        Path(source),
        InputPlan(FileFormat.PARQUET, EMAIL_COLUMN, tuple(HEADER.strip().split(","))),
        LiveJudge(open_knowledge(cache_folder())),
        Path(folder),
        deduplicate=True,
        report=lambda progress: None,
    )
    summary = run_batch(request).summary
    return {"rows_in": summary.rows_in, "rows_out": summary.rows_out, "invalid": summary.invalid}
