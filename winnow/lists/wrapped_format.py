"""List format that is read through another: packed text, workbooks that are converted."""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeVar

from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices, Head
from winnow.core.tasks.task import InputPlan
from winnow.lists.list_format import BatchOutcome, ListFormat
from winnow.lists.requests import BatchRequest, RewriteRequest, RowsRequest

if TYPE_CHECKING:
    from winnow.lists.engine.row_ranks import RowRanks
    from winnow.lists.preview.list_part import ListPart, PartRequest
    from winnow.lists.result.row_columns import RowIndex
    from winnow.lists.result.titles import Titles
    from winnow.lists.text.row_block import RowBlock

T = TypeVar("T")

_UNWRAPPED = "pass.unwrapped"


class WrappedFormat(ListFormat):
    """Turns a file into one of an inner format first, which does the rest.

    The stored result is the inner format's; ``traits.needs_scratch`` is to be set, and
    ``traits.comes_back_as`` where downloads are the inner format's too.
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
        with self._unwrapped(path, scratch) as inside:
            head = self.inner.read_head(inside, choices, email_column, scratch)
        return replace(head, file_format=self.code, size_bytes=path.stat().st_size)

    @contextmanager
    def open_part(self, request: "PartRequest", ranks: "RowRanks") -> Iterator["ListPart"]:
        """Read the beginning of the inner file."""
        with (
            self._unwrapped(request.path, request.scratch) as inside,
            self.inner.open_part(replace(request, path=inside), ranks) as part,
        ):
            yield part

    def read_rows(self, request: RowsRequest, work: "Callable[[RowBlock], T]") -> "Iterator[T]":
        """Read the rows of the inner file."""
        with self._unwrapped(request.path, request.scratch) as inside:
            yield from self.inner.read_rows(replace(request, path=inside), work)

    def run(self, request: BatchRequest) -> BatchOutcome:
        """Run the inner file."""
        with self._unwrapped(request.path, request.work_dir) as inside:
            return self.inner.run(replace(request, path=inside))

    def read_titles(self, index: "RowIndex", plan: InputPlan) -> "Titles":
        """Read them as the inner format does."""
        return self.inner.read_titles(index, plan)

    def rewrite(self, request: RewriteRequest) -> None:
        """Write the result again as the inner format does."""
        self.inner.rewrite(request)

    @contextmanager
    def _unwrapped(self, path: Path, scratch: Path | None) -> Iterator[Path]:
        if scratch is None:
            with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                inside = Path(folder) / _UNWRAPPED
                self.unwrap(path, inside)
                yield inside
            return
        inside = scratch / _UNWRAPPED
        try:
            self.unwrap(path, inside)
            yield inside
        finally:
            with suppress(OSError):  # Windows keeps a file that is still mapped
                inside.unlink(missing_ok=True)
