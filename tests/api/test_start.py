"""Several pages that open at once, right after the server has begun to answer."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from tests.server import Server, create_key, start_server

pytestmark = pytest.mark.slow
PAGES = ("settings?tab=api", "projects", "settings?tab=api", "", "settings?tab=api", "rules")


def open_page(server: Server, page: str) -> str:
    """Run a page as a browser does, to the end of its script; return the texts it was told."""
    address = f"ws://127.0.0.1:{server.port}/_stcore/stream"
    ask = BackMsg()
    ask.rerun_script.page_name, _, ask.rerun_script.query_string = page.partition("?")
    told = []
    with connect(
        address, subprotocols=[Subprotocol("streamlit")], origin=Origin(server.url), max_size=None
    ) as stream:
        stream.send(ask.SerializeToString())
        while True:
            message = ForwardMsg.FromString(stream.recv(60))
            told.append(str(message))
            if message.WhichOneof("type") == "script_finished":
                return "".join(told)


def use_api(folder: Path) -> None:
    server = start_server(folder)
    try:
        key = create_key(server)
        answer = httpx.post(f"{server.api}/check-email?email=a@b.de", headers={"X-API-Key": key})
        assert answer.status_code == 200
    finally:
        server.stop()


def test_pages_that_open_at_once_right_after_the_start_are_drawn(data_dir: Path) -> None:
    use_api(data_dir)  # so that there is a table to draw
    server = start_server(data_dir)
    try:
        with ThreadPoolExecutor(len(PAGES)) as threads:
            told = list(threads.map(lambda page: open_page(server, page), PAGES))
    finally:
        server.stop()
    assert "page failed" not in server.log.read_text()
    assert "Addresses counted by day" in told[0]
