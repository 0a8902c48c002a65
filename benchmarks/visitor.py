"""Client of a Streamlit app that opens pages over its WebSocket, without a browser."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from streamlit.proto.AutoRerun_pb2 import AutoRerun
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

DRAWN_SECONDS = 120.0


@dataclass(slots=True)
class Visitor:
    """One session; ``faults`` counts exceptions on pages, ``hashes`` has the pages by path.

    ``rerun`` is the fragment that the page wants to have drawn again first, if any.
    """

    socket: ClientConnection
    faults: Counter[str] = field(default_factory=Counter)
    hashes: dict[str, str] = field(default_factory=dict)
    rerun: AutoRerun | None = None

    async def draw(self, path: str = "", query: str = "", fragment: str = "") -> None:
        """Run a page, or a fragment of it, to the end.

        Raises:
            TimeoutError: It sent nothing for two minutes.
        """
        state = ClientState(
            page_script_hash=self.hashes.get(path, ""),
            query_string=query,
            fragment_id=fragment,
            is_auto_rerun=bool(fragment),
        )
        await self.socket.send(BackMsg(rerun_script=state).SerializeToString())
        rerun = None
        while True:
            data = await asyncio.wait_for(self.socket.recv(decode=False), DRAWN_SECONDS)
            message = ForwardMsg.FromString(data)
            element = message.delta.new_element
            if message.HasField("navigation"):
                pages = message.navigation.app_pages
                self.hashes = {page.url_pathname: page.page_script_hash for page in pages}
            elif message.HasField("auto_rerun"):
                wanted = message.auto_rerun
                if rerun is None or wanted.interval < rerun.interval:
                    rerun = wanted
            elif element.HasField("exception"):
                self.faults[element.exception.type] += 1
            elif message.HasField("script_finished"):
                match message.script_finished:
                    case ForwardMsg.FINISHED_SUCCESSFULLY:  # a whole page
                        self.rerun = rerun
                        return
                    case ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                        rerun = None
                    case _:
                        return


@asynccontextmanager
async def open_visitor(port: int) -> AsyncIterator[Visitor]:
    """Open a session of the app on a port of this machine."""
    url, protocol = f"ws://127.0.0.1:{port}/_stcore/stream", Subprotocol("streamlit")
    async with connect(url, subprotocols=[protocol], max_size=None) as socket:
        yield Visitor(socket)
