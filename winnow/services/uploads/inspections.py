"""Questions about uploads and own files, answered in this or another process."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices, Head
from winnow.core.lists.previews import DuplicatePreview, Preview
from winnow.core.lists.side_files import FileCounts, NamedEntries, OwnFileKind
from winnow.core.own_lists.patterns import OwnLists
from winnow.core.tasks.run_options import RunOptions
from winnow.core.tasks.task import InputPlan, KeyType
from winnow.core.verdicts.judge import Judge
from winnow.domain_data.suffixes import is_public_suffix
from winnow.lists.inspection.inspect import measure_content, read_head
from winnow.lists.inspection.signature import find_extension

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
class NamedFile:
    """A file as it was sent, under its name."""

    path: Path
    file_name: str

    @property
    def file_format(self) -> FileFormat:
        """What its name says; CSV where it says nothing."""
        return find_extension(self.file_name) or FileFormat.CSV


@dataclass(frozen=True, slots=True)
class PlannedList:
    """A list, and how it is read. ``scratch`` is an existing folder for passing files."""

    path: Path
    plan: InputPlan
    scratch: Path

    @property
    def file_format(self) -> FileFormat:
        """The plan's."""
        return self.plan.file_format


@dataclass(frozen=True, slots=True)
class HeadQuestion(NamedFile):
    """Reads the head of a list. Fields and errors are as for ``inspection.inspect.read_head``."""

    choices: Choices = Choices()
    email_column: str | None = None
    scratch: Path | None = None

    def answer(self, judge_offline: JudgeOffline) -> Head:
        """Read the first MiB, and skip the rest."""
        name, column = self.file_name, self.email_column
        return read_head(self.path, name, self.choices, email_column=column, scratch=self.scratch)


@dataclass(frozen=True, slots=True)
class ContentQuestion(NamedFile):
    """Measures the unpacked bytes of a list, as ``inspection.inspect.measure_content``."""

    most_bytes: int

    def answer(self, judge_offline: JudgeOffline) -> int:
        """Unpack the list without storing it."""
        return measure_content(self.path, self.file_name, self.most_bytes)


@dataclass(frozen=True, slots=True)
class PreviewQuestion(PlannedList):
    """Previews the result of a list. Errors are those of ``preview.preview_list``."""

    own: OwnLists
    row_count: int | None

    def answer(self, judge_offline: JudgeOffline) -> Preview:
        """Read the list, or parts of it, and judge rows, without the network."""
        from winnow.lists.preview.preview import preview_list  # brings polars along

        judge = judge_offline(KeyType.LIVE).put_own_first(self.own)
        return preview_list(self.path, self.plan, judge, self.scratch, row_count=self.row_count)


@dataclass(frozen=True, slots=True)
class DuplicatesQuestion(PlannedList):
    """Shows what removing duplicates does, as ``duplicate_groups.preview_duplicates``."""

    options: RunOptions

    def answer(self, judge_offline: JudgeOffline) -> DuplicatePreview:
        """Read the list's beginning, and some of its rows once more."""
        from winnow.lists.preview.duplicate_groups import preview_duplicates
        from winnow.lists.requests import RowsRequest

        request = RowsRequest(self.path, self.plan, self.scratch)
        if not self.options.keep.joins_aliases:
            return preview_duplicates(request, self.options)
        look_up = judge_offline(KeyType.LIVE).knowledge.look_up
        return preview_duplicates(request, self.options, lambda one: look_up(one).has_plus_tags)


@dataclass(frozen=True, slots=True)
class AddressQuestion(PlannedList):
    """Finds the rows of a list with an address, as ``address_rows.find_address_rows``."""

    address: str

    def answer(self, judge_offline: JudgeOffline) -> "list[AddressRow]":
        """Read the whole list."""
        from winnow.lists.preview.address_rows import find_address_rows
        from winnow.lists.requests import RowsRequest

        return find_address_rows(RowsRequest(self.path, self.plan, self.scratch), self.address)


@dataclass(frozen=True, slots=True)
class EntriesQuestion(NamedFile):
    """Reads the entries for own lists; more than ``most`` means that there are too many.

    Errors are those of ``side_files.named_file.list_entries``.
    """

    scratch: Path
    most: int

    def answer(self, judge_offline: JudgeOffline) -> NamedEntries:
        """Read the entries as texts, each with its line."""
        from winnow.lists.side_files.named_file import list_entries

        return list_entries(
            self.path, self.file_name, is_public_suffix, self.scratch, most=self.most
        )


@dataclass(frozen=True, slots=True)
class OwnFileQuestion(NamedFile):
    """Reads a do-not-mail or bounce file. Errors are those of its reader in ``side_files``.

    Attributes:
        kind: Which of the two.
        secret: The key of the hashes.
        out_path: Where the hashes are written, synced.
        scratch: An existing folder for passing files.
    """

    kind: OwnFileKind
    secret: bytes
    out_path: Path
    scratch: Path

    def answer(self, judge_offline: JudgeOffline) -> FileCounts:
        """Read all of it, without the network."""
        from winnow.lists.marks.keyed_hash import AddressHash  # brings polars along
        from winnow.lists.side_files.bounce_file import read_bounces
        from winnow.lists.side_files.named_file import read_named

        hashes, file = AddressHash.of(self.secret), (self.path, self.file_name)
        if self.kind is OwnFileKind.BOUNCES:
            keys, counts = read_bounces(*file, hashes, self.scratch)
        else:
            keys, counts = read_named(*file, hashes, is_public_suffix, self.scratch)
        keys.write(self.out_path, hashes)
        return counts


class Inspector(Protocol):
    """Answers questions. Thread-safe."""

    def ask(self, question: FileQuestion[Answer]) -> Answer:
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

    def ask(self, question: FileQuestion[Answer]) -> Answer:
        """Answer, or ask the inspector."""
        if self._inspector is None:
            return question.answer(self.judge_offline)
        return self._inspector.ask(question)
