"""What must come of a made-up list, worked out the plain way: ``csv``, row by row.

It shares nothing with the engines but the core's ``judge_text`` and ``duplicate_key``.
"""

import csv
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from winnow.core.addresses.address import duplicate_key
from winnow.core.judging.judge import Judge, judge_text

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Expected:
    """The rows that stay, the header first, each with its category and domain type at its end."""

    table: list[Row]
    rows_in: int

    @property
    def rows_out(self) -> int:
        """How many rows the result has."""
        return len(self.table) - 1

    @property
    def duplicates_removed(self) -> int:
        """How many rows are removed."""
        return self.rows_in - self.rows_out

    @property
    def by_category(self) -> Counter[str]:
        """How many rows each category has."""
        return Counter(row[-2] for row in self.table[1:])

    @property
    def by_domain_type(self) -> Counter[str]:
        """How many rows each domain type has."""
        return Counter(row[-1] for row in self.table[1:])


def read_table(path: Path) -> list[Row]:
    """Return the rows of a list as ``make_lists`` writes it, or of a result of it."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(map(tuple, csv.reader(file, delimiter=";")))


def expect(path: Path, judge: Judge) -> Expected:
    """Return what must come of a list whose duplicates are removed."""
    header, *rows = read_table(path)
    column = header.index("email")
    emails = [row[column] for row in rows]
    last = {duplicate_key(email): place for place, email in enumerate(emails)}
    table = [(*header, "category", "domain_type")]
    for place, (row, email) in enumerate(zip(rows, emails, strict=True)):
        if not duplicate_key(email) or last[duplicate_key(email)] == place:
            verdict = judge_text(judge, email).verdict
            table.append((*row, verdict.category.value, verdict.domain_type.value))
    return Expected(table, len(rows))
