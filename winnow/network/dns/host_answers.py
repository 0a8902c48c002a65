"""Answers about hosts and zones: from the cache while they hold, else from the resolver."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import islice
from typing import TypeVar

from winnow.core.network_answers import NAME_SERVERS, NetworkAnswers, StoredAnswer
from winnow.core.ports import Resolver

ANSWERS_A_COMMIT = 20_000
T = TypeVar("T")


class HostAnswers:
    """Asks the resolver for what is not cached. Network errors never raise."""

    def __init__(
        self, kept: NetworkAnswers, resolver: Resolver, clock: Callable[[], datetime]
    ) -> None:
        self._kept = kept
        self._resolver = resolver
        self._clock = clock

    def gather(
        self,
        question: str,
        names: list[str],
        *,
        budget_seconds: float,
        tick: Callable[[float], None],
    ) -> dict[str, tuple[str, ...]]:
        """Return addresses, or name servers where those are the question, by name."""
        known = self._kept.read_answers(question, names, self._clock())
        found = {name: answer.targets for name, answer in known.items()}
        missing = [name for name in names if name not in known]
        if not missing:
            return found
        resolver = self._resolver
        ask = resolver.ask_name_servers if question == NAME_SERVERS else resolver.ask_hosts
        answers = ask(
            missing, budget_seconds=budget_seconds, tick=lambda done: tick(done / len(missing))
        )
        for some in in_groups(answers):
            now = self._clock()
            stored = [
                StoredAnswer(
                    name, question, answer.values, now, now + timedelta(seconds=answer.ttl_seconds)
                )
                for name, answer in some
                if answer.values is not None
            ]
            found.update((answer.name, answer.targets) for answer in stored)
            self._kept.keep_answers(question, stored)
        return found


def in_groups(answers: Iterator[T]) -> Iterator[list[T]]:
    """Yield groups of the size of one commit."""
    while some := list(islice(answers, ANSWERS_A_COMMIT)):
        yield some
