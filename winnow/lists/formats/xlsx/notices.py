"""Notices of a run about a workbook: its header, references that could not be moved."""

from collections.abc import Sequence

from winnow.core.tasks.task import Notice
from winnow.lists.formats.xlsx.references.mover import Losses
from winnow.words import Sentence, mark, mark_many

_MOST_NAMED = 20


def list_notices(
    totals_rows: frozenset[int], losses: Losses, valueless_count: int
) -> tuple[Notice, ...]:
    """Return everything worth saying; row numbers are those of the sheet as it came."""
    rows = tuple(sorted(totals_rows))
    totals = mark("Rows of totals are not taken for addresses and pass through.")
    has_none = mark_many(
        valueless_count,
        "{count} formula has no value in this workbook.",
        "{count} formulas have no value in this workbook.",
    )
    hint = mark(
        "Such cells are empty on the pages and in CSV and TSV files. To have the values, "
        "open the workbook in Excel, save it, and upload it again."
    )
    replaced = mark(
        "Formulas that point at removed rows were replaced by the value they had, or show #REF! "
        "where they had none: {formulas}.",
        formulas=losses.formulas,
    )
    lost = mark(
        "Rows that these point at were removed; look at them: {names}.",
        names=_list_things(losses.pointless),
    )
    outdated = mark(
        "Pivot tables show the rows as they were, removed ones too, until a spreadsheet program "
        "opens the workbook."
    )
    untouched = mark(
        "These still name the rows by the numbers that they had; look at them: {names}.",
        names=_list_things(losses.untouched),
    )
    notices = (
        Notice("totals_row", totals, rows[:100], len(rows)),
        Notice("formulas_without_values", Sentence.join((has_none, hint)), (), valueless_count),
        Notice("formulas_replaced", replaced, (), losses.formulas),
        Notice("references_lost", lost, (), len(losses.pointless)),
        Notice("rows_of_before", outdated, (), losses.pivots),
        Notice("rows_not_moved", untouched, (), len(losses.untouched)),
    )
    return tuple(one for one in notices if one.count)


def _list_things(things: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(things))
    named = ", ".join(distinct[:_MOST_NAMED])
    more = len(distinct) - _MOST_NAMED
    return mark("{names} and {count} more", names=named, count=more) if more > 0 else named
