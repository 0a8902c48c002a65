"""Looking into uploads, here or in another process: what a list is, what it will come out as."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from winnow.core.lists.input_head import Choices, Head
from winnow.core.lists.previews import Preview
from winnow.core.own_lists.own_judge import put_own_first
from winnow.core.own_lists.patterns import OwnLists
from winnow.core.tasks.task import InputPlan, KeyType
from winnow.core.verdicts.judge import Judge
from winnow.lists.format_registry import find_format
from winnow.lists.inspection.inspect import measure_content, read_head


@dataclass(frozen=True, slots=True)
class HeadQuestion:
    """What is this list? The last two are as for ``inspection.inspect.read_head``."""

    path: Path
    file_name: str
    choices: Choices = Choices()
    email_column: str | None = None
    scratch: Path | None = None


@dataclass(frozen=True, slots=True)
class PreviewQuestion:
    """What will this list come out as? ``scratch`` is an existing folder for passing files."""

    path: Path
    plan: InputPlan
    own: OwnLists
    scratch: Path
    row_count: int | None


@dataclass(frozen=True, slots=True)
class RoomQuestion:
    """How many bytes can this list's result take at most?"""

    path: Path
    plan: InputPlan
    scratch: Path | None = None


@dataclass(frozen=True, slots=True)
class ContentQuestion:
    """How many bytes has this list unpacked? As for ``inspection.inspect.measure_content``."""

    path: Path
    file_name: str
    most_bytes: int


class Inspector(Protocol):
    """Answers questions about files that anybody may have sent. Thread-safe."""

    def read_head(self, question: HeadQuestion) -> Head:
        """Find out what a list is; errors are those of ``inspection.inspect.read_head``."""

    def make_preview(self, question: PreviewQuestion) -> Preview:
        """Tell what a list will come out as; errors are those of ``preview.preview_list``."""

    def bound_result(self, question: RoomQuestion) -> int:
        """Tell how much room a result can take; errors are those of ``ListFormat``."""

    def measure_content(self, question: ContentQuestion) -> int:
        """Tell how large a list is unpacked; errors are ``inspection.inspect``'s."""


class LocalInspector:
    """Looks in this process, with whatever memory and time a file asks for."""

    def __init__(self, judge_offline: Callable[[KeyType], Judge]) -> None:
        self._judge_offline = judge_offline

    def read_head(self, question: HeadQuestion) -> Head:
        """Look at the first MiB, and pass over the rest."""
        return read_head(
            question.path,
            question.file_name,
            question.choices,
            email_column=question.email_column,
            scratch=question.scratch,
        )

    def make_preview(self, question: PreviewQuestion) -> Preview:
        """Read the list, or parts of it, and judge rows; nobody is asked."""
        from winnow.lists.preview.preview import preview_list  # brings polars along

        judge = put_own_first(self._judge_offline(KeyType.LIVE), question.own)
        return preview_list(
            question.path, question.plan, judge, question.scratch, row_count=question.row_count
        )

    def bound_result(self, question: RoomQuestion) -> int:
        """Count the list's rows, or measure its parts."""
        return find_format(question.plan.file_format).bound_result_bytes(
            question.path, question.plan, question.scratch
        )

    def measure_content(self, question: ContentQuestion) -> int:
        """Unpack the list, and keep nothing."""
        return measure_content(question.path, question.file_name, question.most_bytes)


class Inspections:
    """The inspector of now: this process, until a server hands it over to others."""

    def __init__(self, local: Inspector) -> None:
        self._local = local
        self._inspector = local

    def hand_over(self, inspector: Inspector) -> None:
        """Let another one look from now on."""
        self._inspector = inspector

    def take_back(self) -> None:
        """Look in this process again."""
        self._inspector = self._local

    def read_head(self, question: HeadQuestion) -> Head:
        """Ask whoever looks now."""
        return self._inspector.read_head(question)

    def make_preview(self, question: PreviewQuestion) -> Preview:
        """Ask whoever looks now."""
        return self._inspector.make_preview(question)

    def bound_result(self, question: RoomQuestion) -> int:
        """Ask whoever looks now."""
        return self._inspector.bound_result(question)

    def measure_content(self, question: ContentQuestion) -> int:
        """Ask whoever looks now."""
        return self._inspector.measure_content(question)
