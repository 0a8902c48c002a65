"""A list format that is read by way of another: packed text, workbooks that are converted."""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from winnow.core.lists.download_choice import DownloadChoice
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices, Head
from winnow.core.lists.rows import Variant
from winnow.core.tasks.task import InputPlan, Progress
from winnow.core.verdicts.judge import Judge
from winnow.lists.list_format import BatchOutcome, ListFormat

if TYPE_CHECKING:
    from winnow.lists.preview.row_sample import Limits, RowSample
    from winnow.lists.result.result_rows import ResultRows
    from winnow.lists.result.row_columns import RowIndex
    from winnow.lists.result.row_tails import Rate, Suggest
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
        """Look into what is inside."""
        with self._unwrapped(path, scratch) as inside:
            head = self.inner.read_head(inside, choices, email_column, scratch)
        return replace(head, file_format=self.code, size_bytes=path.stat().st_size)

    def sample(
        self,
        path: Path,
        plan: InputPlan,
        role_names: frozenset[str],
        scratch: Path,
        *,
        row_count: int | None,
        limits: "Limits",
    ) -> "RowSample":
        """Sample what is inside."""
        with self._unwrapped(path, scratch) as inside:
            return self.inner.sample(
                inside, plan, role_names, scratch, row_count=row_count, limits=limits
            )

    def bound_result_bytes(self, path: Path, plan: InputPlan, scratch: Path | None) -> int:
        """Bound the result of what is inside."""
        with self._unwrapped(path, scratch) as inside:
            return self.inner.bound_result_bytes(inside, plan, scratch)

    def run(
        self,
        input_path: Path,
        plan: InputPlan,
        judge: Judge,
        work_dir: Path,
        *,
        deduplicate: bool,
        report: Callable[[Progress], None],
    ) -> BatchOutcome:
        """Run what is inside."""
        with self._unwrapped(input_path, work_dir) as inside:
            return self.inner.run(
                inside, plan, judge, work_dir, deduplicate=deduplicate, report=report
            )

    def read_titles(self, index: "RowIndex", plan: InputPlan) -> "Titles":
        """Read them as the inner format does."""
        return self.inner.read_titles(index, plan)

    def rewrite(
        self,
        result_path: Path,
        rows: "ResultRows",
        variant: Variant,
        out_path: Path,
        plan: InputPlan,
        choice: DownloadChoice,
        suggest: "Suggest",
        rate: "Rate",
    ) -> None:
        """Write the result again as the inner format does."""
        self.inner.rewrite(result_path, rows, variant, out_path, plan, choice, suggest, rate)

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
