"""What a run has to say about a workbook: its header, what could not move with its rows."""

from collections.abc import Sequence

from winnow.core.figures import count_doing, count_things
from winnow.core.tasks.task import Notice
from winnow.lists.formats.xlsx.references.losses import Losses

_MOST_NAMED = 20


def list_notices(
    totals_rows: frozenset[int], losses: Losses, *, has_removed: bool, valueless_count: int
) -> tuple[Notice, ...]:
    """Return everything worth saying; row numbers are those of the sheet as it came."""
    notices: list[Notice] = []
    if totals_rows:
        text = "Rows of totals are not taken for addresses and pass through."
        rows = sorted(totals_rows)
        notices.append(Notice("totals_row", text, tuple(rows[:100]), len(rows)))
    if valueless_count:
        text = (
            f"{count_doing(valueless_count, 'formula', 'has', 'have')} no value in this workbook, "
            "so such cells are empty on the pages and in CSV and TSV files. To have the values, "
            "open the workbook in Excel, save it, and upload it again."
        )
        notices.append(Notice("formulas_without_values", text, (), valueless_count))
    if losses.formulas:
        text = (
            "Formulas that point at removed rows were replaced by the value they had: "
            f"{count_things(losses.formulas, 'cell')}."
        )
        notices.append(Notice("formulas_replaced", text, (), losses.formulas))
    if has_removed and losses.has_moved_formulas:
        text = (
            "References in formulas were moved with the rows, as when rows are deleted in a "
            "spreadsheet program, which works the values out anew when it opens the file."
        )
        notices.append(Notice("formulas_moved", text))
    for code, opening, things in (
        (
            "references_lost",
            "All rows that these point at were removed, so they show nothing now; look at them: ",
            losses.pointless,
        ),
        (
            "cells_lost",
            "Rows were removed that went through these; look at them: ",
            losses.partly,
        ),
        (
            "rows_of_before",
            "These hold the rows as they were, removed ones too, until a spreadsheet program "
            "works them out anew: ",
            losses.outdated,
        ),
    ):
        if things:
            notices.append(Notice(code, f"{opening}{_list_things(things)}.", (), len(things)))
    return tuple(notices)


def _list_things(things: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(things))
    named = ", ".join(distinct[:_MOST_NAMED])
    more = len(distinct) - _MOST_NAMED
    return f"{named} and {more:,} more" if more > 0 else named
