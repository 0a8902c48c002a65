"""Columns checked in each engine, beside what the engine does without: ``docs/engines.md``.

``python -m benchmarks.engines`` prints one table; engines that are not installed are named as
absent. Only ratios within one run mean anything. Processor time is of the process that checks; of
Dask, Ray and Spark, whose workers are other processes, there is wall time, of a second run.
"""

import argparse
import importlib.util
import shutil
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks import engine_runs as runs
from benchmarks.engine_runs import Said
from benchmarks.measure import run_apart

ROWS_OF_CALL = 2_048  # DuckDB's vector


class Table:
    """Rows printed as they are measured."""

    def __init__(self) -> None:
        print("| engine | what | rows | rows a second | CPU s | MiB beyond | ratio |", flush=True)
        print("|---|---|---|---|---|---|---|", flush=True)

    def add(
        self, engine: str, what: str, row_count: int, said: Said, ratio: str = "", note: str = ""
    ) -> None:
        """Print one; rows a second are of processor time where there is one."""
        cpu = f"{said['cpu']:.2f}" if "cpu" in said else ""
        mib = f"{said['mib']:.0f}" if "mib" in said else ""
        speed = row_count / said.get("cpu", said["wall"])
        of_wall = "" if "cpu" in said else " (wall)"
        cells = (engine, what + note, f"{row_count:,}", f"{speed:,.0f}{of_wall}", cpu, mib, ratio)
        print(f"| {' | '.join(cells)} |", flush=True)


class Bench:
    """Measures each engine on made-up contacts in one folder, each run a process of its own."""

    def __init__(self, folder: Path, row_count: int, rounds: int) -> None:
        self._folder = folder
        self._rounds = rounds
        self._table = Table()
        self._large = row_count
        self._middle = min(row_count, 2_000_000)
        self._small = min(row_count, 50_000)
        self._paths = {
            count: str(folder / f"{count}.parquet")
            for count in {self._large, self._middle, self._small}
        }
        for count, path in self._paths.items():
            run_apart(runs.write_contacts, path, count)

    def run(self, only: list[str]) -> None:
        """Measure all, or only some parts."""
        for part, measure in (
            ("columns", self._measure_columns),
            ("copies", self._measure_copies),
            ("calls", self._measure_calls),
            ("clusters", self._measure_clusters),
        ):
            if not only or part in only:
                measure()

    def _measure(self, function: Callable[..., Said], row_count: int, *arguments: object) -> Said:
        """Return the middle run by processor time, or else by wall time."""
        measured = [
            run_apart(function, self._paths[row_count], *arguments).answer
            for _ in range(self._rounds)
        ]
        key = "cpu" if "cpu" in measured[0] else "wall"
        middle = statistics.median_low(run[key] for run in measured)
        return next(run for run in measured if run[key] == middle)

    def _measure_columns(self) -> None:
        ours = self._measure(runs.check_arrow, self._large)
        self._table.add("Arrow", "`check_column`", self._large, ours, "1")
        by_row = self._measure(runs.check_by_row, self._small)
        speed = by_row["cpu"] / self._small * self._large / ours["cpu"]
        self._table.add("Python", "`check` per row", self._small, by_row, f"{speed:.0f} x slower")
        checked = {"pandas": self._measure(runs.check_pandas, self._large)}
        for engine, match in (
            ("Arrow", runs.match_arrow),
            ("Polars", runs.match_polars),
            ("pandas", runs.match_pandas),
            ("DuckDB", runs.match_duckdb),
        ):
            said = self._measure(match, self._large)
            times = ours["cpu"] / said["cpu"]
            what = "an expression alone"
            self._table.add(engine, what, self._large, said, f"`check_column` {times:.1f} x")
        self._table.add("pandas", "verdicts", self._large, checked["pandas"])

    def _measure_copies(self) -> None:
        for engine, copy, ways in (
            ("Polars", runs.copy_polars, {"": (), ", in batches": ("yes",)}),
            ("DuckDB", runs.copy_duckdb, {"": ()}),
        ):
            floor = self._measure(copy, self._large)
            what = "Parquet to Parquet with a constant"
            self._table.add(engine, what, self._large, floor, "1")
            checked = runs.copy_polars_checked if engine == "Polars" else runs.copy_duckdb_checked
            for note, arguments in ways.items():
                said = self._measure(checked, self._large, *arguments)
                ratio = f"{said['cpu'] / floor['cpu']:.2f}"
                self._table.add(engine, "the same with verdicts", self._large, said, ratio, note)

    def _measure_calls(self) -> None:
        said = self._measure(runs.call_duckdb, self._middle)
        calls = self._middle / ROWS_OF_CALL
        ratio = f"{1_000 * said['cpu'] / calls:.1f} ms a call"
        self._table.add("DuckDB", "`winnow(email)` in SQL", self._middle, said, ratio)

    def _measure_clusters(self) -> None:
        for engine, module, check in (
            ("Dask", "dask", runs.check_dask),
            ("Ray Data", "ray", runs.check_ray),
        ):
            if importlib.util.find_spec(module) is None:
                print(f"!! {engine} is not installed, and was not measured.", flush=True)
                continue
            self._compare_workers(engine, check, "verdicts", ())
        if importlib.util.find_spec("pyspark") is None or shutil.which("java") is None:
            print("!! PySpark or Java is not installed, and was not measured.", flush=True)
            return
        self._compare_workers("PySpark", runs.check_spark, "`mapInArrow`", ("frame",))
        arrow = self._measure(runs.check_spark, self._middle, 2, "arrow")
        self._table.add("PySpark", "Arrow UDF, 2 workers", self._middle, arrow)
        by_row = self._measure(runs.check_spark, self._small, 2, "row")
        slower = by_row["wall"] / self._small / (arrow["wall"] / self._middle)
        what = "a Python UDF per row, 2 workers"
        self._table.add("PySpark", what, self._small, by_row, f"{slower:.0f} x slower")

    def _compare_workers(
        self, engine: str, check: Callable[..., Said], what: str, more: tuple[str, ...]
    ) -> None:
        one = self._measure(check, self._middle, 1, *more)
        two = self._measure(check, self._middle, 2, *more)
        self._table.add(engine, f"{what}, 1 worker", self._middle, one, "1")
        faster = f"{one['wall'] / two['wall']:.2f} x as fast"
        self._table.add(engine, f"{what}, 2 workers", self._middle, two, faster)


def main() -> None:
    """Read the options, measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where there is room; a scratch folder of it")
    parser.add_argument("--only", nargs="*", choices=("columns", "copies", "calls", "clusters"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        Bench(Path(scratch), options.rows, options.rounds).run(options.only or [])


if __name__ == "__main__":
    main()
