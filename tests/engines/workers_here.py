"""Workers that are this process: what is handed to them and back goes by pickle, as to others."""

import pickle
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


class AnswersHere:
    """Calls that are made when they are waited for."""

    def __init__(self, function: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> None:
        self._function = function
        self._calls = calls

    def wait(self, tell: Callable[[Any], None] = lambda answer: None) -> list[Any]:
        answers = []
        for call in self._calls:
            function, arguments = pickle.loads(pickle.dumps((self._function, call)))  # noqa: S301
            answer = pickle.loads(pickle.dumps(function(*arguments)))  # noqa: S301
            answers.append(answer)
            tell(answer)
        return answers


class WorkersHere:
    """A ``Workers`` without a cluster."""

    def begin(self, function: Callable[..., T], calls: Sequence[tuple[Any, ...]]) -> AnswersHere:
        return AnswersHere(function, calls)
