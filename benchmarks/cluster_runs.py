"""What ``benchmarks.cluster`` measures, each run a process of its own."""

import time
from pathlib import Path
from typing import Any


def clean_here(source: str, target: str) -> dict[str, Any]:
    """Clean by this process alone."""
    import winnow

    winnow.clean(source, target)
    return {}


def clean_by_dask(source: str, target: str, worker_count: str) -> dict[str, Any]:
    """Clean by a cluster of processes on this machine; say their processor time."""
    import psutil
    from dask.distributed import Client, LocalCluster

    from winnow.cluster.clean_list import clean_on_cluster
    from winnow.cluster.clean_request import CleanRequest, ListChoices
    from winnow.cluster.locations import parse_location
    from winnow.cluster.workers import DaskWorkers
    from winnow.core.verdicts.judge import LiveJudge
    from winnow.library.open_data import open_domain_data

    def measure() -> float:
        times = psutil.Process().cpu_times()
        return float(times.user + times.system)

    def measure_peak() -> float:
        status = Path("/proc/self/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024

    with (
        LocalCluster(
            n_workers=int(worker_count), threads_per_worker=1, dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
        DaskWorkers(cluster.scheduler_address) as workers,
    ):
        places = (parse_location(text, "file") for text in (source, target))
        judge = LiveJudge(open_domain_data())
        begun = time.perf_counter()
        clean_on_cluster(CleanRequest(*places, judge, ListChoices(), lambda now: None), workers)
        wall = time.perf_counter() - begun
        cpu = sum(client.run(measure).values())
        return {"workers": cpu, "mib": max(client.run(measure_peak).values()), "wall": wall}
