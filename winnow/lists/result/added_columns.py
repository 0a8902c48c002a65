"""The columns that a result has behind the list's own: named, worded by verdict, cut off again."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from winnow.core.tasks.task import Notice
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.verdict import Category, Verdict


@dataclass(frozen=True, slots=True)
class AddedColumn:
    """One of them. A row's verdict decides its cell: one of ``words``, which need no quotes."""

    name: str
    read: Callable[[Verdict], str]
    words: Collection[str]


ADDED_COLUMNS = (
    AddedColumn("category", lambda verdict: verdict.category.value, tuple(Category)),
    AddedColumn("domain_type", lambda verdict: verdict.domain_type.value, tuple(DomainType)),
)
ADDED_COUNT = len(ADDED_COLUMNS)
LONGEST_TAIL_BYTES = sum(1 + max(map(len, column.words)) for column in ADDED_COLUMNS)


def name_added_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """Return names for the added columns that no column has: ``category_2`` where needed."""
    return name_columns([column.name for column in ADDED_COLUMNS], columns)


def name_columns(wanted: Sequence[str], columns: Sequence[str]) -> tuple[str, ...]:
    """Return these names, each with a number behind it where a column has it already."""
    taken = {name.strip() for name in columns}
    names = []
    for base in wanted:
        name, number = base, 2
        while name in taken:
            name, number = f"{base}_{number}", number + 1
        names.append(name)
    return tuple(names)


def list_added_cells(verdict: Verdict) -> tuple[str, ...]:
    """Return a row's added cells."""
    return tuple(column.read(verdict) for column in ADDED_COLUMNS)


def join_tail(cells: Sequence[str], delimiter: str) -> bytes:
    """Return added cells as they stand behind a record's own."""
    return "".join(delimiter + cell for cell in cells).encode()


def measure_tail(verdict: Verdict) -> int:
    """Return the bytes of the added cells with their delimiters."""
    return len(join_tail(list_added_cells(verdict), ","))


def cut_added_cells(cells: Sequence[str]) -> tuple[str, ...]:
    """Return the list's own cells of a row of the result."""
    return tuple(cells[:-ADDED_COUNT])


def find_first_added(last_column: int) -> int:
    """Return where the added columns of a result begin whose last column this is, from 0."""
    return last_column + 1 - ADDED_COUNT


def name_notice(names: tuple[str, ...]) -> tuple[Notice, ...]:
    """Return the notice about added columns that could not have their usual names."""
    renamed = [
        f"{column.name} is written as {name}"
        for column, name in zip(ADDED_COLUMNS, names, strict=True)
        if column.name != name
    ]
    if not renamed:
        return ()
    text = f"The list has columns of these names already: {', '.join(renamed)}."
    return (Notice("columns_renamed", text),)
