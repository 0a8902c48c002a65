"""Many calls share a thread; none is lost, whoever asked and whatever loop it waits on."""

import asyncio
import threading

import pytest

from winnow.api.hop import Hop


def test_every_caller_gets_its_own_answer_off_the_event_loop() -> None:
    hop = Hop("test")

    async def ask(number: int) -> tuple[int, bool]:
        return await hop.run(lambda: (number, threading.current_thread().name.startswith("test")))

    async def ask_all() -> list[tuple[int, bool]]:
        return await asyncio.gather(*(ask(number) for number in range(200)))

    assert asyncio.run(ask_all()) == [(number, True) for number in range(200)]


def test_an_error_reaches_its_caller_alone() -> None:
    hop = Hop("test")

    def fail() -> int:
        raise ValueError("wrong")

    async def ask() -> int:
        failing = asyncio.ensure_future(hop.run(fail))
        with pytest.raises(ValueError, match="wrong"):
            await failing
        return await hop.run(lambda: 7)

    assert asyncio.run(ask()) == 7


def test_a_caller_that_left_holds_nobody_up() -> None:
    hop = Hop("test")
    gate = threading.Event()

    async def ask() -> int:
        left = asyncio.ensure_future(hop.run(gate.wait))
        await asyncio.sleep(0)
        left.cancel()
        gate.set()
        return await hop.run(lambda: 7)

    assert asyncio.run(ask()) == 7


def test_one_loop_after_another() -> None:
    hop = Hop("test")

    async def ask(number: int) -> int:
        return await hop.run(lambda: number)

    assert [asyncio.run(ask(number)) for number in range(300)] == list(range(300))
