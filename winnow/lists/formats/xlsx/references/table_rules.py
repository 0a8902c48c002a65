"""Rules for what tables and pivot tables say of rows."""

from winnow.lists.formats.xlsx.markup import Element
from winnow.lists.formats.xlsx.references.formula import (
    first_row,
    read_columns,
    read_rows,
    write_area,
)
from winnow.lists.formats.xlsx.references.part_mover import Entry, Kind, PartMover, Rules
from winnow.lists.formats.xlsx.references.sheet_rules import SORTING


def _move_table(part: PartMover, table: Element) -> None:
    """Move a table's area, filter and formulas.

    A reader mends a file whose table has no row below its header, or whose header cells are
    not its columns' names: a table that lost its rows takes the next one in or its totals for
    data, one that lost its header row stays without.
    """
    name = table.get("displayName")
    area = table.get("ref")
    header_count = _read_count(table, "headerRowCount", 1)
    anchor = None
    if part.at_home and read_rows(area) is not None:
        _move_table_area(part, table, f"the table {name}")
        first = first_row(area) + header_count
        anchor = (first, first_row(table.attributes["ref"]) + header_count)
    for inner in table.walk():
        if inner.local in ("calculatedColumnFormula", "totalsRowFormula"):
            inner.children = [
                part.mover.move_formula(
                    inner.text,
                    f"a column of the table {name}",
                    at_home=part.at_home,
                    anchor=anchor if inner.local == "calculatedColumnFormula" else None,
                )
            ]


def _move_table_area(part: PartMover, table: Element, what: str) -> None:
    area = table.attributes["ref"]
    rows, columns = read_rows(area), read_columns(area)
    if rows is None or columns is None:
        return
    headers = _read_count(table, "headerRowCount", 1)
    totals = _read_count(table, "totalsRowCount", 0)
    held = table.find("autoFilter")
    if headers and part.rows.find(rows[0]) is None:
        part.losses.pointless.append(what)
        table.attributes["headerRowCount"] = "0"
        table.children = [child for child in table.children if child is not held]
        headers, held = 0, None
    span = read_rows(part.rows.rest_areas(area)) or rows
    height = span[1] - span[0] + 1
    if totals and (part.rows.find(rows[1]) is None or height < headers + 1 + totals):
        totals = 0  # its totals are removed, or the only row left
        table.attributes.pop("totalsRowCount", None)
    bottom = max(span[1], span[0] + headers + totals)
    table.attributes["ref"] = write_area(columns, (span[0], bottom))
    if held is not None:
        within = read_columns(held.get("ref")) or columns
        held.attributes["ref"] = write_area(within, (span[0], bottom - totals))


def _move_source(part: PartMover, source: Element) -> None:
    """Move the rows that pivot tables are made from; a source without a sheet is a name."""
    sheet = source.get("sheet").casefold()
    is_here = sheet == part.mover.sheet.casefold()
    if any(key.endswith(":id") for key in source.attributes) or not (is_here or not sheet):
        return  # of another workbook or sheet
    part.losses.pivots += 1
    if is_here:
        source.attributes["ref"] = part.rows.rest_areas(source.get("ref"))


def _read_count(table: Element, name: str, default: int) -> int:
    digits = table.get(name)
    return int(digits) if digits.isdigit() and len(digits) < 8 else default


TABLE: Rules = {**SORTING, "table": _move_table}
PIVOT: Rules = {"location": (Entry("ref", Kind.FIXED_AREAS),)}
CACHE: Rules = {
    **dict.fromkeys(
        ("pivotCacheDataSource", "pivotCacheDynamicArray"),
        (Entry("ref", Kind.FORMULA, "a pivot table's source"),),
    ),
    **dict.fromkeys(("rangeSet", "worksheetSource"), _move_source),
}
