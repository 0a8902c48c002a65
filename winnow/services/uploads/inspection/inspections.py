"""Questions about uploads, answered in this or another process: head, preview, duplicates."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices, Head
from winnow.core.lists.previews import DuplicatePreview, Preview
from winnow.core.own_lists.entries import put_own_first
from winnow.core.own_lists.patterns import OwnLists
from winnow.core.tasks.run_options import RunOptions
from winnow.core.tasks.task import InputPlan, KeyType
from winnow.core.verdicts.judge import Judge
from winnow.lists.inspection.inspect import measure_content, read_head
from winnow.lists.inspection.signature import split_file_name

if TYPE_CHECKING:
    from winnow.lists.preview.address_rows import AddressRow

JudgeOffline = Callable[[KeyType], Judge]
Answer = TypeVar("Answer")
_Answer_co = TypeVar("_Answer_co", covariant=True)


class FileQuestion(Protocol[_Answer_co]):
    """A question about an untrusted file."""

    @property
    def path(self) -> Path:
        """The file; it is only read."""

    @property
    def file_format(self) -> FileFormat:
        """The declared format."""

    def answer(self, judge_offline: JudgeOffline) -> _Answer_co:
        """Answer in this process, with as much memory and time as the file needs."""


@dataclass(frozen=True, slots=True)
class HeadQuestion:
    """Reads the head of a list. Fields and errors are as for ``inspection.inspect.read_head``."""

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
        """Read the first MiB, and skip the rest."""
        name, column = self.file_name, self.email_column
        return read_head(self.path, name, self.choices, email_column=column, scratch=self.scratch)


@dataclass(frozen=True, slots=True)
class PreviewQuestion:
    """Previews the result of a list. Errors are those of ``preview.preview_list``.

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
        """Read the list, or parts of it, and judge rows, without the network."""
        from winnow.lists.preview.preview import preview_list  # brings polars along

        judge = put_own_first(judge_offline(KeyType.LIVE), self.own)
        return preview_list(self.path, self.plan, judge, self.scratch, row_count=self.row_count)


@dataclass(frozen=True, slots=True)
class DuplicatesQuestion:
    """Shows what removing duplicates does to a list, as ``duplicate_groups.preview_duplicates``.

    ``scratch`` is an existing folder for passing files.
    """

    path: Path
    plan: InputPlan
    options: RunOptions
    scratch: Path

    @property
    def file_format(self) -> FileFormat:
        """The plan's."""
        return self.plan.file_format

    def answer(self, judge_offline: JudgeOffline) -> DuplicatePreview:
        """Read the list's beginning, and some of its rows once more."""
        from winnow.lists.preview.duplicate_groups import preview_duplicates
        from winnow.lists.preview.list_part import PartRequest

        return preview_duplicates(PartRequest(self.path, self.plan, self.options, self.scratch))


@dataclass(frozen=True, slots=True)
class AddressQuestion:
    """Finds the rows of a list with an address, as ``address_rows.find_address_rows``."""

    path: Path
    plan: InputPlan
    address: str
    scratch: Path

    @property
    def file_format(self) -> FileFormat:
        """The plan's."""
        return self.plan.file_format

    def answer(self, judge_offline: JudgeOffline) -> "list[AddressRow]":
        """Read the whole list."""
        from winnow.lists.preview.address_rows import find_address_rows
        from winnow.lists.requests import RowsRequest

        return find_address_rows(RowsRequest(self.path, self.plan, self.scratch), self.address)


@dataclass(frozen=True, slots=True)
class ContentQuestion:
    """Measures the unpacked bytes of a list, as ``inspection.inspect.measure_content``."""

    path: Path
    file_name: str
    most_bytes: int

    @property
    def file_format(self) -> FileFormat:
        """What its name says."""
        return split_file_name(self.file_name)[1]

    def answer(self, judge_offline: JudgeOffline) -> int:
        """Unpack the list without storing it."""
        return measure_content(self.path, self.file_name, self.most_bytes)


class Inspector(Protocol):
    """Answers questions. Thread-safe."""

    def ask(self, question: FileQuestion[Answer]) -> Answer:
        """Return the answer; errors are those of the question."""


class LocalInspector:
    """Answers in this process."""

    def __init__(self, judge_offline: JudgeOffline) -> None:
        self._judge_offline = judge_offline

    def ask(self, question: FileQuestion[Answer]) -> Answer:
        """Answer now."""
        return question.answer(self._judge_offline)


class Inspections:
    """The current inspector: this process, until a server sets another."""

    def __init__(self, local: Inspector) -> None:
        self._local = local
        self._inspector = local

    def hand_over(self, inspector: Inspector) -> None:
        """Use another inspector from now on."""
        self._inspector = inspector

    def take_back(self) -> None:
        """Answer in this process again."""
        self._inspector = self._local

    def ask(self, question: FileQuestion[Answer]) -> Answer:
        """Ask the current inspector."""
        return self._inspector.ask(question)
