"""Looking into uploads, here or in another process: what a list is, what it will come out as."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from winnow.core.lists.duplicate_groups import DuplicatePreview
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices, Head
from winnow.core.lists.previews import Preview
from winnow.core.own_lists.own_judge import put_own_first
from winnow.core.own_lists.patterns import OwnLists
from winnow.core.tasks.run_options import RunOptions
from winnow.core.tasks.task import InputPlan, KeyType
from winnow.core.verdicts.judge import Judge
from winnow.lists.format_registry import find_format
from winnow.lists.inspection.inspect import measure_content, read_head
from winnow.lists.inspection.signature import split_file_name

JudgeOffline = Callable[[KeyType], Judge]
Answer = TypeVar("Answer")
_Answer_co = TypeVar("_Answer_co", covariant=True)


class FileQuestion(Protocol[_Answer_co]):
    """A question about a file that anybody may have sent."""

    @property
    def path(self) -> Path:
        """The file; it is only read."""

    @property
    def file_format(self) -> FileFormat:
        """What it is said to be."""

    def answer(self, judge_offline: JudgeOffline) -> _Answer_co:
        """Look, in this process, with whatever memory and time the file asks for."""


@dataclass(frozen=True, slots=True)
class HeadQuestion:
    """What is this list? Fields and errors are as for ``inspection.inspect.read_head``."""

    path: Path
    file_name: str
    choices: Choices = Choices()
    email_column: str | None = None
    scratch: Path | None = None

    @property
    def file_format(self) -> FileFormat:
        """What its name says."""
        return split_file_name(self.file_name)[1]

    def answer(self, judge_offline: JudgeOffline) -> Head:
        """Look at the first MiB, and pass over the rest."""
        name, column = self.file_name, self.email_column
        return read_head(self.path, name, self.choices, email_column=column, scratch=self.scratch)


@dataclass(frozen=True, slots=True)
class PreviewQuestion:
    """What will this list come out as? Errors are those of ``preview.preview_list``.

    ``scratch`` is an existing folder for passing files.
    """

    path: Path
    plan: InputPlan
    own: OwnLists
    scratch: Path
    row_count: int | None

    @property
    def file_format(self) -> FileFormat:
        """The plan's."""
        return self.plan.file_format

    def answer(self, judge_offline: JudgeOffline) -> Preview:
        """Read the list, or parts of it, and judge rows; nobody is asked."""
        from winnow.lists.preview.preview import preview_list  # brings polars along

        judge = put_own_first(judge_offline(KeyType.LIVE), self.own)
        return preview_list(self.path, self.plan, judge, self.scratch, row_count=self.row_count)


@dataclass(frozen=True, slots=True)
class DuplicatesQuestion:
    """What does removing duplicates do to this list? As ``duplicate_groups.preview_duplicates``.

    ``scratch`` is an existing folder for passing files.
    """

    path: Path
    plan: InputPlan
    options: RunOptions
    own: OwnLists
    scratch: Path

    @property
    def file_format(self) -> FileFormat:
        """The plan's."""
        return self.plan.file_format

    def answer(self, judge_offline: JudgeOffline) -> DuplicatePreview:
        """Read the list's beginning, and some of its rows once more."""
        from winnow.lists.preview.duplicate_groups import preview_duplicates
        from winnow.lists.preview.list_part import PartRequest

        judge = put_own_first(judge_offline(KeyType.LIVE), self.own)
        request = PartRequest(self.path, self.plan, self.options, self.scratch)
        return preview_duplicates(request, judge)


@dataclass(frozen=True, slots=True)
class RoomQuestion:
    """How many bytes can this list's result take at most? Errors are those of ``ListFormat``."""

    path: Path
    plan: InputPlan
    scratch: Path | None = None

    @property
    def file_format(self) -> FileFormat:
        """The plan's."""
        return self.plan.file_format

    def answer(self, judge_offline: JudgeOffline) -> int:
        """Count the list's rows, or measure its parts."""
        return find_format(self.file_format).bound_result_bytes(self.path, self.plan, self.scratch)


@dataclass(frozen=True, slots=True)
class ContentQuestion:
    """How many bytes has this list unpacked? As for ``inspection.inspect.measure_content``."""

    path: Path
    file_name: str
    most_bytes: int

    @property
    def file_format(self) -> FileFormat:
        """What its name says."""
        return split_file_name(self.file_name)[1]

    def answer(self, judge_offline: JudgeOffline) -> int:
        """Unpack the list, and keep nothing."""
        return measure_content(self.path, self.file_name, self.most_bytes)


class Inspector(Protocol):
    """Answers questions. Thread-safe."""

    def ask(self, question: FileQuestion[Answer]) -> Answer:
        """Return the answer; errors are those of the question."""


class LocalInspector:
    """Looks in this process."""

    def __init__(self, judge_offline: JudgeOffline) -> None:
        self._judge_offline = judge_offline

    def ask(self, question: FileQuestion[Answer]) -> Answer:
        """Look now."""
        return question.answer(self._judge_offline)


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

    def ask(self, question: FileQuestion[Answer]) -> Answer:
        """Ask whoever looks now."""
        return self._inspector.ask(question)
