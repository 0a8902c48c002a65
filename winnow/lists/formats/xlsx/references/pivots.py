"""Pivot tables, when rows of their source or of their own cells go."""

from winnow.lists.formats.xlsx.markup import Element, edit_elements, read_root, set_root_attribute
from winnow.lists.formats.xlsx.references.range_shifter import (
    ReferenceMover,
    read_rows,
    rest_areas,
    shift_areas,
)
from winnow.lists.formats.xlsx.xml import resolve_references


def move_pivot(content: bytes, mover: ReferenceMover, sheet: str) -> bytes:
    """Move a pivot table with the cells that it stands in."""
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
        sheet: The sheet whose rows go.
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
