"""One run, one process: its wall time, processor time and peak memory."""

import json
import os
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
CODE = "import json, sys; from {module} import {name}; print(json.dumps({name}(*sys.argv[1:])))"


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
    code = CODE.format(module=function.__module__, name=function.__name__)
    command = [sys.executable, "-c", code, *map(str, arguments)]
    begun = time.perf_counter()
    kept = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}  # as an installed package is
    with subprocess.Popen(
        command, cwd=PROJECT, env=kept, stdout=subprocess.PIPE, text=True
    ) as process:
        said = process.stdout.read()  # type: ignore[union-attr]
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall_seconds = time.perf_counter() - begun
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    cpu_seconds = usage.ru_utime + usage.ru_stime
    answer = json.loads(said.splitlines()[-1])
    return Run(wall_seconds, cpu_seconds, usage.ru_maxrss * MIB_PER_MAXRSS, answer)


def find_median(runs: Sequence[Run]) -> Run:
    """Return the median of each measure, with the first run's answer."""
    wall, cpu, peak = (
        statistics.median(measures)
        for measures in zip(*(astuple(run)[:3] for run in runs), strict=True)
    )
    return Run(wall, cpu, peak, runs[0].answer)
