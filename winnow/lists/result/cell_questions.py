"""Questions about a project's cells, answered where its table may be read."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from winnow.core.disk_errors import mapping_disk_errors
from winnow.core.lists.file_format import FileFormat
from winnow.core.tasks.task import InputPlan
from winnow.lists.result.row_text import RESULT_NAME, ROWS_TEXT_NAME

if TYPE_CHECKING:
    from winnow.lists.result.cell_table import CellTable

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class CellQuestion:
    """A function of ``cell_queries`` and its arguments, to be sent to another process."""

    folder: Path
    plan: InputPlan
    query: Callable[..., Any]
    arguments: tuple[Any, ...] = ()

    @property
    def path(self) -> Path:
        """The file with the rows, whose size says how long making the table may take."""
        text = self.folder / ROWS_TEXT_NAME
        return text if text.exists() else self.folder / RESULT_NAME

    @property
    def file_format(self) -> FileFormat:
        """The list's."""
        return FileFormat.CSV

    def answer(self, judge_offline: object = None) -> Any:
        """Answer in this process."""
        from winnow.lists.result.cell_table import ask_table  # brings DuckDB along

        return ask_table(self.folder, self.plan, self.query, self.arguments)


AskCells = Callable[[CellQuestion], Any]


@dataclass(frozen=True, slots=True)
class CellReader:
    """One project's cells; ``ask`` sends questions to where they are answered."""

    folder: Path
    plan: InputPlan
    ask: AskCells = CellQuestion.answer

    def find(
        self,
        query: "Callable[Concatenate[CellTable, Arguments], Answer]",
        *arguments: Arguments.args,
        **no_names: Arguments.kwargs,
    ) -> Answer:
        """Return the answer to a query of ``cell_queries``.

        Raises:
            QueryEnded: It takes too much time or memory.
            StorageFull, StorageFailed: The table cannot be written or read.
        """
        with mapping_disk_errors():
            found: Answer = self.ask(CellQuestion(self.folder, self.plan, query, arguments))
        return found
