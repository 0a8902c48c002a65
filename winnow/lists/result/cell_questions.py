"""Questions about a project's cells, answered where its table may be read."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from winnow.core.disk_errors import mapping_disk_errors
from winnow.core.tasks.task import InputPlan
from winnow.limited.messages import Question
from winnow.lists.result.row_text import RESULT_NAME, ROWS_TEXT_NAME

if TYPE_CHECKING:
    from winnow.lists.result.cell_table import CellTable

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")
AskCells = Callable[[Question[Any]], Any]


@dataclass(frozen=True, slots=True)
class CellReader:
    """One project's cells; ``ask`` sends questions to where they are answered."""

    folder: Path
    plan: InputPlan
    ask: AskCells = Question.answer

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
        text = self.folder / ROWS_TEXT_NAME
        rows = text if text.exists() else self.folder / RESULT_NAME  # the table is made of it
        work = partial(_ask_table, self.folder, self.plan, query, arguments)
        with mapping_disk_errors():
            found: Answer = self.ask(Question(rows, work))
        return found


def _ask_table(
    folder: Path, plan: InputPlan, query: Callable[..., Answer], arguments: tuple[Any, ...]
) -> Answer:
    from winnow.lists.result.cell_table import ask_table  # brings DuckDB along

    return ask_table(folder, plan, query, arguments)
