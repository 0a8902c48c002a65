"""What the pages ask of a finished project, each asked afresh."""

import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.list_data import HEADER
from benchmarks.lists import EMAIL_COLUMN

ROUNDS = 3


def ask(folder: str) -> dict[str, Any]:
    """Return the median seconds of each question to a result folder."""
    from winnow.core.lists.dimensions import CATEGORY, COUNTRY, DOMAIN_TYPE
    from winnow.core.lists.file_format import FileFormat
    from winnow.core.lists.rows import Chosen, RowFilter
    from winnow.core.tasks.task import InputPlan
    from winnow.lists.result.result_rows import ResultRows

    plan = InputPlan(FileFormat.CSV, EMAIL_COLUMN, tuple(HEADER.strip().split(",")))
    black = RowFilter(Chosen().choose(CATEGORY, "black"))
    unlisted = Chosen().choose(DOMAIN_TYPE, "unlisted")
    questions = {
        "first page": (RowFilter(), 0),
        "page in the middle": (RowFilter(), 4_000_000),
        "by category": (black, 0),
        "by category, type and domain": (
            RowFilter(unlisted.choose(CATEGORY, "white"), domain="bado"),
            0,
        ),
        "domain holds a text": (RowFilter(domain="mike"), 0),
        "any cell holds a text, thousands do": (RowFilter(text="bado.1"), 0),
        "any cell holds a text, none does": (RowFilter(text="nowhere at all"), 0),
    }
    counted = {
        "all charts": RowFilter(),
        "all charts, by category": black,
        "all charts, by country and type": RowFilter(unlisted.choose(COUNTRY, "de")),
    }
    seconds: dict[str, float] = {}
    matching: dict[str, int] = {}

    def time_question(name: str, row_filter: RowFilter, question: Callable[..., object]) -> None:
        taken = []
        for _ in range(ROUNDS):
            rows = ResultRows.open(Path(folder), plan)
            begun = time.perf_counter()
            question(rows)
            taken.append(time.perf_counter() - begun)
        matching[name] = rows.count(row_filter)
        seconds[name] = statistics.median(taken)

    def read_page(rows: ResultRows, row_filter: RowFilter, offset: int) -> object:
        return rows.page(row_filter, min(offset, rows.count(RowFilter()) // 2), 100)

    for name, (row_filter, offset) in questions.items():
        time_question(name, row_filter, partial(read_page, row_filter=row_filter, offset=offset))
    for name, row_filter in counted.items():
        time_question(name, row_filter, partial(ResultRows.facets, row_filter=row_filter))
    return {"seconds": seconds, "matching": matching}
