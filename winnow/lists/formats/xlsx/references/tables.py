"""Tables on a sheet, when rows are taken out of it."""

from winnow.lists.formats.xlsx.markup import Element, edit_elements
from winnow.lists.formats.xlsx.references.range_shifter import (
    ReferenceMover,
    first_row,
    read_columns,
    read_rows,
    rest_areas,
    write_area,
)
from winnow.lists.formats.xlsx.xml import resolve_references


def move_table(content: bytes, mover: ReferenceMover, sheet: str, *, at_home: bool) -> bytes:
    """Move a table's area, filter and formulas.

    A reader mends a file whose table has no row beside its header, or whose header cells are not
    its columns' names: a table that lost its rows takes the next one in or its totals for data,
    one that lost its header row goes on without.
    """

    def move(table: Element) -> None:
        name = resolve_references(table.attributes.get(b"displayName", b""))
        area = table.attributes.get(b"ref", b"")
        header_count = _read_count(table, b"headerRowCount", 1)
        anchor = None
        if at_home and read_rows(area) is not None:
            _move_area(table, mover, f"the table {name}")
            first = first_row(area) + header_count
            anchor = (first, first_row(table.attributes[b"ref"]) + header_count)
        for inner in table.walk():
            if inner.local in (b"sortState", b"sortCondition", b"richSortCondition"):
                mover.rest_attribute(inner, b"ref")
            if inner.local in (b"calculatedColumnFormula", b"totalsRowFormula"):
                inner.children = [
                    mover.move_formula(
                        inner.text,
                        f"a column of the table {name}",
                        at_home=at_home,
                        anchor=anchor if inner.local == b"calculatedColumnFormula" else None,
                    )
                ]

    return edit_elements(content, (b"table",), move)


def _move_area(table: Element, mover: ReferenceMover, what: str) -> None:
    area = table.attributes[b"ref"]
    rows, columns = read_rows(area), read_columns(area)
    if rows is None or columns is None:
        return
    first, last = rows
    headers, totals = (
        _read_count(table, b"headerRowCount", 1),
        _read_count(table, b"totalsRowCount", 0),
    )
    if headers and mover.rows.find(first) is None:
        mover.losses.pointless.append(what)
        table.attributes[b"headerRowCount"] = b"0"
        table.children = [
            child
            for child in table.children
            if isinstance(child, bytes) or child.local != b"autoFilter"
        ]
        headers = 0
    if totals and mover.rows.find(last) is None:
        totals = 0
        table.attributes.pop(b"totalsRowCount", None)
    left = rest_areas(area, mover.rows)
    span = read_rows(left) or (first, first)
    if span[1] - span[0] + 1 < headers + 1 + totals and totals:
        totals = 0  # its totals are the only row left
        table.attributes.pop(b"totalsRowCount", None)
    bottom = max(span[1], span[0] + headers + totals)
    table.attributes[b"ref"] = write_area(columns, (span[0], bottom))
    held = table.find(b"autoFilter")
    if held is not None:
        within = read_columns(held.attributes.get(b"ref", b"")) or columns
        held.attributes[b"ref"] = write_area(within, (span[0], bottom - totals))


def _read_count(table: Element, name: bytes, default: int) -> int:
    digits = table.attributes.get(name, b"")
    return int(digits) if digits.isdigit() and len(digits) < 8 else default
