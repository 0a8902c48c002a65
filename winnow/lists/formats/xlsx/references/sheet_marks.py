"""Row references in a sheet's other elements: views, merges, rules, links, breaks."""

from collections.abc import Callable, Mapping

from winnow.lists.formats.xlsx.cells import MAX_ROWS
from winnow.lists.formats.xlsx.markup import Element, edit_elements
from winnow.lists.formats.xlsx.references.drawings import move_anchor
from winnow.lists.formats.xlsx.references.formula import is_one_reference
from winnow.lists.formats.xlsx.references.range_shifter import (
    ReferenceMover,
    first_row,
    read_rows,
    shift_areas,
)
from winnow.lists.formats.xlsx.xml import resolve_references

Edit = Callable[[Element], bool | None]


class SheetMarks:
    """Moves the row references in one sheet's other elements.

    Args:
        mover: Moves references.
        sheet: The sheet's name.
        home: The name of the sheet whose rows are removed; on others only formulas about it move.
    """

    def __init__(self, mover: ReferenceMover, sheet: str, home: str) -> None:
        self._mover = mover
        self._rows = mover.rows
        self._sheet = sheet
        self._at_home = sheet == home
        self._in_view: Mapping[bytes, Edit] = {
            b"pane": self._move_pane,
            b"selection": self._move_selection,
            b"pivotSelection": self._move_pivot_selection,
            b"rowBreaks": self._move_row_breaks,
            b"colBreaks": self._move_column_breaks,
            b"autoFilter": self._move_filter,
        }
        everywhere: Mapping[bytes, Edit] = {
            b"conditionalFormatting": self._move_rule,
            b"dataValidation": self._move_rule,
            b"sparklineGroup": self._move_sparklines,
            b"hyperlink": self._move_link,
            b"controlPr": self._move_object,
            b"objectPr": self._move_object,
            b"dataConsolidate": self._leave,
        }
        here: Mapping[bytes, Edit] = {
            b"sheetPr": lambda one: mover.rest_attribute(one, b"syncRef"),
            b"sheetView": self._move_view,
            b"customSheetView": self._move_view,
            b"sortState": self._move_filter,
            b"rowBreaks": self._move_row_breaks,
            b"colBreaks": self._move_column_breaks,
            b"autoFilter": self._move_filter,
            b"scenarios": self._leave,
            b"mergeCell": self._move_merge,
            b"protectedRange": self._move_place,
            b"ignoredError": self._move_place,
            b"cellWatch": lambda one: mover.move_attribute(one, b"r"),
            b"cellSmartTags": lambda one: mover.move_attribute(one, b"r"),
            b"webPublishItem": lambda one: mover.move_attribute(one, b"sourceRef"),
        }
        self._edits = {**everywhere, **here} if self._at_home else everywhere

    def move(self, content: bytes) -> bytes:
        """Return what is before or after the rows, moved; the dimension is the caller's."""
        return edit_elements(content, self._edits, lambda one: self._edits[one.local](one))

    def _edit_children(self, element: Element, edits: Mapping[bytes, Edit]) -> None:
        element.children = [
            child
            for child in element.children
            if isinstance(child, bytes)
            or child.local not in edits
            or edits[child.local](child) is not False
        ]

    def _move_view(self, element: Element) -> None:
        start = read_rows(element.attributes.get(b"topLeftCell", b"A1"))
        for pane in element.elements():
            if pane.local == b"pane" and start is not None:
                self._keep_frozen_rows(pane, start[0])
        self._mover.rest_attribute(element, b"topLeftCell")
        self._edit_children(element, self._in_view)

    def _keep_frozen_rows(self, pane: Element, first: int) -> None:
        """Let a frozen pane hold those of its rows that stay, at least one."""
        if pane.attributes.get(b"state", b"split") == b"split":
            return  # the height is in twentieths of a point
        count = pane.attributes.get(b"ySplit", b"").partition(b".")[0]
        if count.isdigit() and 0 < int(count[:7]) <= MAX_ROWS:
            left = self._rows.span(first, min(first + int(count[:7]) - 1, MAX_ROWS - 1))
            pane.attributes[b"ySplit"] = b"%d" % (left[1] - left[0] + 1 if left else 1)

    def _move_pane(self, element: Element) -> None:
        self._mover.rest_attribute(element, b"topLeftCell")

    def _move_selection(self, element: Element) -> None:
        """Move a selection; it shrinks to its active cell where one of its areas is gone."""
        areas = element.attributes.get(b"sqref", b"").split()
        active = read_rows(element.attributes.get(b"activeCell", b"A1"))
        self._mover.rest_attribute(element, b"sqref")
        self._mover.rest_attribute(element, b"activeCell")
        is_whole = len(element.attributes.get(b"sqref", b"").split()) == len(areas)
        is_there = active is None or self._rows.find(active[0]) is not None
        if b"activeCell" in element.attributes and not (is_whole and is_there):
            element.attributes[b"sqref"] = element.attributes[b"activeCell"]
            element.attributes.pop(b"activeCellId", None)

    def _move_pivot_selection(self, element: Element) -> None:
        for name in (b"activeRow", b"previousRow"):
            digits = element.attributes.get(name, b"")
            if digits.isdigit() and len(digits) <= 7:
                element.attributes[name] = b"%d" % self._mover.next_row(int(digits))

    def _move_filter(self, element: Element) -> None:
        for inner in element.walk():
            self._mover.rest_attribute(inner, b"ref")

    def _move_row_breaks(self, element: Element) -> bool:
        """Move page breaks; ``id`` is the row above the break."""
        taken: set[int] = set()

        def move(one: Element) -> bool:
            digits = one.attributes.get(b"id", b"0")
            row = self._mover.next_row(int(digits)) if digits.isdigit() else 0
            one.attributes[b"id"] = b"%d" % row
            is_new = row > 0 and row not in taken
            taken.add(row)
            return is_new

        self._edit_children(element, {b"brk": move})
        breaks = [one for one in element.elements() if one.local == b"brk"]
        by_hand = [one for one in breaks if one.attributes.get(b"man") in (b"1", b"true")]
        _set_count(element, b"count", len(breaks))
        _set_count(element, b"manualBreakCount", len(by_hand))
        return bool(breaks)

    def _move_column_breaks(self, element: Element) -> None:
        """Move the rows, from 0, between which breaks before columns hold."""
        for one in element.elements():
            first, last = (one.attributes.get(name, b"") for name in (b"min", b"max"))
            if first.isdigit() and 0 < int(first) < MAX_ROWS:
                one.attributes[b"min"] = b"%d" % self._mover.next_row(int(first))
            if last.isdigit() and 0 < int(last) < MAX_ROWS - 1:
                one.attributes[b"max"] = b"%d" % max(0, self._mover.next_row(int(last) + 1) - 1)

    def _leave(self, element: Element) -> None:
        what = {b"scenarios": "scenarios", b"dataConsolidate": "consolidated data"}[element.local]
        self._mover.losses.untouched.append(f"the {what} on {self._sheet}")

    def _move_merge(self, element: Element) -> bool:
        is_left = self._mover.move_attribute(element, b"ref")
        first, colon, last = element.attributes.get(b"ref", b"").replace(b"$", b"").partition(b":")
        return is_left and bool(colon) and first != last

    def _move_place(self, element: Element) -> bool:
        """Move the areas that an element applies to; False when none is left."""
        if b"sqref" in element.attributes:
            return self._mover.move_attribute(element, b"sqref")
        holder = element.find(b"sqref")
        if holder is None:
            return True
        moved = shift_areas(holder.text, self._rows)
        if moved is not None:
            holder.children = [moved]
        return moved is not None

    def _read_place(self, element: Element) -> bytes:
        holder = element.find(b"sqref")
        return element.attributes.get(b"sqref", holder.text if holder is not None else b"")

    def _move_rule(self, element: Element) -> bool:
        """Move a conditional format or a validation of either schema, and its formulas."""
        areas = self._read_place(element)
        if self._at_home and not self._move_place(element):
            return False
        anchor = (first_row(areas), first_row(self._read_place(element)))
        self._mover.move_formulas_below(
            element,
            f"a rule for {_show(areas)} on {self._sheet}",
            at_home=self._at_home,
            anchor=anchor if self._at_home else None,
        )
        return True

    def _move_sparklines(self, element: Element) -> bool:
        what = f"a sparkline on {self._sheet}"
        for axis in element.elements():
            if axis.local == b"f" and axis.text.strip():
                moved = self._mover.move_formula(axis.text, what, at_home=self._at_home)
                axis.children = [moved]

        def move(one: Element) -> bool:
            if self._at_home and not self._move_place(one):
                return False
            source = one.find(b"f")
            if source is not None:
                moved = self._mover.move_formula(source.text, what, at_home=self._at_home)
                source.children = [moved]
            return True

        holder = element.find(b"sparklines")
        if holder is None:
            return True
        self._edit_children(holder, {b"sparkline": move})
        return any(True for _ in holder.elements())

    def _move_link(self, element: Element) -> bool:
        place = element.attributes.get(b"ref", b"")
        if self._at_home and not self._mover.move_attribute(element, b"ref"):
            return False
        leads_outside = any(name.rpartition(b":")[2] == b"id" for name in element.attributes)
        location = resolve_references(element.attributes.get(b"location", b""))
        if not leads_outside and is_one_reference(location):
            what = f"the link at {_show(place)} on {self._sheet}"
            self._mover.move_formula_attribute(element, b"location", what, at_home=self._at_home)
        return True

    def _move_object(self, element: Element) -> None:
        what = f"a form control on {self._sheet}"
        for name in (b"linkedCell", b"listFillRange"):
            self._mover.move_formula_attribute(element, name, what, at_home=self._at_home)
        for anchor in element.elements():
            if self._at_home and anchor.local == b"anchor":
                move_anchor(anchor, self._mover)


def _set_count(element: Element, name: bytes, count: int) -> None:
    if name in element.attributes:
        element.attributes[name] = b"%d" % count


def _show(areas: bytes) -> str:
    """Return areas as an analyst may read them, however many they are."""
    text = areas.decode("ascii", "replace")
    return text if len(text) <= 40 else f"{text[:39]}…"
