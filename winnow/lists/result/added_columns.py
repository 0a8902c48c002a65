"""Added columns of a result, after the list's own: their names, their words, their removal."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from winnow.core.tasks.repair_choice import RepairChoice, RepairPlace
from winnow.core.tasks.task import InputPlan, Notice
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.verdict import Category, Verdict
from winnow.words import mark


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
REPAIRED = "email_repaired"
ORIGINAL = "email_original"
USED = "email_used"
MAILBOX = "mailbox"


@dataclass(frozen=True, slots=True)
class VerdictColumns:
    """The added columns of one result: the first so many, since new ones come last."""

    count: int

    @property
    def usual_names(self) -> tuple[str, ...]:
        """Their names in a list that has no columns of these names."""
        return tuple(column.name for column in ADDED_COLUMNS[: self.count])

    def name(self, own_columns: Sequence[str]) -> tuple[str, ...]:
        """Return names that no column of the list has: ``category_2`` where needed."""
        return name_columns(self.usual_names, own_columns)

    def list_cells(self, verdict: Verdict) -> tuple[str, ...]:
        """Return a row's added cells."""
        return tuple(column.read(verdict) for column in ADDED_COLUMNS[: self.count])

    def cut(self, cells: Sequence[str]) -> tuple[str, ...]:
        """Return the list's own cells of a row of the result."""
        return tuple(cells[: -self.count])

    def find_first(self, last_column: int) -> int:
        """Return where they begin in a result whose last column this is, from 0."""
        return last_column + 1 - self.count


ADDED = VerdictColumns(len(ADDED_COLUMNS))
"""Those of a result that is written now."""


def name_columns(wanted: Sequence[str], columns: Sequence[str]) -> tuple[str, ...]:
    """Return these names, each with a number after it where a column has it already."""
    taken = {name.strip() for name in columns}
    names = []
    for base in wanted:
        name, number = base, 2
        while name in taken:
            name, number = f"{base}_{number}", number + 1
        names.append(name)
        taken.add(name)
    return tuple(names)


def usual_name(plan: InputPlan) -> str:
    """Return the usual name of the column of addresses, which is before the added ones.

    They are repaired ones, or those of two columns: each row's own.
    """
    return REPAIRED if plan.second_email_column is None else USED


def address_notice(plan: InputPlan, column: str) -> tuple[Notice, ...]:
    """Return the notice about where the addresses of two columns are; ``column`` is the name."""
    if plan.second_email_column is None:
        return ()
    first, second = (
        plan.columns[place].strip() or f"column {place + 1}"
        for place in (plan.email_column, plan.second_email_column)
    )
    text = mark(
        "The column {column} holds the address of each row: that of {first}, or that of {second} "
        "where {first} is empty.",
        column=column,
        first=first,
        second=second,
    )
    return (Notice("second_column", text),)


def beside_notice(choice: RepairChoice | None, column: str) -> tuple[Notice, ...]:
    """Return the notice that a column was added where cells were to be replaced."""
    if choice is None or choice.place is not RepairPlace.REPLACE or not column:
        return ()
    text = mark(
        "The addresses of this list cannot be replaced where they stand: the repaired ones are "
        "in the column {column}.",
        column=column,
    )
    return (Notice("repaired_beside", text),)


def mailbox_notice(is_left_out: bool) -> tuple[Notice, ...]:
    """Return the notice that the column of mailboxes is missing, where it was asked for."""
    text = mark("A list with repairs or a second email column gets no column mailbox.")
    return (Notice("mailbox_left_out", text),) if is_left_out else ()


def join_tail(cells: Sequence[str], delimiter: str) -> bytes:
    """Return added cells as they are after a record's own."""
    return "".join(delimiter + cell for cell in cells).encode()


def name_notice(
    added: VerdictColumns, names: tuple[str, ...], repaired: str = "", usual: str = REPAIRED
) -> tuple[Notice, ...]:
    """Return the notice about added columns that could not have their usual names.

    ``names`` are those that they have; ``repaired`` is the name of the column of addresses, where
    there is one, and ``usual`` the one that it has in other lists.
    """
    pairs = list(zip(added.usual_names, names, strict=True))
    if repaired:
        pairs.insert(0, (usual, repaired))
    renamed = [f"{usual} \N{RIGHTWARDS ARROW} {name}" for usual, name in pairs if usual != name]
    if not renamed:
        return ()
    text = mark(
        "The list has columns of these names already, so the added ones have others: {names}.",
        names=", ".join(renamed),
    )
    return (Notice("columns_renamed", text),)
