"""Delimited text: CSV, TSV and plain text."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from winnow.core.lists.input_head import Choices, Head
from winnow.core.tasks.task import InputPlan, Progress
from winnow.core.verdicts.judge import Judge
from winnow.lists.inspection.signature import name_binary, name_text
from winnow.lists.list_format import BatchOutcome, ListFormat

if TYPE_CHECKING:
    from winnow.lists.preview.row_sample import Limits, RowSample


class DelimitedFormat(ListFormat):
    """Rows between line breaks, cells between delimiters; the bytes of each row come back."""

    def name_content(self, start: bytes) -> str | None:
        """Name what is no table in text; any other bytes may be one."""
        return name_binary(start) or name_text(start)

    def read_head(
        self, path: Path, choices: Choices, email_column: str | None, scratch: Path | None
    ) -> Head:
        """Read the first MiB with care, and pass over the rest once."""
        from winnow.lists.formats.delimited.inspection import inspect_text

        return inspect_text(path, self.code, choices, email_column)

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
        """Read all rows of a small list, else windows across it."""
        from winnow.lists.formats.delimited.preview import sample_delimited

        return sample_delimited(path, plan, role_names, scratch, row_count=row_count, limits=limits)

    def bound_result_bytes(self, path: Path, plan: InputPlan, scratch: Path | None) -> int:
        """Count the rows and bound what is put behind each."""
        from winnow.lists.formats.delimited.room import bound_text_bytes

        return bound_text_bytes(path, plan)

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
        """Pass over the bytes twice, with one judgement a domain in between."""
        from winnow.lists.execution.ordered import take_short_turns
        from winnow.lists.formats.delimited.batch import run_delimited_batch

        with take_short_turns():
            return run_delimited_batch(
                input_path, plan, judge, work_dir, deduplicate=deduplicate, report=report
            )
