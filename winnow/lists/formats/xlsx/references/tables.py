"""Tables and pivot tables, when rows of them or of their source are removed."""

from winnow.lists.formats.xlsx.markup import Element, edit_elements, read_root, set_root_attribute
from winnow.lists.formats.xlsx.references.range_shifter import (
    ReferenceMover,
    first_row,
    read_columns,
    read_rows,
    rest_areas,
    shift_areas,
    write_area,
)
from winnow.lists.formats.xlsx.xml import resolve_references


def move_table(content: bytes, mover: ReferenceMover, sheet: str, *, at_home: bool) -> bytes:
    """Move a table's area, filter and formulas.

    A reader mends a file whose table has no row below its header, or whose header cells are not
    its columns' names: a table that lost its rows takes the next one in or its totals for data,
    one that lost its header row stays without.
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


def move_pivot(content: bytes, mover: ReferenceMover, sheet: str) -> bytes:
    """Move a pivot table with the cells that it is in."""
    root = read_root(content)
    name = resolve_references(root.attributes.get(b"name", b"")) if root is not None else ""
    what = f"the pivot table {name} on {sheet}"

    def move(place: Element) -> None:
        area = place.attributes.get(b"ref", b"")
        rows = read_rows(area)
        if rows is None:
            return
        place.attributes[b"ref"] = rest_areas(area, mover.rows)
        if shift_areas(area, mover.rows) is None:
            mover.losses.pointless.append(what)
        elif mover.rows.covers_removed(*rows):
            mover.losses.partly.append(what)

    return edit_elements(content, (b"location",), move)


def move_pivot_source(
    content: bytes, mover: ReferenceMover, sheet: str, names: frozenset[str]
) -> bytes:
    """Move the rows that pivot tables are made from, which are then to be made anew.

    Args:
        content: A pivot cache's definition.
        mover: Moves references.
        sheet: The sheet whose rows are removed.
        names: Tables and names, in lower case, that hold removed rows.
    """
    is_outdated = False

    def move(source: Element) -> None:
        nonlocal is_outdated
        named = resolve_references(source.attributes.get(b"name", b"")).casefold()
        is_outdated |= named in names
        area = source.attributes.get(b"ref", b"")
        on = resolve_references(source.attributes.get(b"sheet", b""))
        if on.casefold() != sheet.casefold() or any(
            key.endswith(b":id") for key in source.attributes
        ):
            return
        rows = read_rows(area)
        is_outdated |= rows is None or mover.rows.covers_removed(*rows)
        source.attributes[b"ref"] = rest_areas(area, mover.rows)
        if area and shift_areas(area, mover.rows) is None:
            mover.losses.pointless.append(
                f"the source {area.decode('ascii', 'replace')} of a pivot table"
            )

    def move_newer(source: Element) -> None:
        mover.move_formula_attribute(source, b"ref", "a pivot table's source", at_home=False)

    content = edit_elements(content, (b"worksheetSource", b"rangeSet"), move)
    newer = (b"pivotCacheDynamicArray", b"pivotCacheDataSource")
    content = edit_elements(content, newer, move_newer)
    if not is_outdated:
        return content
    mover.losses.outdated.append("pivot tables")
    return refresh_on_load(content)


def refresh_on_load(content: bytes) -> bytes:
    """Have a pivot cache made anew when the workbook is opened."""
    return set_root_attribute(content, b"refreshOnLoad", b"1")
