"""Added columns of a result, after the list's own: their names, their words, their removal."""

from collections.abc import Sequence

from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import name_column
from winnow.core.lists.notices import Notice
from winnow.core.tasks.input_plan import InputPlan
from winnow.core.tasks.keep_rule import KeepRule
from winnow.core.tasks.repair_choice import RepairChoice, RepairPlace
from winnow.core.unicode_forms import fold_name, number_names
from winnow.core.verdicts.verdict import Verdict
from winnow.words import translatable

ADDED = ("category", "domain_type")
"""Their usual names; a row's verdict decides its cells. A new one is behind the others."""
REPAIRED = "email_repaired"
ORIGINAL = "email_original"
USED = "email_used"


def list_cells(verdict: Verdict, count: int = len(ADDED)) -> tuple[str, ...]:
    """Return a row's added cells, only the first of them for a result that has so many."""
    return (verdict.category.value, verdict.domain_type.value)[:count]


def name_columns(
    wanted: Sequence[str], columns: Sequence[str], file_format: FileFormat
) -> tuple[str, ...]:
    """Return these names, each with a number after it where a column has it already.

    In any case where a list's format itself names its columns: DuckDB and Spark read those so.
    """
    fold = fold_name if file_format.traits.names_columns else str.strip
    return number_names(wanted, columns, fold)


def address_notice(plan: InputPlan, column: str) -> tuple[Notice, ...]:
    """Return the notice about where the addresses of two columns are; ``column`` is the name."""
    if plan.second_email_column is None:
        return ()
    indices = (plan.email_column, plan.second_email_column)
    first, second = (name_column(plan.columns, place) for place in indices)
    text = translatable(
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
    text = translatable(
        "The addresses of this list cannot be replaced in their column: the repaired ones are in "
        "the column {column}.",
        column=column,
    )
    return (Notice("repaired_beside", text),)


def mailbox_notice(rule: KeepRule) -> tuple[Notice, ...]:
    """Return the notice that a task of an older release asked for the column ``mailbox``."""
    text = translatable("The column mailbox was removed: the result is made without it.")
    return (Notice("mailbox_removed", text),) if rule.adds_mailbox else ()


def name_notice(names: tuple[str, ...], repaired: str, usual: str) -> tuple[Notice, ...]:
    """Return the notice about added columns that could not have their usual names.

    ``names`` are those that they have; ``repaired`` is the name of the column of addresses, where
    there is one, and ``usual`` the one that it has in other lists.
    """
    pairs = list(zip(ADDED, names, strict=True))
    if repaired:
        pairs.insert(0, (usual, repaired))
    renamed = [f"{usual} \N{RIGHTWARDS ARROW} {name}" for usual, name in pairs if usual != name]
    if not renamed:
        return ()
    text = translatable(
        "The list has columns of these names already, so the added ones have others: {names}.",
        names=", ".join(renamed),
    )
    return (Notice("columns_renamed", text),)
