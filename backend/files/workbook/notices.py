"""What a run has to say about a workbook: its header, what could not move with its rows."""

from typing import Protocol

from backend.core.tasks import Notice


class Losses(Protocol):
    """What a rewriting counted."""

    formulas: int
    rules: int
    names: int
    has_moved_formulas: bool


def list_notices(
    totals_rows: frozenset[int], losses: Losses, *, has_removed: bool
) -> tuple[Notice, ...]:
    """Return everything worth saying; row numbers are those of the sheet as it came."""
    notices: list[Notice] = []
    if totals_rows:
        text = "Totals of a table are not taken for addresses and pass through."
        rows = sorted(totals_rows)
        notices.append(Notice("totals_row", text, tuple(rows[:100]), len(rows)))
    if losses.formulas:
        text = (
            "Formulas that point at removed rows were replaced by the value they had: "
            f"{losses.formulas:,} cells."
        )
        notices.append(Notice("formulas_replaced", text, (), losses.formulas))
    if has_removed and losses.has_moved_formulas:
        text = (
            "References in formulas were moved with the rows, as when rows are deleted in a "
            "spreadsheet program, which works the values out anew when it opens the file."
        )
        notices.append(Notice("formulas_moved", text))
    if losses.rules or losses.names:
        count = losses.rules + losses.names
        text = f"Rules, charts or names that point at removed rows only: {count:,}; look at them."
        notices.append(Notice("references_lost", text, (), count))
    return tuple(notices)
