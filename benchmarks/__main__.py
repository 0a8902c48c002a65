"""Every measurement in one command. ``docs/benchmarks.md`` has the main figures.

``python -m benchmarks`` takes the better part of an hour at full size and writes its tables to
``report.md`` in its folder; ``--quick`` takes about a minute and writes nothing. Only ratios
within one run mean anything: wall times swing with the machine.
"""

import argparse
import filecmp
import os
import shutil
import statistics
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import addresses, lists
from benchmarks.list_data import make_international_lines, make_unique_lines, write_list
from benchmarks.measure import Median, Run, run_apart

Engine = Callable[[str, str], dict[str, Any]]
LISTS = {
    "list": None,
    "unique": make_unique_lines,
    "international": make_international_lines,
}


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured; rows but for ``addresses``."""

    large: int = 10_000_000
    plain: int = 1_000_000  # where the plain loops take part
    sheet: int = 1_048_575
    small_sheet: int = 50_000
    addresses: int = 100_000
    odd: int = 10_000_000  # every domain another one; every address international


QUICK = Sizes(1_000_000, 50_000, 20_000, 5_000, 20_000, 100_000)


class Report:
    """The report: printed as it is written, and kept as text."""

    def __init__(self) -> None:
        self.text = ""

    def add(self, text: str) -> None:
        """Add a paragraph or a table."""
        print(text, flush=True)
        self.text += text + "\n"

    def add_medians(self, runs: dict[str, list[Run]]) -> None:
        """Add a table of medians with ratios to the first engine."""
        medians = {name: Median.of(some) for name, some in runs.items()}
        floor = next(iter(medians.values()))
        self.add("| engine | wall s | CPU s | peak MiB | wall ratio | CPU ratio |")
        self.add("|---|---|---|---|---|---|")
        for name, median in medians.items():
            self.add(
                f"| {name} | {median.wall_seconds:.2f} | {median.cpu_seconds:.2f} "
                f"| {median.peak_mib:.0f} | {median.wall_seconds / floor.wall_seconds:.2f} "
                f"| {median.cpu_seconds / floor.cpu_seconds:.2f} |"
            )


class Bench:
    """Runs engines by turns on made-up data in one folder."""

    def __init__(self, folder: Path, rounds: int, report: Report) -> None:
        self._folder = folder
        self._scratch = tempfile.TemporaryDirectory(dir=folder, prefix="out-")
        self._rounds = rounds
        self._report = report

    def measure_lists(
        self,
        row_count: int,
        engines: dict[str, Engine],
        *,
        kind: str = "list",
        what: str = "",
        once: bool = False,
    ) -> None:
        """Run engines on one CSV list, check that they agree, add their table."""
        make = LISTS[kind]
        source = self._make(
            f"{kind}-{row_count}.csv", lambda path: write_list(path, row_count, make)
        )
        size = source.stat().st_size / 1e6
        self._report.add(f"\n## CSV, {row_count:,} rows, {size:.0f} MB{what}\n")
        runs, results = self._run_by_turns(source, engines, 1 if once else self._rounds)
        self._report.add_medians(runs)
        if once:
            self._report.add("\nOne run each.")
        self._report.add("\n" + "; ".join(_compare(source, runs, results)) + ".")

    def measure_workbooks(self, row_count: int, small: int) -> None:
        """Run the engine on the largest sheet, and next to openpyxl on a smaller one."""
        ours = {"winnow": lists.run_winnow}
        for rows, engines in (
            (small, {"openpyxl": lists.append_with_openpyxl} | ours),
            (row_count, ours),
        ):
            source = self._make(
                f"book-{rows}.xlsx",
                lambda path, rows=rows: run_apart(lists.write_workbook, path, rows),
            )
            self._report.add(f"\n## XLSX, {rows:,} rows\n")
            runs, results = self._run_by_turns(source, engines)
            self._report.add_medians(runs)
            if rows == small:
                seen = lists.count_workbook_rows(results["winnow"])
                if seen != runs["winnow"][0].answer["rows_out"]:
                    msg = f"openpyxl sees {seen} rows in the result"
                    raise ValueError(msg)
                self._report.add("\nopenpyxl reads the result and counts the same rows.")

    def measure_parquet(self, row_count: int) -> None:
        """Run the engine on the same rows in CSV and in Parquet."""
        text = self._make(f"list-{row_count}.csv", lambda path: write_list(path, row_count))
        source = self._make(
            f"list-{row_count}.parquet", lambda path: run_apart(lists.write_parquet, text, path)
        )
        self._report.add(f"\n## Parquet, {row_count:,} rows\n")
        engines = {"winnow, CSV": lists.run_on_csv, "winnow, Parquet": lists.run_winnow}
        runs, _ = self._run_by_turns(source, engines)
        self._report.add_medians(runs)
        answers = [run.answer for some in runs.values() for run in some]
        if any(answer != answers[0] for answer in answers):
            msg = f"counts differ: {answers}"
            raise ValueError(msg)
        sizes = f"{text.stat().st_size / 1e6:.0f} and {source.stat().st_size / 1e6:.0f} MB"
        self._report.add(f"\n{sizes}; the counts are the same.")

    def measure_addresses(self, count: int) -> None:
        """Check addresses in memory, each library in a process of its own."""
        self._report.add(f"\n## {count:,} addresses in memory, per CPU second\n")
        self._report.add("| who | what | a second |\n|---|---|---|")
        for name, what, check in (
            ("winnow", "policy, every list", addresses.check_with_winnow),
            ("winnow", "whole answer with evidence", addresses.check_as_service),
            ("email-validator", "syntax", addresses.check_with_email_validator),
            ("MailChecker", "a plain expression, one list", addresses.check_with_mailchecker),
        ):
            rates = [run_apart(check, count).answer["per_second"] for _ in range(self._rounds)]
            self._report.add(f"| {name} | {what} | {statistics.median(rates):,.0f} |")

    def measure_first_page(self, chromium: str) -> None:
        """Start both apps by turns and time their first pages."""
        from benchmarks.first_page import describe, measure_first_page

        self._report.add("\n## Until the first page is drawn\n")
        self._report.add("| app | from the start command, s | ratio | next visit, s | ratio |")
        self._report.add("|---|---|---|---|---|")
        self._report.add(describe(measure_first_page(self._rounds, chromium)))

    def _run_by_turns(
        self, source: Path, engines: dict[str, Engine], rounds: int = 0
    ) -> tuple[dict[str, list[Run]], dict[str, Path]]:
        runs: dict[str, list[Run]] = {name: [] for name in engines}
        results = {}
        for _ in range(rounds or self._rounds):
            for name, engine in engines.items():
                folder = self._clear(f"out {name}")
                _wait_for_disk()
                runs[name].append(run_apart(engine, source, folder))
                results[name] = folder / "result"
        return runs, results

    def _make(self, name: str, write: Callable[[Path], object]) -> Path:
        path = self._folder / name
        if not path.exists():
            part = path.with_name(f"part-{name}")
            write(part)
            part.rename(path)
        return path

    def close(self) -> None:
        """Remove what the engines wrote; the lists stay for the next time."""
        self._scratch.cleanup()

    def _clear(self, name: str) -> Path:
        folder = Path(self._scratch.name) / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder


def _wait_for_disk() -> None:
    """Write the page cache to disk, so that no run pays for the run before it."""
    if hasattr(os, "sync"):  # not on Windows
        os.sync()


def _compare(source: Path, runs: dict[str, list[Run]], results: dict[str, Path]) -> Iterator[str]:
    """Report the results that agree; raise where two differ."""
    copies = [name for name in results if "copy" in name]
    for name in copies:
        is_same = filecmp.cmp(source, results[name], shallow=False)
        yield f"the {name} is {'' if is_same else 'not '}byte for byte the list"
    others = [name for name in results if name not in copies]
    counts = {name: run.answer for name in others for run in runs[name]}
    if any(count != counts[others[0]] for count in counts.values()):
        msg = f"counts differ: {counts}"
        raise ValueError(msg)
    yield ", ".join(f"{name}: {value:,}" for name, value in counts[others[0]].items())
    for name in others[1:]:
        lists.require_same_rows(results[others[0]], results[name])
        yield f"{name} keeps the same rows, cell by cell"


def main() -> None:
    """Measure everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, one round, no report")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=Path("var/benchmarks"))
    parser.add_argument("--chromium", default="", help="its path; without it no page is drawn")
    options = parser.parse_args()
    sizes = QUICK if options.quick else Sizes()
    report = Report()
    options.folder.mkdir(parents=True, exist_ok=True)
    rounds = 1 if options.quick else options.rounds
    bench = Bench(options.folder.absolute(), rounds, report)
    run_apart(addresses.check_with_winnow, 1)  # compiles the domain data
    report.add(
        f"# Benchmarks\n\n`python -m benchmarks`: data by a fixed seed, each engine a process of "
        f"its own, imports included; medians of {rounds} runs by turns, on {os.cpu_count()} cores. "
        "Before each run the disk has written what the one before left. "
        "Only ratios within one table mean anything. Ratios are to the first line."
    )
    bench.measure_lists(
        sizes.large,
        {
            "polars copy": lists.copy_with_polars,
            "csv copy": lists.copy_with_csv,
            "winnow": lists.run_winnow,
        },
    )
    bench.measure_lists(
        sizes.plain,
        {
            "polars copy": lists.copy_with_polars,
            "winnow": lists.run_winnow,
            "csv loop": lists.check_with_csv,
            "pandas": lists.check_with_pandas,
        },
    )
    floor_and_ours = {"polars copy": lists.copy_with_polars, "winnow": lists.run_winnow}
    for kind, what in (
        ("unique", ", every domain another one"),
        ("international", ", letters beyond ASCII in every address"),
    ):
        bench.measure_lists(sizes.odd, floor_and_ours, kind=kind, what=what, once=True)
    bench.measure_addresses(sizes.addresses)
    bench.measure_workbooks(sizes.sheet, sizes.small_sheet)
    bench.measure_parquet(sizes.plain)
    if options.chromium:
        bench.measure_first_page(options.chromium)
    bench.close()
    if not options.quick:
        (options.folder / "report.md").write_text(report.text, encoding="utf-8")


if __name__ == "__main__":
    main()
