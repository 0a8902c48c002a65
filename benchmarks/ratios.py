"""Costs compared with those of peers: openpyxl, pandas, Polars and an empty Starlette route.

``python -m benchmarks.ratios`` takes three minutes. It prints ratios of CPU and memory of runs by
turns, imports included, and fails where one is more than twice the documented one.
"""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.checks import measure_checks
from benchmarks.list_data import write_list
from benchmarks.lists import (
    check_column,
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
    """A list, what it is compared with, and the ratios in ``docs/benchmarks.md``."""

    name: str
    write: Callable[[Path], object]
    peer: Work
    documented: float
    memory: float


ROWS = (
    Row(
        "100000.xlsx",
        lambda path: run_apart(write_workbook, path, 100_000),
        load_and_save,
        0.2,
        0.85,
    ),
    Row(
        "10000.csv",
        partial(write_list, row_count=10_000, make=None),
        deduplicate_with_pandas,
        1.5,
        1.4,
    ),
    Row(
        "1000000.csv",
        partial(write_list, row_count=1_000_000, make=None),
        copy_with_polars,
        4.7,
        2.3,
    ),
)
COLUMN, COLUMN_DIFFERENT, COLUMN_RATIO = 2_000_000, 160_000, 1.5
CHECK_RATIO, ARRAY_RATIO = 2.6, 0.47


def main() -> int:
    """Measure each row, print the table, and return 1 where a ratio is too high."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    print("| what | Winnow | peer | ratio | documented |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        failures = [_measure(row, Path(name), rounds) for row in ROWS]
    columns = [run_apart(check_column, COLUMN, COLUMN_DIFFERENT).answer for _ in range(rounds)]
    found = [(one["ours"], one["peer"]) for one in columns]
    failures.append(_report("check_column, CPU s", "a pattern in Polars", found, COLUMN_RATIO))
    costs, peer = measure_checks(), "an empty Starlette route"
    singles = [(one.check, one.empty) for one in costs]
    arrays = [(one.address, one.empty) for one in costs]
    failures.append(_report("a check over HTTP, CPU µs", peer, singles, CHECK_RATIO))
    failures.append(_report("an address of 100 in an array, CPU µs", peer, arrays, ARRAY_RATIO))
    return int(any(failures))


def _measure(row: Row, folder: Path, rounds: int) -> bool:
    source = folder / row.name
    row.write(source)
    run_apart(clean, source, folder)  # compiles the domain data
    runs = [[run_apart(one, source, folder) for one in (clean, row.peer)] for _ in range(rounds)]
    cpu = [(ours.cpu_seconds, peers.cpu_seconds) for ours, peers in runs]
    memory = [(ours.peak_mib, peers.peak_mib) for ours, peers in runs]
    is_slow = _report(f"{row.name}, CPU s", row.peer.__name__, cpu, row.documented)
    return _report(f"{row.name}, MiB", row.peer.__name__, memory, row.memory) or is_slow


def _report(what: str, peer: str, found: Sequence[tuple[float, float]], documented: float) -> bool:
    """Print the medians of what we and a peer took; return whether the ratio is too high."""
    ratio = statistics.median(ours / peers for ours, peers in found)
    ours, peers = (f"{statistics.median(some):.3g}" for some in zip(*found, strict=True))
    print(f"| {what} | {ours} | {peer}: {peers} | {ratio:.2f} | {documented} |", flush=True)
    return ratio > MOST_TIMES * documented


if __name__ == "__main__":
    sys.exit(main())
