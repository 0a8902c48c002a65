"""A stop that does not come to its end: see tests/api/test_standing.py for whole servers."""

import signal
import subprocess
import sys

from tests.server import PROJECT

SERVER = """
import asyncio, signal, threading
from winnow.api.middleware.shutdown import Shutdown

async def serve():
    shutdown = Shutdown()
    shutdown.last_acts += [threading.Event().wait, threading.Event().wait]
    with shutdown.watch_signals(asyncio.get_running_loop()):
        print("ready", flush=True)
        while not shutdown.is_begun:
            await asyncio.sleep(0.01)
        print("stopping", flush=True)
        await asyncio.Event().wait()

signal.signal(signal.SIGTERM, lambda *args: None)
asyncio.run(serve())
"""


def test_a_second_signal_ends_it_whatever_the_last_acts_wait_for() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True, cwd=PROJECT
    ) as server:
        assert server.stdout is not None
        try:
            assert server.stdout.readline() == "ready\n"
            server.terminate()
            assert server.stdout.readline() == "stopping\n"
            server.terminate()
            assert server.wait(60) == 128 + signal.SIGTERM
        finally:
            server.kill()
