"""One run, one process: its wall time, processor time and peak memory."""

import argparse
import importlib
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parents[1]  # the measured code imports nothing else of the tests

MIB_PER_MAXRSS = 1 / 1024 if sys.platform != "darwin" else 1 / (1 << 20)  # getrusage(2)


@dataclass(frozen=True, slots=True)
class Run:
    """Times and memory of one process with its start; ``answer`` is what its function returned."""

    wall_seconds: float
    cpu_seconds: float
    peak_mib: float
    answer: dict[str, Any]


def run_apart(function: Callable[..., dict[str, Any]], *arguments: object) -> Run:
    """Call a function of a module by name in a process of its own; arguments go as text.

    Raises:
        CalledProcessError: It failed; its output is on standard error.
    """
    spec = sys.modules[function.__module__].__spec__
    module = spec.name if spec else function.__module__  # "__main__" has its name there
    command = [sys.executable, "-m", "benchmarks.measure", module, function.__name__]
    begun = time.perf_counter()
    done = subprocess.run(
        [*command, *map(str, arguments)],
        cwd=PROJECT,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    wall = time.perf_counter() - begun
    said = json.loads(done.stdout.splitlines()[-1])
    return Run(wall, said["cpu_seconds"], said["peak_mib"], said["answer"])


def find_median(runs: Sequence[Run]) -> Run:
    """Return the median of each measure, with the first run's answer."""
    wall, cpu, peak = (
        statistics.median(measures)
        for measures in zip(*(astuple(run)[:3] for run in runs), strict=True)
    )
    return Run(wall, cpu, peak, runs[0].answer)


def main() -> None:
    """Call the function in this process; print times and memory as the last line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("module")
    parser.add_argument("function")
    parser.add_argument("arguments", nargs="*")
    options = parser.parse_args()
    function = getattr(importlib.import_module(options.module), options.function)
    answer = function(*options.arguments)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    said = {
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "peak_mib": usage.ru_maxrss * MIB_PER_MAXRSS,
        "answer": answer,
    }
    print(json.dumps(said))


if __name__ == "__main__":
    main()
