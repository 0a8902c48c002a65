"""DNS and RDAP against servers of our own: ``python -m benchmarks.names``.

Throughput is told beside aiodns used plainly with the same window, by turns, where aiodns is
installed. Wall times swing with the machine; the ratio and the counts are what counts.
"""

import asyncio
import contextlib
import importlib.util
import multiprocessing
import os
import socket
import statistics
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from tests.network.name_server import encode, read_question
from tests.network.rdap_site import RdapSite, drip, make_domain, send_json
from winnow.core.verdicts.facts import AgeState, MailRoute
from winnow.network.dns.rate_limiter import WINDOW
from winnow.network.dns.resolver import DnsResolver

NAME_COUNT = 20_000
LOST_COUNT = 100_000
ROUNDS = 5
EXPECTED = (MailRoute.MX, MailRoute.NOT_FOUND, MailRoute.NULL_MX, MailRoute.IMPLICIT_MX)


def answer_by_number(name: str, kind: str) -> tuple[int, list[tuple[str, str, str]]]:
    """Answer for ``d<number>.example``: three in four have an MX, the others each another kind."""
    number = int(name[1:].partition(".")[0]) if name[1:2].isdigit() else 0
    place = number % 12
    if place == 1:
        return 3, []
    if kind == "MX":
        hosts = {2: "0 ."}.get(place, f"10 mx{number % 50}.example")
        return 0, [] if place == 3 else [(name, "MX", hosts)]
    return 0, [(name, "A", "192.0.2.1")] if kind == "A" else []


def expect(number: int) -> MailRoute:
    """Return the route of the name of this number."""
    kinds = {1: MailRoute.NOT_FOUND, 2: MailRoute.NULL_MX, 3: MailRoute.IMPLICIT_MX}
    return kinds.get(number % 12, MailRoute.MX)


def serve(listener: socket.socket, most_answers: int) -> None:
    """Answer so many questions, then fall silent."""
    known: dict[bytes, bytes] = {}
    while True:
        query, client = listener.recvfrom(4096)
        if most_answers <= 0:
            continue
        most_answers -= 1
        record_type = query[12:]
        if record_type not in known:
            known[record_type] = encode(query, *answer_by_number(*read_question(query)))[2:]
        listener.sendto(query[:2] + known[record_type], client)


@contextlib.contextmanager
def run_server(most_answers: int = 1 << 60) -> Iterator[str]:
    """Run a server in a process of its own; give its address."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        listener.bind(("127.0.0.1", 0))
        process = multiprocessing.get_context("fork").Process(
            target=serve, args=(listener, most_answers), daemon=True
        )
        process.start()
        try:
            yield f"127.0.0.1:{listener.getsockname()[1]}"
        finally:
            process.kill()
            process.join()


def ask(server: str, names: Iterable[str]) -> dict[str, MailRoute]:
    """Ask with our resolver."""
    answers = DnsResolver([server]).ask_mail(names, budget_seconds=900, tick=lambda count: None)
    return {name: answer.route for name, answer in answers}


def ask_with_aiodns(server: str, names: list[str]) -> int:
    """Ask for MX alone with aiodns; return how many questions had an answer of any kind."""
    import aiodns  # not a dependency

    async def run() -> int:
        resolver = aiodns.DNSResolver(nameservers=[server], timeout=1.5, tries=2)
        window = asyncio.Semaphore(WINDOW)
        answered = 0

        async def ask_one(name: str) -> None:
            nonlocal answered
            async with window:
                try:
                    await resolver.query_dns(name, "MX")
                    answered += 1
                except aiodns.error.DNSError as error:
                    answered += error.args[0] in {1, 4}  # no data, no such name

        await asyncio.gather(*(ask_one(name) for name in names))
        await resolver.close()
        return answered

    return asyncio.run(run())


def clock(work: Callable[[], object]) -> tuple[float, float]:
    """Return wall and processor seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def measure_throughput() -> None:
    """Print domains a second, ours and those of aiodns by turns, and false unknowns."""
    names = [f"d{number}.example" for number in range(NAME_COUNT)]
    contenders: dict[str, Callable[[str], object]] = {"winnow": lambda server: ask(server, names)}
    if importlib.util.find_spec("aiodns"):
        contenders["aiodns"] = lambda server: ask_with_aiodns(server, names)
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in contenders}
    with run_server() as server:
        routes = ask(server, names)
        wrong = Counter(
            (expect(number), routes[name])
            for number, name in enumerate(names)
            if routes[name] is not expect(number)
        )
        for _ in range(ROUNDS):
            for name, contender in contenders.items():
                times[name].append(clock(lambda contender=contender: contender(server)))
    print(f"{NAME_COUNT:,} names of all kinds, wrong answers: {dict(wrong) or 'none'}")
    for name, some in times.items():
        wall = statistics.median(wall for wall, _ in some)
        cpu = statistics.median(cpu for _, cpu in some)
        print(
            f"{name}: {NAME_COUNT / wall:,.0f} domains/s, {1e6 * cpu / NAME_COUNT:.0f} us CPU each"
        )


def measure_losses() -> None:
    """Print how long lists wait where nobody answers."""
    names = [f"d{number}.example" for number in range(LOST_COUNT)]
    with run_server(0) as server:
        print(f"black hole: {clock(lambda: ask(server, names))[0]:.2f} s")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    print(f"port closed: {clock(lambda: ask(f'127.0.0.1:{port}', names))[0]:.2f} s")
    with run_server(LOST_COUNT // 5) as server:
        died_at: list[float] = []
        begun = time.perf_counter()
        answers = DnsResolver([server]).ask_mail(names, budget_seconds=900, tick=lambda count: None)
        for _, answer in answers:
            if answer.route in EXPECTED:
                died_at.append(time.perf_counter())
        ended = time.perf_counter()
        print(
            f"dies in the middle: {len(died_at):,} answered in {died_at[-1] - begun:.1f} s, "
            f"over {ended - died_at[-1]:.2f} s later"
        )


def measure_registries() -> None:
    """Print how far beyond its budget RDAP holds a list, at good and at hostile servers."""
    for title, hostile in (("registry that answers", False), ("registry that drips", True)):
        with RdapSite() as site, tempfile.TemporaryDirectory() as folder:
            names = [f"d{number}.com" for number in range(2_000)]
            for name in names:
                answer = send_json(make_domain(name))
                site.publish(name, drip(b"HTTP/1.1 200 OK\r\n", b"x") if hostile else answer)
            with site.open_registries(
                Path(folder), lambda: datetime.now(UTC), pause_seconds=0.1, request_seconds=8.0
            ) as registries:
                list(registries.ask_ages(["warm.com"], budget_seconds=60, tick=lambda count: None))
                begun = time.perf_counter()
                answers = registries.ask_ages(names, budget_seconds=5, tick=lambda count: None)
                states = Counter(answer.state for _, answer in answers)
                took = time.perf_counter() - begun
            known = states[AgeState.KNOWN]
            print(f"{title}: budget 5 s, over after {took:.3f} s, {known} of 2,000 known")


if __name__ == "__main__":
    print(
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {threading.active_count()} thread"
    )
    measure_throughput()
    measure_losses()
    measure_registries()
