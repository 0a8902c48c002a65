"""Speed of lists and checks in one command. ``docs/benchmarks.md`` has the main figures.

``python -m benchmarks`` takes the better part of an hour at full size and writes its tables to
``report.md`` in its folder; ``--quick`` takes about a minute and writes nothing. Only ratios
within one run mean anything: wall times swing with the machine.
"""

import argparse
import os
import shutil
import statistics
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import lists
from benchmarks.first_page import list_apps
from benchmarks.list_data import make_international_lines, make_unique_lines, write_list
from benchmarks.measure import Run, find_median, run_apart

Engine = Callable[[str, str], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured; rows but for ``addresses``."""

    large: int = 10_000_000
    plain: int = 1_000_000
    sheet: int = 1_048_575
    addresses: int = 100_000


QUICK = Sizes(1_000_000, 50_000, 20_000, 20_000)


class Bench:
    """Runs engines by turns on made-up data in one folder, and reports their medians."""

    def __init__(self, folder: Path, rounds: int) -> None:
        self._folder = folder
        self._scratch = tempfile.TemporaryDirectory(dir=folder, prefix="out-")
        self._rounds = rounds
        self.report = ""

    def add(self, text: str) -> None:
        """Print a paragraph or a table and add it to the report."""
        print(text, flush=True)
        self.report += text + "\n"

    def measure(
        self,
        title: str,
        name: str,
        write: Callable[[Path], object],
        engines: Mapping[str, Engine],
        rounds: int | None = None,
    ) -> None:
        """Run engines by turns on a list, which is written where it is not there yet."""
        source = self._folder / name
        if not source.exists():
            part = source.with_name(f"part-{name}")
            write(part)
            part.rename(source)
        runs: dict[str, list[Run]] = {name: [] for name in engines}
        for _ in range(rounds or self._rounds):
            for engine_name, engine in engines.items():
                if hasattr(os, "sync"):  # not on Windows
                    os.sync()  # so that no run pays for the pages of the run before it
                folder = self._clear(f"out {engine_name}")
                runs[engine_name].append(run_apart(engine, source, folder))
        self.add(f"\n## {title}, {source.stat().st_size / 1e6:.0f} MB\n")
        medians = {name: find_median(some) for name, some in runs.items()}
        floor = next(iter(medians.values()))
        self.add("| engine | wall s | CPU s | peak MiB | wall ratio | CPU ratio |")
        self.add("|---|---|---|---|---|---|")
        for engine_name, median in medians.items():
            self.add(
                f"| {engine_name} | {median.wall_seconds:.2f} | {median.cpu_seconds:.2f} "
                f"| {median.peak_mib:.0f} | {median.wall_seconds / floor.wall_seconds:.2f} "
                f"| {median.cpu_seconds / floor.cpu_seconds:.2f} |"
            )

    def measure_lists(self, sizes: Sizes) -> None:
        """Run the engine on lists of each format."""
        floor_and_ours = {"polars copy": lists.copy_with_polars, "winnow": lists.run_winnow}
        large, plain, sheet = sizes.large, sizes.plain, sizes.sheet
        for row_count, what, make, rounds in (
            (large, "", None, None),
            (plain, "", None, None),
            (large, ", every domain another one", make_unique_lines, 1),
            (large, ", letters beyond ASCII in every address", make_international_lines, 1),
        ):
            name = f"{make.__name__ if make else 'list'}-{row_count}.csv"
            write = partial(write_list, row_count=row_count, make=make)
            title = f"CSV, {row_count:,} rows{what}"
            self.measure(title, name, write, floor_and_ours, rounds)
        self.measure(
            f"XLSX, {sheet:,} rows",
            f"book-{sheet}.xlsx",
            lambda path: run_apart(lists.write_workbook, path, sheet),
            {"winnow": lists.run_winnow},
        )
        text = self._folder / f"list-{plain}.csv"
        self.measure(
            f"Parquet, {plain:,} rows",
            f"list-{plain}.parquet",
            lambda path: run_apart(lists.write_parquet, text, path),
            {"winnow, CSV": lists.run_on_csv, "winnow, Parquet": lists.run_winnow},
        )

    def measure_addresses(self, count: int) -> None:
        """Check addresses in memory, each way in a process of its own."""
        self.add(f"\n## {count:,} addresses in memory, per CPU second\n")
        self.add("| what | a second |\n|---|---|")
        for what, check in (
            ("verdict by every list", lists.check_addresses),
            ("answer with evidence", lists.check_as_service),
        ):
            rates = [run_apart(check, count).answer["per_second"] for _ in range(self._rounds)]
            self.add(f"| {what} | {statistics.median(rates):,.0f} |")

    def measure_first_page(self) -> None:
        """Start both apps by turns and time their first pages, without a browser."""
        apps = list_apps(self._clear("first page"))
        apps["winnow"]()  # compiles the domain data
        taken = [[time_app() for time_app in apps.values()] for _ in range(self._rounds)]
        self.add("\n## Until the first page is drawn\n")
        self.add("| app | from the start command, s | next visit, s |\n|---|---|---|")
        for name, rounds in zip(apps, zip(*taken, strict=True), strict=True):
            first, following = (statistics.median(some) for some in zip(*rounds, strict=True))
            self.add(f"| {name} | {first:.2f} | {following:.2f} |")

    def close(self) -> None:
        """Remove what the engines wrote; the lists stay for the next time."""
        self._scratch.cleanup()

    def _clear(self, name: str) -> Path:
        folder = Path(self._scratch.name) / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder


def main() -> None:
    """Measure everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, one round, no report")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=Path("var/benchmarks"))
    options = parser.parse_args()
    sizes = QUICK if options.quick else Sizes()
    rounds = 1 if options.quick else options.rounds
    options.folder.mkdir(parents=True, exist_ok=True)
    bench = Bench(options.folder.absolute(), rounds)
    run_apart(lists.check_addresses, 1)  # compiles the domain data
    bench.add(
        f"# Benchmarks\n\n`python -m benchmarks`: data by a fixed seed, each engine a process of "
        f"its own, imports included; medians of {rounds} runs by turns, on {os.cpu_count()} cores. "
        "Only ratios within one table mean anything. Ratios are to the first line."
    )
    bench.measure_lists(sizes)
    bench.measure_addresses(sizes.addresses)
    bench.measure_first_page()
    bench.close()
    if not options.quick:
        (options.folder / "report.md").write_text(bench.report, encoding="utf-8")


if __name__ == "__main__":
    main()
