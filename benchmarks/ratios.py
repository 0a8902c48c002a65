"""CPU of ``winnow clean`` compared with what a script costs: openpyxl, pandas and Polars.

``python -m benchmarks.ratios`` takes two minutes. It prints ratios of CPU seconds of runs by turns,
imports included, and fails where one is more than twice the documented one.
"""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.list_data import write_list
from benchmarks.lists import (
    clean,
    copy_with_polars,
    deduplicate_with_pandas,
    load_and_save,
    write_workbook,
)
from benchmarks.measure import run_apart

MOST_TIMES = 2  # a ratio may be so many times the documented one: machines differ
Work = Callable[[str, str], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Row:
    """A list, what it is compared with, and the ratio in ``docs/benchmarks.md``."""

    name: str
    write: Callable[[Path], object]
    peer: Work
    documented: float


ROWS = (
    Row(
        "100000.xlsx",
        lambda path: run_apart(write_workbook, path, 100_000),
        load_and_save,
        0.25,
    ),
    Row(
        "10000.csv", partial(write_list, row_count=10_000, make=None), deduplicate_with_pandas, 2.9
    ),
    Row("1000000.csv", partial(write_list, row_count=1_000_000, make=None), copy_with_polars, 6.3),
)


def main() -> int:
    """Measure each row, print the table, and return 1 where a ratio is too high."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds, is_failed = parser.parse_args().rounds, False
    print("| list | winnow clean: CPU s, MiB | peer | CPU s, MiB | ratio | documented |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for row in ROWS:
            source = folder / row.name
            row.write(source)
            run_apart(clean, source, folder)  # compiles the domain data
            runs = [
                [run_apart(one, source, folder) for one in (clean, row.peer)] for _ in range(rounds)
            ]
            ratio = statistics.median(ours.cpu_seconds / peers.cpu_seconds for ours, peers in runs)
            is_failed |= ratio > MOST_TIMES * row.documented
            ours, peers = (f"{one.cpu_seconds:.2f}, {one.peak_mib:.0f}" for one in runs[-1])
            cells = (row.name, ours, row.peer.__name__, peers, f"{ratio:.2f}", str(row.documented))
            print(f"| {' | '.join(cells)} |", flush=True)
    return int(is_failed)


if __name__ == "__main__":
    sys.exit(main())
