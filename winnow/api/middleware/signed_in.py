"""WebSockets of pages, which end with the sign-in that opened them."""

import asyncio
from functools import partial

from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from winnow.api.middleware.trusted_hosts import WEBSOCKET_POLICY_VIOLATION
from winnow.services.accounts.sign_in import SignIn


async def pass_while_signed_in(
    app: ASGIApp, sign_in: SignIn, session: str, scope: Scope, receive: Receive, send: Send
) -> None:
    """Pass a WebSocket on until its session ends or lapses; then close it."""
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    left = await run_in_threadpool(sign_in.measure_session, session)
    lapsing = loop.call_later(left.total_seconds(), ended.set)
    is_closed = False

    async def receive_or_end() -> Message:
        getting = loop.create_task(_get(receive))
        ending = loop.create_task(ended.wait())
        try:
            await asyncio.wait({getting, ending}, return_when=asyncio.FIRST_COMPLETED)
            if ended.is_set():
                return {"type": "websocket.disconnect", "code": WEBSOCKET_POLICY_VIOLATION}
            return getting.result()
        finally:
            getting.cancel()
            ending.cancel()

    async def send_while_signed_in(message: Message) -> None:
        nonlocal is_closed
        is_closed = is_closed or message["type"] == "websocket.close"
        if not ended.is_set():
            await send(message)

    try:
        with sign_in.watch(session, partial(loop.call_soon_threadsafe, ended.set)):
            await app(scope, receive_or_end, send_while_signed_in)
    finally:
        lapsing.cancel()
    if ended.is_set() and not is_closed:
        await send({"type": "websocket.close", "code": WEBSOCKET_POLICY_VIOLATION})


async def _get(receive: Receive) -> Message:
    return await receive()
