"""What must come of a list, worked out the plain way: ``csv`` or openpyxl, one row at a time.

It shares nothing with the engines but the core's ``judge_text`` and ``duplicate_key``: no block,
no byte position, no table of domains. Slow and simple on purpose.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from openpyxl import load_workbook

from winnow.core.addresses.address import duplicate_key, parse_address
from winnow.core.errors import AddressSyntaxError
from winnow.core.lists.file_format import FileFormat
from winnow.core.tasks.task import InputPlan
from winnow.core.verdicts.judge import Judge, judge_text
from winnow.core.verdicts.verdict import Verdict

ADDED = ("category", "domain_type")
_BOMS = {"utf-8": b"\xef\xbb\xbf", "utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}


@dataclass(frozen=True, slots=True)
class ExpectedRow:
    """One kept row: its number in the input (from 1, blank lines uncounted), cells and verdict."""

    number: int
    cells: tuple[str, ...]
    email: str
    verdict: Verdict


@dataclass(slots=True)
class Expected:
    """What the result must hold. ``columns`` are the result's header, the added ones at the end.

    ``width`` is the widest row's cell count: the added cells stand right behind it.
    """

    columns: tuple[str, ...]
    width: int
    rows: list[ExpectedRow]
    rows_in: int
    invalid: int = 0
    charged: int = 0
    by_category: Counter[str] = field(default_factory=Counter)
    by_domain_type: Counter[str] = field(default_factory=Counter)
    by_reason: Counter[str] = field(default_factory=Counter)
    by_category_and_type: Counter[tuple[str, str]] = field(default_factory=Counter)
    by_domain: Counter[str] = field(default_factory=Counter)  # well-formed addresses only

    @property
    def rows_out(self) -> int:
        """How many rows the result has."""
        return len(self.rows)

    @property
    def duplicates_removed(self) -> int:
        """How many rows went."""
        return self.rows_in - len(self.rows)


@dataclass(frozen=True, slots=True)
class RawRecord:
    """One record of a text list: its bytes without the line ending, the ending, its cells."""

    body: bytes
    newline: bytes
    cells: tuple[str, ...]

    @property
    def is_blank(self) -> bool:
        """Whether the line holds nothing but spaces."""
        return not self.body.strip(b" \0") and len(self.cells) <= 1


def expect(path: Path, plan: InputPlan, judge: Judge, *, deduplicate: bool) -> Expected:
    """Say what must come of a list."""
    if plan.file_format is FileFormat.XLSX:
        records = [tuple(map(_show, row)) for row in read_sheet(path, plan.sheet)]
        table = [cells for cells in records if any(cells)]
    else:
        _, raw = read_raw(path.read_bytes(), plan)
        table = [record.cells for record in raw if not record.is_blank]
    header: tuple[str, ...] = tuple(table[0]) if plan.has_header else ()
    rows = table[1:] if plan.has_header else table
    return expect_rows(header, rows, plan.email_column, judge, deduplicate=deduplicate)


def expect_rows(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    email_column: int,
    judge: Judge,
    *,
    deduplicate: bool,
) -> Expected:
    """Say what must come of rows of text; without a header row ``header`` is empty."""
    emails = [row[email_column] if email_column < len(row) else "" for row in rows]
    last: dict[str, int] = {}
    for place, email in enumerate(emails):
        key = duplicate_key(email)
        last[key if key else f"\1blank {place}"] = place
    kept = sorted(last.values()) if deduplicate else range(len(rows))
    width = max([len(header), *map(len, rows)])
    columns = tuple(header) + ("",) * (width - len(header)) if header else ()
    expected = Expected(
        columns=columns + name_added(columns) if header else (),
        width=width,
        rows=[],
        rows_in=len(rows),
    )
    for place in kept:
        judged = judge_text(judge, emails[place])
        address, verdict = judged.address, judged.verdict
        expected.rows.append(ExpectedRow(place + 1, tuple(rows[place]), emails[place], verdict))
        expected.by_category[verdict.category.value] += 1
        expected.by_domain_type[verdict.domain_type.value] += 1
        expected.by_category_and_type[verdict.category.value, verdict.domain_type.value] += 1
        expected.by_reason.update(reason.value for reason in verdict.reasons)
        if address is not None:
            expected.by_domain[address.domain] += 1
        if is_well_formed(emails[place]):
            expected.charged += 1
        else:
            expected.invalid += 1
    return expected


def is_well_formed(email: str) -> bool:
    """Whether an address passes format validation: then its row is charged."""
    try:
        parse_address(email)
    except AddressSyntaxError:
        return False
    return True


def name_added(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the added columns' names, with ``_2`` and so on where the input has them already."""
    names = []
    for name in ADDED:
        candidate, number = name, 2
        while candidate in columns:
            candidate, number = f"{name}_{number}", number + 1
        names.append(candidate)
    return tuple(names)


def read_raw(data: bytes, plan: InputPlan) -> tuple[bytes, list[RawRecord]]:
    """Split a text list with the ``csv`` module; returns BOM and preamble, and the records.

    Joined again, the bytes of all of them are the file.
    """
    bom = b""
    if plan.bom:
        bom = next(mark for mark in _BOMS.values() if data.startswith(mark))
    text = _decode(data[len(bom) :], plan.encoding)
    lines = io.StringIO(text, newline="").readlines()
    preamble = "".join(lines[: plan.preamble_lines])
    records = list(_split_records(lines[plan.preamble_lines :], plan))
    return bom + _encode(preamble, plan.encoding), records


def _split_records(lines: list[str], plan: InputPlan) -> Iterator[RawRecord]:
    taken: list[str] = []

    def feed() -> Iterator[str]:
        for line in lines:
            taken.append(line)
            yield line

    limit = csv.field_size_limit(1 << 24)
    try:
        for cells in csv.reader(feed(), delimiter=plan.delimiter):
            raw = "".join(taken)
            taken.clear()
            body = re.sub(r"(?:\r\n|\r|\n)\Z", "", raw)
            yield RawRecord(
                _encode(body, plan.encoding),
                _encode(raw[len(body) :], plan.encoding),
                tuple(cells),
            )
    finally:
        csv.field_size_limit(limit)


def _decode(data: bytes, encoding: str) -> str:
    return data.decode(encoding, _on_error(encoding))


def _encode(text: str, encoding: str) -> bytes:
    return text.encode(encoding, _on_error(encoding))


def _on_error(encoding: str) -> str:
    """Bytes that an encoding does not know travel through; UTF-16 is read strictly."""
    return "strict" if encoding.startswith("utf-16") else "surrogateescape"


def read_sheet(path: Path, sheet: str | None) -> list[tuple[Any, ...]]:
    """Return a sheet's values, formulas as they stand; trailing empty cells cut."""
    with path.open("rb") as file:  # openpyxl refuses a path without its extension
        book = load_workbook(file, read_only=True, data_only=False)
        found = book[sheet] if sheet is not None else book.worksheets[0]
        return [tuple(row) for row in found.iter_rows(values_only=True)]


def _show(value: Any) -> str:
    return "" if value is None else str(value)


def compare_csv(result: bytes, source: bytes, plan: InputPlan, expected: Expected) -> list[str]:
    """Return what is wrong with a CSV or TSV result; an empty list when nothing is.

    Each kept row must begin with the input's own bytes of that row; behind them stand only the
    delimiters that pad a short row, the two cells, and the input's own line ending.
    """
    faults: list[str] = []
    start, raw_in = read_raw(source, plan)
    start_out, raw_out = read_raw(result, plan)
    if start != start_out:
        faults.append("the beginning (BOM, preamble) differs")
    delimiter = _encode(plan.delimiter, plan.encoding)
    rows_in = [record for record in raw_in if not record.is_blank]
    rows_out = [record for record in raw_out if not record.is_blank]
    blanks_in, blanks_out = len(raw_in) - len(rows_in), len(raw_out) - len(rows_out)
    if blanks_in != blanks_out:
        faults.append(f"{blanks_in} blank lines went in, {blanks_out} came out")
    if plan.has_header:
        header_in, header_out = rows_in.pop(0), rows_out.pop(0)
        added = expected.columns[expected.width :]
        faults += _compare_record("header", header_out, header_in, delimiter, added, plan, expected)
    if len(rows_out) != expected.rows_out:
        faults.append(f"{len(rows_out)} rows came out, {expected.rows_out} were expected")
        return faults
    for record, wanted in zip(rows_out, expected.rows, strict=True):
        added = (wanted.verdict.category.value, wanted.verdict.domain_type.value)
        faults += _compare_record(
            f"row {wanted.number}", record, rows_in[wanted.number - 1], delimiter, added, plan,
            expected,
        )  # fmt: skip
        if len(faults) > 20:
            faults.append("and more")
            break
    return faults


def _compare_record(
    what: str,
    record: RawRecord,
    original: RawRecord,
    delimiter: bytes,
    added: Sequence[str],
    plan: InputPlan,
    expected: Expected,
) -> list[str]:
    padding = delimiter * (expected.width - len(original.cells))
    wanted = original.body + padding
    for text in added:
        wanted += delimiter + _encode(text, plan.encoding)
    faults = []
    if record.body != wanted:
        faults.append(f"{what}: the bytes are not the input's own with the verdict behind them")
    if original.newline and record.newline not in (original.newline, b""):
        faults.append(f"{what}: another line ending")
    return faults


def compare_xlsx(result: Path, source: Path, plan: InputPlan, expected: Expected) -> list[str]:
    """Return what is wrong with a workbook's values; an empty list when nothing is.

    Every kept row's values and types must be the input's; dates stay dates. Other sheets' values
    must be equal.
    """
    faults: list[str] = []
    rows_in = [row for row in read_sheet(source, plan.sheet) if any(map(_show, row))]
    rows_out = [row for row in read_sheet(result, plan.sheet) if any(map(_show, row))]
    if plan.has_header:
        header_in, header_out = rows_in.pop(0), rows_out.pop(0)
        if tuple(map(_show, header_out))[: len(expected.columns)] != expected.columns:
            faults.append(f"header: {len(header_in)} columns in, {len(header_out)} out, or renamed")
    if len(rows_out) != expected.rows_out:
        return [*faults, f"{len(rows_out)} rows came out, {expected.rows_out} were expected"]
    for row, wanted in zip(rows_out, expected.rows, strict=True):
        original = tuple(rows_in[wanted.number - 1])
        cells = original + (None,) * (expected.width - len(original))
        added = (wanted.verdict.category.value, wanted.verdict.domain_type.value)
        if tuple(row)[: expected.width + 2] != cells + added:
            faults.append(f"row {wanted.number}: values differ")
    others = [name for name in _sheet_names(source) if name != plan.sheet]
    if any(read_sheet(source, name) != read_sheet(result, name) for name in others):
        faults.append("another sheet's values differ")
    return faults[:20]


def _sheet_names(path: Path) -> list[str]:
    with path.open("rb") as file:
        return list(load_workbook(file, read_only=True).sheetnames)
