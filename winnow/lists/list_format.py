"""A list format: how its files are recognised, looked into, cleaned and written."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeVar

from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices, Head
from winnow.core.lists.notices import Notice
from winnow.core.tasks.task import Summary
from winnow.lists.requests import RewriteRequest, RowsRequest

if TYPE_CHECKING:
    from winnow.lists.list_source import ListSource
    from winnow.lists.result.cell_grid import CellGrid
    from winnow.lists.result.noes import Noes
    from winnow.lists.text.arrow_cells import RowBlock

T = TypeVar("T")

_UNWRAPPED = "pass.unwrapped"


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """Result of a finished run: counts, what it assumed or repaired, what rows say of mail."""

    summary: Summary
    notices: tuple[Notice, ...]
    noes: "Noes | None"


class ListFormat(ABC):
    """One list format. Stateless; its methods import what they need when they are called.

    ``code`` is the format's; what may be known without a file is in ``code.traits``. Formats
    know nothing of one another.
    """

    def __init__(self, code: FileFormat) -> None:
        self.code = code

    @abstractmethod
    def name_content(self, start: bytes) -> str | None:
        """Return what a file really is by its first 64 KiB: ``"a PDF document"``.

        None where it may be of this format.

        Raises:
            BrokenFile: It is of this format and cannot be read, as a protected workbook.
        """

    def measure_content(self, path: Path, most_bytes: int) -> int:
        """Return how many bytes a file has unpacked; counting ends soon after ``most_bytes``.

        Raises:
            BrokenFile: It cannot be unpacked.
        """
        return path.stat().st_size

    @abstractmethod
    def read_head(
        self, path: Path, choices: Choices, email_column: str | None, scratch: Path | None
    ) -> Head:
        """Inspect a list; see ``inspection.inspect.read_head``.

        ``scratch`` is an existing folder for temporary files; None: the system's.

        Raises:
            BrokenFile, EmptyFile, BadField: As there.
        """

    @abstractmethod
    def open_source(self, request: RowsRequest) -> "AbstractContextManager[ListSource]":
        """Open a list for a run, the preview or merging.

        Raises:
            BrokenFile, EmptyFile: It cannot be read.
        """

    def read_rows(self, request: RowsRequest, work: "Callable[[RowBlock], T]") -> "Iterator[T]":
        """Open a list and yield its rows; see ``ListSource.read_rows``."""
        with self.open_source(request) as source:
            yield from source.read_rows(work)

    def pack(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield a result on its way out as a file of this format has it."""
        yield from chunks

    def rewrite(self, request: RewriteRequest) -> None:
        """Write a stored result again, with the rows of a variant and the added cells of today.

        Text needs none: it is cut from the stored file while it is sent (``ResultRows.stream``).

        Raises:
            BrokenFile: The result does not agree with its row index.
            DoesNotFit: The format cannot hold the rows.
        """
        raise NotImplementedError

    def export(self, grids: "Iterable[CellGrid]", out_path: Path) -> None:
        """Write a list of another format as a new file of this one.

        Where ``traits.new_name`` is None, and of text, it is not called.

        Args:
            grids: The header (no row for a list without), then the rows, cells as UTF-8.
            out_path: Written whole and synced; rubbish after an error.

        Raises:
            DoesNotFit: The format cannot hold the rows.
        """
        raise NotImplementedError


class WrappedFormat(ListFormat):
    """Turns a file into one of an inner format first, which does the rest.

    The stored result is the inner format's; ``traits.comes_back_as`` is to be set where downloads
    are the inner format's too.
    """

    def __init__(self, code: FileFormat, inner: ListFormat) -> None:
        super().__init__(code)
        self.inner = inner

    @abstractmethod
    def unwrap(self, path: Path, out_path: Path) -> None:
        """Write a file of the inner format.

        Raises:
            BrokenFile: It cannot be read; what was written is rubbish.
        """

    def read_head(
        self, path: Path, choices: Choices, email_column: str | None, scratch: Path | None
    ) -> Head:
        """Inspect the inner file."""
        with self.unwrapped(path, scratch) as inside:
            head = self.inner.read_head(inside, choices, email_column, scratch)
        return replace(head, file_format=self.code, size_bytes=path.stat().st_size)

    @contextmanager
    def open_source(self, request: RowsRequest) -> Iterator["ListSource"]:
        """Open the inner file."""
        with (
            self.unwrapped(request.path, request.scratch) as inside,
            self.inner.open_source(replace(request, path=inside)) as source,
        ):
            yield source

    def rewrite(self, request: RewriteRequest) -> None:
        """Write the result again as the inner format does."""
        self.inner.rewrite(request)

    @contextmanager
    def unwrapped(self, path: Path, scratch: Path | None) -> Iterator[Path]:
        """Yield the inner file; it is removed at the end."""
        with (
            nullcontext(scratch) if scratch else TemporaryDirectory(ignore_cleanup_errors=True)
        ) as folder:
            inside = Path(folder) / _UNWRAPPED
            try:
                self.unwrap(path, inside)
                yield inside
            finally:
                with suppress(OSError):  # Windows keeps a file that is still mapped
                    inside.unlink(missing_ok=True)
