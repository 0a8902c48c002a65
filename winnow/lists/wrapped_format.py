"""List format that is read through another: packed text, workbooks that are converted."""

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices, Head
from winnow.core.tasks.task import InputPlan
from winnow.lists.list_format import ListFormat
from winnow.lists.requests import RewriteRequest, RowsRequest

if TYPE_CHECKING:
    from winnow.lists.list_source import ListSource
    from winnow.lists.result.row_columns import RowIndex
    from winnow.lists.result.titles import Titles

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
    def open_source(self, request: RowsRequest) -> Iterator["ListSource"]:
        """Open the inner file."""
        with (
            self._unwrapped(request.path, request.scratch) as inside,
            self.inner.open_source(replace(request, path=inside)) as source,
        ):
            yield source

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
