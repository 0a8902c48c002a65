"""Single checks while the network is asked: each waits for itself alone."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from threading import Barrier, Thread

import httpx
from starlette.applications import Starlette

from tests.api.desk import BASE_PATH, Clock, Desk
from winnow.api.application import HttpApi
from winnow.core.ports import StaticKnowledge
from winnow.core.settings import Settings
from winnow.core.verdicts.facts import MailAnswer, MailRoute
from winnow.network.static_answers import StaticResolver
from winnow.wiring import build_application

CALLERS = 4


class Meeting(StaticResolver):
    """Answers when all callers have asked, and never before."""

    def __init__(self) -> None:
        super().__init__()
        self._barrier = Barrier(CALLERS, timeout=60)

    def ask_mail(
        self, domains: Iterable[str], *, budget_seconds: float, tick: Callable[[int], None]
    ) -> Iterator[tuple[str, MailAnswer]]:
        self._barrier.wait()
        for domain in domains:
            yield domain, MailAnswer(MailRoute.NOT_FOUND, ttl_seconds=3600)


def test_one_slow_answer_holds_up_no_other_check(tmp_path: Path) -> None:
    settings, clock = Settings(data_dir=tmp_path / "data"), Clock()
    opened = build_application(
        settings,
        clock=clock,
        open_knowledge=lambda: StaticKnowledge({}),
        open_resolver=Meeting,
    )
    api = HttpApi(settings, lambda: opened.services, monotonic=clock.monotonic)
    desk = Desk(opened, api, Starlette(middleware=list(api.middleware)), clock)
    opened.services.network.turn("dns", True)
    caller = desk.caller()
    answers: list[httpx.Response] = []

    def check(number: int) -> None:
        query = {"email": f"ana@d{number}.com"}
        answers.append(caller.post(f"{BASE_PATH}/check-email", params=query))

    threads = [Thread(target=check, args=(number,)) for number in range(CALLERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer.json()["type"] for answer in answers] == ["no website"] * CALLERS
    assert min(answer.json()["remaining_attempts_before_ban"] for answer in answers) == 1
    opened.database.close()
