"""Questions about uploads and own files, answered in this or another process."""

from dataclasses import dataclass
from typing import Protocol

from winnow.limited.messages import Answer, JudgeOffline, Question


class Inspector(Protocol):
    """Answers questions about untrusted files. Thread-safe."""

    def ask(self, question: Question[Answer]) -> Answer:
        """Return the answer; errors are those of the question."""


@dataclass(eq=False, repr=False)
class Inspections:
    """Answers in this process, until a server hands over to an inspector of other processes."""

    judge_offline: JudgeOffline

    def __post_init__(self) -> None:
        self._inspector: Inspector | None = None

    def hand_over(self, inspector: Inspector) -> None:
        """Use another inspector from now on."""
        self._inspector = inspector

    def take_back(self) -> None:
        """Answer in this process again."""
        self._inspector = None

    def ask(self, question: Question[Answer]) -> Answer:
        """Answer, or ask the inspector."""
        if self._inspector is None:
            return question.answer(self.judge_offline)
        return self._inspector.ask(question)
