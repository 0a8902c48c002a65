"""Engines on one list, and checks of addresses in memory.

An engine gets the list and a folder, writes ``result`` and returns counts.
"""

import csv
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.list_data import HEADER, SEED, make_domains, make_lines, make_one_address

EMAIL_COLUMN = 3
SHEET = "List"
_ADDRESS = r"[^@\s]+@[^@\s]+\.[^@\s]+"
Counts = dict[str, Any]


def copy_with_polars(source: str, folder: str) -> Counts:
    """Read and write with Polars."""
    import polars

    polars.scan_csv(source, infer_schema=False).sink_csv(Path(folder) / "result")
    return {}


def run_winnow(source: str, folder: str) -> Counts:
    """Run the whole job: validate, judge, deduplicate, write, count, index; sync to disk."""
    from winnow.core.judging.judge import Judge
    from winnow.core.lists.file_format import FileFormat
    from winnow.core.tasks.input_plan import InputPlan
    from winnow.domain_data.loader import open_knowledge
    from winnow.lists.batch import run_batch
    from winnow.lists.requests import BatchRequest

    file_format = FileFormat(Path(source).suffix.removeprefix("."))
    sheet = SHEET if file_format is FileFormat.XLSX else None
    outcome = run_batch(
        BatchRequest(
            Path(source),
            InputPlan(file_format, EMAIL_COLUMN, tuple(HEADER.strip().split(",")), sheet=sheet),
            Judge(open_knowledge(cache_folder())),
            Path(folder),
            report=lambda progress: None,
        )
    )
    summary = outcome.summary
    counts = {"rows_in": summary.rows_in, "rows_out": summary.rows_out}
    return {**counts, "invalid": summary.invalid}


def clean(source: str, folder: str) -> dict[str, Any]:
    """Run the command ``winnow clean``."""
    from winnow.__main__ import main

    sys.argv[1:] = ["clean", source, "--out", str(Path(folder) / f"out{Path(source).suffix}")]
    return {"code": main()}


def load_and_save(source: str, folder: str) -> dict[str, Any]:
    """Load a workbook with openpyxl, and save it."""
    import openpyxl

    openpyxl.load_workbook(source).save(Path(folder) / "saved.xlsx")
    return {}


def deduplicate_with_pandas(source: str, folder: str) -> dict[str, Any]:
    """Do what a script does: trim, match, drop duplicates, write."""
    import pandas as pd

    rows = pd.read_csv(source, dtype=str, keep_default_na=False)
    key = rows["email"].str.strip().str.lower()
    rows["is_valid"] = key.str.fullmatch(_ADDRESS)
    rows[~key.duplicated(keep="last")].to_csv(Path(folder) / "pandas.csv", index=False)
    return {}


def run_on_csv(source: str, folder: str) -> Counts:
    """Run the whole job on the CSV list next to a Parquet file."""
    return run_winnow(str(Path(source).with_suffix(".csv")), folder)


def write_parquet(source: str, path: str) -> Counts:
    """Write a CSV list as Parquet, every column of texts."""
    import polars

    polars.read_csv(source, infer_schema=False).write_parquet(path)
    return {}


def check_column(row_count: str, different: str) -> dict[str, Any]:
    """Check a column of so many rows and different values, and match a pattern; CPU seconds."""
    import numpy as np
    import polars as pl

    from winnow import check_column

    pick, domains = random.Random(SEED), make_domains()  # noqa: S311 - made-up data
    texts = pl.Series([make_one_address(pick, one, domains) for one in range(int(different))])
    column = texts.gather(np.random.default_rng(SEED).integers(0, len(texts), int(row_count)))
    check_column(["ana@example.org"])  # opens the domain data
    begun = time.process_time()
    check_column(column)
    ended = time.process_time()
    column.str.strip_chars().str.to_lowercase().str.contains(_ADDRESS).sum()
    return {"ours": ended - begun, "peer": time.process_time() - ended}


def write_workbook(path: str, row_count: str) -> Counts:
    """Write a workbook of so many rows below its header."""
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    sheet = book.create_sheet(SHEET)
    for row in csv.reader(make_lines(int(row_count), make_domains())):
        sheet.append(row)
    book.save(path)
    return {}


def cache_folder() -> Path:
    """Return the folder of the compiled domain data of all runs."""
    folder = Path(tempfile.gettempdir()) / "winnow-benchmarks"
    folder.mkdir(exist_ok=True)
    return folder


def check_addresses(count: str) -> dict[str, Any]:
    """Judge with the whole policy and every list, one address at a time."""
    from winnow.core.judging.judge import Judge, judge_text
    from winnow.domain_data.loader import open_knowledge

    judge = Judge(open_knowledge(cache_folder()))
    return _time(lambda text: judge_text(judge, text), count)


def check_as_service(count: str) -> dict[str, Any]:
    """Answer as the pages and the API do: nine fields, reasons, evidence, suggestion."""
    from winnow.wiring import services

    with tempfile.TemporaryDirectory() as folder:
        checks = services({**os.environ, "WINNOW_DATA_DIR": folder}).checks
        checks.check_address("local", "a@example.org")
        return _time(lambda text: checks.check_address("local", text), count)


def _time(check: Callable[[str], object], count: str) -> dict[str, Any]:
    pick = random.Random(SEED)  # noqa: S311 - made-up data
    domains = make_domains()
    texts = [make_one_address(pick, number, domains) for number in range(int(count))]
    begun = time.process_time()
    for text in texts:
        check(text)
    return {"per_second": len(texts) / (time.process_time() - begun)}
