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
from winnow.lists.formats.xlsx.xml import resolve_references


def _move_table(part: PartMover, table: Element) -> None:
    """Move a table's area, filter and formulas.

    A reader mends a file whose table has no row below its header, or whose header cells are
    not its columns' names: a table that lost its rows takes the next one in or its totals for
    data, one that lost its header row stays without.
    """
    name = resolve_references(table.attributes.get(b"displayName", b""))
    area = table.attributes.get(b"ref", b"")
    header_count = _read_count(table, b"headerRowCount", 1)
    anchor = None
    if part.at_home and read_rows(area) is not None:
        _move_table_area(part, table, f"the table {name}")
        first = first_row(area) + header_count
        anchor = (first, first_row(table.attributes[b"ref"]) + header_count)
    for inner in table.walk():
        if inner.local in (b"calculatedColumnFormula", b"totalsRowFormula"):
            inner.children = [
                part.mover.move_formula(
                    inner.text,
                    f"a column of the table {name}",
                    at_home=part.at_home,
                    anchor=anchor if inner.local == b"calculatedColumnFormula" else None,
                )
            ]


def _move_table_area(part: PartMover, table: Element, what: str) -> None:
    area = table.attributes[b"ref"]
    rows, columns = read_rows(area), read_columns(area)
    if rows is None or columns is None:
        return
    headers = _read_count(table, b"headerRowCount", 1)
    totals = _read_count(table, b"totalsRowCount", 0)
    held = table.find(b"autoFilter")
    if headers and part.rows.find(rows[0]) is None:
        part.losses.pointless.append(what)
        table.attributes[b"headerRowCount"] = b"0"
        table.children = [child for child in table.children if child is not held]
        headers, held = 0, None
    span = read_rows(part.rows.rest_areas(area)) or rows
    height = span[1] - span[0] + 1
    if totals and (part.rows.find(rows[1]) is None or height < headers + 1 + totals):
        totals = 0  # its totals are removed, or the only row left
        table.attributes.pop(b"totalsRowCount", None)
    bottom = max(span[1], span[0] + headers + totals)
    table.attributes[b"ref"] = write_area(columns, (span[0], bottom))
    if held is not None:
        within = read_columns(held.attributes.get(b"ref", b"")) or columns
        held.attributes[b"ref"] = write_area(within, (span[0], bottom - totals))


def _move_pivot(part: PartMover, place: Element) -> None:
    """Move a pivot table with the cells that it is in."""
    area = place.attributes.get(b"ref", b"")
    rows = read_rows(area)
    if not part.at_home or rows is None:
        return
    place.attributes[b"ref"] = part.rows.rest_areas(area)
    what = f"the pivot table {part.name}{part.on}"
    if part.rows.covers_removed(*rows):
        part.losses.pointless.append(what)


def _move_source(part: PartMover, source: Element) -> None:
    """Move the rows that pivot tables are made from."""
    name = resolve_references(source.attributes.get(b"name", b"")).casefold()
    sheet = resolve_references(source.attributes.get(b"sheet", b"")).casefold()
    leads_outside = any(key.endswith(b":id") for key in source.attributes)
    is_here = sheet == part.mover.sheet.casefold() and not leads_outside
    part.is_outdated |= is_here or name in part.mover.outdated_names
    if is_here:
        source.attributes[b"ref"] = part.rows.rest_areas(source.attributes.get(b"ref", b""))


def _read_count(table: Element, name: bytes, default: int) -> int:
    digits = table.attributes.get(name, b"")
    return int(digits) if digits.isdigit() and len(digits) < 8 else default


_SOURCE = (Entry(b"ref", Kind.SOURCE, "a pivot table's source"),)
TABLE: Rules = {**SORTING, b"table": _move_table}
PIVOT: Rules = {b"location": _move_pivot}
CACHE: Rules = {
    b"pivotCacheDataSource": _SOURCE,
    b"pivotCacheDynamicArray": _SOURCE,
    b"rangeSet": _move_source,
    b"worksheetSource": _move_source,
}
