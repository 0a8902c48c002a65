"""What a run has to say about a workbook: its header, what could not move with its rows."""

from collections.abc import Sequence

from winnow.core.tasks.task import Notice
from winnow.lists.formats.xlsx.references.losses import Losses
from winnow.words import mark, say_many

_MOST_NAMED = 20


def list_notices(
    totals_rows: frozenset[int], losses: Losses, *, has_removed: bool, valueless_count: int
) -> tuple[Notice, ...]:
    """Return everything worth saying; row numbers are those of the sheet as it came."""
    notices: list[Notice] = []
    if totals_rows:
        text = mark("Rows of totals are not taken for addresses and pass through.")
        rows = sorted(totals_rows)
        notices.append(Notice("totals_row", text, tuple(rows[:100]), len(rows)))
    if valueless_count:
        has_none = say_many(
            valueless_count,
            "{count} formula has no value in this workbook.",
            "{count} formulas have no value in this workbook.",
        )
        hint = mark(
            "Such cells are empty on the pages and in CSV and TSV files. To have the values, "
            "open the workbook in Excel, save it, and upload it again."
        )
        text = f"{has_none} {hint}"
        notices.append(Notice("formulas_without_values", text, (), valueless_count))
    if losses.formulas:
        text = mark(
            "Formulas that point at removed rows were replaced by the value they had: "
            f"{losses.formulas:,}."
        )
        notices.append(Notice("formulas_replaced", text, (), losses.formulas))
    if has_removed and losses.has_moved_formulas:
        text = mark(
            "References in formulas were moved with the rows, as when rows are deleted in a "
            "spreadsheet program, which works the values out anew when it opens the file."
        )
        notices.append(Notice("formulas_moved", text))
    for code, things, text in (
        (
            "references_lost",
            losses.pointless,
            mark(
                "All rows that these point at were removed, so they show nothing now; look at "
                f"them: {_list_things(losses.pointless)}."
            ),
        ),
        (
            "cells_lost",
            losses.partly,
            mark(
                "Rows were removed that went through these; look at them: "
                f"{_list_things(losses.partly)}."
            ),
        ),
        (
            "rows_of_before",
            losses.outdated,
            mark(
                "These hold the rows as they were, removed ones too, until a spreadsheet program "
                f"works them out anew: {_list_things(losses.outdated)}."
            ),
        ),
    ):
        if things:
            notices.append(Notice(code, text, (), len(things)))
    return tuple(notices)


def _list_things(things: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(things))
    named = ", ".join(distinct[:_MOST_NAMED])
    more = len(distinct) - _MOST_NAMED
    return f"{named} and {more:,} more" if more > 0 else named
