"""Table of the elements that refer to a sheet's rows, by part, and how each one is moved.

Rows of anchors and of VML count from 0.
"""

import re
from collections.abc import Callable, Mapping
from enum import Enum

from winnow.lists.formats.xlsx.cells import MAX_ROWS
from winnow.lists.formats.xlsx.markup import Element, edit_elements, read_root
from winnow.lists.formats.xlsx.references.formula import (
    first_row,
    is_one_reference,
    read_columns,
    read_rows,
    write_area,
)
from winnow.lists.formats.xlsx.references.mover import ReferenceMover
from winnow.lists.formats.xlsx.xml import resolve_references


class Kind(Enum):
    """What an attribute or an element's text holds, and what happens to it."""

    AREAS = 0  # the element is removed with the last of their rows
    FIXED_AREAS = 1  # lost ones become the first cell of the next kept row
    ROW = 2  # a row from 0; a lost one becomes the next kept one
    FORMULA = 3  # a reference without a sheet points at the part's own
    SOURCE = 4  # a formula in which every reference has a sheet


# Element -> (attribute, or "" for its text; kind; what it is called in a notice).
_Entry = tuple[bytes, Kind, str]
_LINK, _CONTROL, _SHAPE = Kind.FORMULA, "a form control", "a shape"
_REFS: Mapping[bytes, tuple[_Entry, ...]] = dict.fromkeys(
    (b"sortState", b"sortCondition", b"richSortCondition"), ((b"ref", Kind.FIXED_AREAS, ""),)
)
_SHEET: Mapping[bytes, tuple[_Entry, ...]] = {
    **_REFS,
    b"autoFilter": ((b"ref", Kind.FIXED_AREAS, ""),),
    b"cellSmartTags": ((b"r", Kind.AREAS, ""),),
    b"cellWatch": ((b"r", Kind.AREAS, ""),),
    b"controlPr": ((b"linkedCell", _LINK, _CONTROL), (b"listFillRange", _LINK, _CONTROL)),
    b"customSheetView": ((b"topLeftCell", Kind.FIXED_AREAS, ""),),
    b"f": ((b"", _LINK, "a sparkline"),),
    b"mergeCell": ((b"ref", Kind.AREAS, ""),),
    b"pane": ((b"topLeftCell", Kind.FIXED_AREAS, ""),),
    b"pivotSelection": ((b"activeRow", Kind.ROW, ""), (b"previousRow", Kind.ROW, "")),
    b"sheetPr": ((b"syncRef", Kind.FIXED_AREAS, ""),),
    b"sheetView": ((b"topLeftCell", Kind.FIXED_AREAS, ""),),
    b"webPublishItem": ((b"sourceRef", Kind.AREAS, ""),),
}
_DRAWING: Mapping[bytes, tuple[_Entry, ...]] = {
    b"sp": ((b"textlink", _LINK, _SHAPE),),
    b"cameraTool": ((b"cellRange", _LINK, "a picture of cells"),),
}
_TABLES: Mapping[str, Mapping[bytes, tuple[_Entry, ...]]] = {
    "worksheet": _SHEET,
    "table": _REFS,
    "comments": {b"comment": ((b"ref", Kind.AREAS, ""),)},
    "threadedComment": {b"threadedComment": ((b"ref", Kind.AREAS, ""),)},
    "tableSingleCells": {b"singleXmlCell": ((b"r", Kind.AREAS, ""),)},
    "drawing": _DRAWING,
    "chartUserShapes": _DRAWING,
    "vmlDrawing": dict.fromkeys(
        (b"FmlaLink", b"FmlaRange", b"FmlaPict", b"FmlaTxbx", b"FmlaGroup"),
        ((b"", _LINK, _CONTROL),),
    ),
    "ctrlProp": {
        b"formControlPr": tuple(
            (name, _LINK, _CONTROL)
            for name in (b"fmlaLink", b"fmlaRange", b"fmlaGroup", b"fmlaTxbx")
        )
    },
    "control": {},
    "chart": {b"f": ((b"", Kind.SOURCE, "a chart"),), b"sqref": ((b"", Kind.SOURCE, "a chart"),)},
    "pivotTable": {},
    "pivotCacheDefinition": {
        b"pivotCacheDynamicArray": ((b"ref", Kind.SOURCE, "a pivot table's source"),),
        b"pivotCacheDataSource": ((b"ref", Kind.SOURCE, "a pivot table's source"),),
    },
    "relationships": {},
}
_AT_HOME = frozenset(("comments", "threadedComment", "tableSingleCells", "pivotTable"))
_KEPT_VALUES = frozenset((b"numCache", b"strCache", b"multiLvlStrCache"))
_FORMULAS = frozenset((b"formula", b"formula1", b"formula2", b"f"))
_LEFT = {b"scenarios": "scenarios", b"dataConsolidate": "consolidated data"}
_CONTROL_CELLS = frozenset((b"linkedcell", b"listfillrange"))
_DIGITS = re.compile(rb"\s*[0-9]{1,7}\s*")


class PartMover:
    """Moves all that one part says of the rows of a sheet.

    Args:
        kind: The last segment of the type of its relation; ``relationships`` for a part of these.
        mover: Moves references.
        sheet: The sheet that the part belongs to, ``""`` for none.
        names: Tables and names, in lower case, that hold removed rows.

    ``is_outdated`` is set by a pivot table's source that lost rows.
    """

    def __init__(
        self,
        kind: str,
        mover: ReferenceMover,
        sheet: str,
        names: frozenset[str] = frozenset(),
    ) -> None:
        self._mover = mover
        self._rows = mover.rows
        self._losses = mover.losses
        self._at_home = sheet == mover.sheet
        self._on = f" on {sheet}" if sheet else ""
        self._names = names
        self._name = ""
        self.is_outdated = False
        self._table = _TABLES[kind]
        self._special = self._list_special(kind)

    @staticmethod
    def moves(kind: str, *, at_home: bool) -> bool:
        """Whether a part of a kind may have anything to move; sheets are streamed instead."""
        return kind in _TABLES and kind != "worksheet" and (at_home or kind not in _AT_HOME)

    def move(self, content: bytes) -> bytes:
        """Return the part, or what is before or after a sheet's rows, moved."""
        root = read_root(content)
        self._name = resolve_references(root.attributes.get(b"name", b"")) if root else ""
        return edit_elements(content, {*self._table, *self._special}, self._move)

    def _list_special(self, kind: str) -> Mapping[bytes, Callable[[Element], bool | None]]:
        """Return the elements that need more than the table says.

        Each function returns False for an element to remove, True when nothing is left to do, None
        when the table and what is below the element are still to be applied.
        """
        match kind:
            case "worksheet":
                return {
                    b"conditionalFormatting": self._move_rule,
                    b"dataValidation": self._move_rule,
                    b"protectedRange": self._move_rule,
                    b"ignoredError": self._move_rule,
                    b"sparkline": self._move_rule,
                    b"sparklineGroup": self._move_sparklines,
                    b"hyperlink": self._move_link,
                    b"mergeCell": self._move_merge,
                    b"sheetView": self._move_view,
                    b"customSheetView": self._move_view,
                    b"selection": self._move_selection,
                    b"rowBreaks": self._move_row_breaks,
                    b"colBreaks": self._move_column_breaks,
                    b"anchor": self._move_anchor,
                    b"scenarios": self._leave,
                    b"dataConsolidate": self._leave,
                }
            case "drawing":
                return {b"twoCellAnchor": self._move_anchor, b"oneCellAnchor": self._move_anchor}
            case "table":
                return {b"table": self._move_table}
            case "vmlDrawing":
                return {b"shape": self._move_shape}
            case "control":
                return {b"ocxPr": self._move_control}
            case "chart":
                names = (b"numRef", b"strRef", b"multiLvlStrRef")
                return dict.fromkeys(names, self._move_series)
            case "pivotTable":
                return {b"location": self._move_pivot}
            case "pivotCacheDefinition":
                return dict.fromkeys((b"worksheetSource", b"rangeSet"), self._move_source)
            case "relationships":
                return {b"Relationship": self._move_target}
        return {}

    def _move(self, element: Element) -> bool:
        """Move an element and all below it; False when it is to be removed."""
        special = self._special.get(element.local)
        done = special(element) if special is not None else None
        if done is not None:
            return done
        for name, kind, what in self._table.get(element.local, ()):
            if not self._move_entry(element, name, kind, what):
                return False
        return self._move_children(element)

    def _move_children(self, element: Element) -> bool:
        """Move what is below an element; False when it loses all that it holds by that."""
        before = list(element.elements())
        element.children = [
            child for child in element.children if isinstance(child, bytes) or self._move(child)
        ]
        count = sum(1 for _ in element.elements())
        if count < len(before):
            set_count(element, b"count", count)
        return not before or bool(count)

    def _move_entry(self, element: Element, name: bytes, kind: Kind, what: str) -> bool:
        content = element.attributes.get(name) if name else element.text
        if not content or not content.strip():
            return True
        moved: bytes | None = content
        if kind in (Kind.FORMULA, Kind.SOURCE):
            at_home = self._at_home and kind is Kind.FORMULA
            moved = self._mover.move_formula(content, what + self._on, at_home=at_home)
        elif not self._at_home:
            return True
        elif kind is Kind.ROW:
            moved = self._move_row(content)
        elif kind is Kind.AREAS:
            moved = self._rows.move_areas(content)
        else:
            moved = self._rows.rest_areas(content)
        if moved is None:
            return False
        if name:
            element.attributes[name] = moved
        else:
            element.children = [moved]
        return True

    def _move_row(self, digits: bytes) -> bytes:
        """Return a row counted from 0 after the move, anything else as it is."""
        is_row = _DIGITS.fullmatch(digits) is not None
        return b"%d" % self._mover.next_row(int(digits)) if is_row else digits

    # Sheets

    def _move_rule(self, element: Element) -> bool | None:
        """Move what holds for areas: a rule of either schema, a sparkline, a protected range."""
        holder = element.find(b"sqref")
        areas = element.attributes.get(b"sqref", holder.text if holder is not None else b"")
        anchor = None
        if self._at_home:
            moved = self._rows.move_areas(areas)
            if moved is None:
                return False
            if b"sqref" in element.attributes:
                element.attributes[b"sqref"] = moved
            elif holder is not None:
                holder.children = [moved]
            anchor = (first_row(areas), first_row(moved))
        if element.local == b"sparkline":
            return None
        what = f"a rule for {_show(areas)}{self._on}"
        for inner in element.walk():
            if inner.local in _FORMULAS and inner.text.strip():
                inner.children = [
                    self._mover.move_formula(inner.text, what, at_home=self._at_home, anchor=anchor)
                ]
            elif inner.local == b"cfvo":
                self._move_entry(inner, b"val", Kind.FORMULA, f"a rule for {_show(areas)}")
        return True

    def _move_sparklines(self, element: Element) -> bool:
        self._move_children(element)
        return element.find(b"sparklines") is not None

    def _move_link(self, element: Element) -> bool:
        areas = element.attributes.get(b"ref", b"")
        if not self._move_entry(element, b"ref", Kind.AREAS, ""):
            return False
        leads_outside = any(name.rpartition(b":")[2] == b"id" for name in element.attributes)
        location = resolve_references(element.attributes.get(b"location", b""))
        if not leads_outside and is_one_reference(location):
            self._move_entry(element, b"location", Kind.FORMULA, f"the link at {_show(areas)}")
        return True

    def _move_merge(self, element: Element) -> bool:
        is_left = self._move_entry(element, b"ref", Kind.AREAS, "")
        first, colon, last = element.attributes.get(b"ref", b"").replace(b"$", b"").partition(b":")
        return is_left and bool(colon) and first != last

    def _move_view(self, element: Element) -> None:
        """Let a frozen pane hold those of its rows that stay, at least one."""
        start = read_rows(element.attributes.get(b"topLeftCell", b"A1"))
        pane = element.find(b"pane")
        if not self._at_home or pane is None or start is None:
            return
        if pane.attributes.get(b"state", b"split") == b"split":
            return  # the height is in twentieths of a point
        count = pane.attributes.get(b"ySplit", b"").partition(b".")[0]
        if count.isdigit() and 0 < int(count[:7]) <= MAX_ROWS:
            last = min(start[0] + int(count[:7]) - 1, MAX_ROWS - 1)
            left = self._rows.span(start[0], last)
            pane.attributes[b"ySplit"] = b"%d" % (left[1] - left[0] + 1 if left else 1)

    def _move_selection(self, element: Element) -> bool:
        """Move a selection; it shrinks to its active cell where one of its areas is lost."""
        areas = element.attributes.get(b"sqref", b"").split()
        active = read_rows(element.attributes.get(b"activeCell", b"A1"))
        self._move_entry(element, b"sqref", Kind.FIXED_AREAS, "")
        self._move_entry(element, b"activeCell", Kind.FIXED_AREAS, "")
        is_whole = len(element.attributes.get(b"sqref", b"").split()) == len(areas)
        is_kept = active is None or self._rows.find(active[0]) is not None
        if self._at_home and b"activeCell" in element.attributes and not (is_whole and is_kept):
            element.attributes[b"sqref"] = element.attributes[b"activeCell"]
            element.attributes.pop(b"activeCellId", None)
        return True

    def _move_row_breaks(self, element: Element) -> bool:
        """Move page breaks; ``id`` is the row above the break."""
        if not self._at_home:
            return True
        kept: dict[bytes, Element] = {}
        for one in element.elements():
            digits = self._move_row(one.attributes.get(b"id", b"0"))
            one.attributes[b"id"] = digits
            if digits != b"0":
                kept.setdefault(digits, one)
        by_hand = [one for one in kept.values() if one.attributes.get(b"man") in (b"1", b"true")]
        element.children = list(kept.values())
        set_count(element, b"count", len(kept))
        set_count(element, b"manualBreakCount", len(by_hand))
        return bool(kept)

    def _move_column_breaks(self, element: Element) -> bool:
        """Move the rows, from 0, between which breaks before columns hold."""
        for one in element.elements() if self._at_home else ():
            first, last = (one.attributes.get(name, b"") for name in (b"min", b"max"))
            if first.isdigit() and 0 < int(first) < MAX_ROWS:
                one.attributes[b"min"] = self._move_row(first)
            if last.isdigit() and 0 < int(last) < MAX_ROWS - 1:
                one.attributes[b"max"] = b"%d" % max(0, self._mover.next_row(int(last) + 1) - 1)
        return True

    def _leave(self, element: Element) -> bool:
        if self._at_home or element.local == b"dataConsolidate":
            self._losses.untouched.append(f"the {_LEFT[element.local]}{self._on}")
        return True

    # Drawings

    def _move_anchor(self, anchor: Element) -> None:
        """Move an anchor's first corner to where its row is, and its second one as far."""
        first, last = anchor.find(b"from"), anchor.find(b"to")
        top = first.find(b"row") if first is not None else None
        if not self._at_home or anchor.attributes.get(b"editAs") == b"absolute" or top is None:
            return
        before = top.text
        top.children = [self._move_row(before)]
        bottom = last.find(b"row") if last is not None else None
        if bottom is not None and _DIGITS.fullmatch(before) and _DIGITS.fullmatch(bottom.text):
            moved = int(top.text) + int(bottom.text) - int(before)
            bottom.children = [b"%d" % min(moved, MAX_ROWS - 1)]

    def _move_shape(self, shape: Element) -> bool | None:
        """Move the box of a comment or a control of VML; one of a removed row is removed."""
        data = next((one for one in shape.walk() if one.local == b"ClientData"), None)
        row = data.find(b"Row") if data is not None else None
        corners = data.find(b"Anchor") if data is not None else None
        if self._at_home and row is not None and _DIGITS.fullmatch(row.text):
            if self._rows.find(int(row.text) + 1) is None:
                return False
            row.children = [self._move_row(row.text)]
        if self._at_home and corners is not None:
            corners.children = [self._move_corners(corners.text)]
        return None

    def _move_corners(self, text: bytes) -> bytes:
        """Move a VML anchor: column, offset, row, offset of its first and its last corner."""
        numbers = [part.strip() for part in text.split(b",")]
        if len(numbers) != 8 or not all(map(_DIGITS.fullmatch, numbers)):
            return text
        top, bottom = int(numbers[2]), int(numbers[6])
        moved = self._mover.next_row(top)
        numbers[2], numbers[6] = b"%d" % moved, b"%d" % min(moved + bottom - top, MAX_ROWS - 1)
        return b", ".join(numbers)

    def _move_control(self, element: Element) -> bool:
        """Move the cells that an ActiveX control writes to and reads from."""
        if {value.lower() for value in element.attributes.values()} & _CONTROL_CELLS:
            value = next((key for key in element.attributes if key.endswith(b"value")), b"")
            self._move_entry(element, value, Kind.FORMULA, _CONTROL)
        return True

    def _move_series(self, element: Element) -> None:
        """Drop the values that a chart keeps of removed rows; the table moves its references."""
        sources = (one.text for one in element.elements() if one.local in (b"f", b"sqref"))
        if any(list(map(self._mover.is_outdated, sources))):
            element.children = [
                child
                for child in element.children
                if isinstance(child, bytes) or child.local not in _KEPT_VALUES
            ]

    def _move_target(self, link: Element) -> bool:
        """Move the cells that a shape of a drawing leads to."""
        target = link.attributes.get(b"Target", b"")
        if target.startswith(b"#"):
            moved = self._mover.move_formula(target[1:], f"the link of a shape{self._on}")
            link.attributes[b"Target"] = b"#" + moved
        return True

    # Tables and pivot tables

    def _move_table(self, table: Element) -> None:
        """Move a table's area, filter and formulas.

        A reader mends a file whose table has no row below its header, or whose header cells are
        not its columns' names: a table that lost its rows takes the next one in or its totals for
        data, one that lost its header row stays without.
        """
        name = resolve_references(table.attributes.get(b"displayName", b""))
        area = table.attributes.get(b"ref", b"")
        header_count = _read_count(table, b"headerRowCount", 1)
        anchor = None
        if self._at_home and read_rows(area) is not None:
            self._move_table_area(table, f"the table {name}")
            first = first_row(area) + header_count
            anchor = (first, first_row(table.attributes[b"ref"]) + header_count)
        for inner in table.walk():
            if inner.local in (b"calculatedColumnFormula", b"totalsRowFormula"):
                inner.children = [
                    self._mover.move_formula(
                        inner.text,
                        f"a column of the table {name}",
                        at_home=self._at_home,
                        anchor=anchor if inner.local == b"calculatedColumnFormula" else None,
                    )
                ]

    def _move_table_area(self, table: Element, what: str) -> None:
        area = table.attributes[b"ref"]
        rows, columns = read_rows(area), read_columns(area)
        if rows is None or columns is None:
            return
        headers = _read_count(table, b"headerRowCount", 1)
        totals = _read_count(table, b"totalsRowCount", 0)
        held = table.find(b"autoFilter")
        if headers and self._rows.find(rows[0]) is None:
            self._losses.pointless.append(what)
            table.attributes[b"headerRowCount"] = b"0"
            table.children = [child for child in table.children if child is not held]
            headers, held = 0, None
        span = read_rows(self._rows.rest_areas(area)) or rows
        height = span[1] - span[0] + 1
        if totals and (self._rows.find(rows[1]) is None or height < headers + 1 + totals):
            totals = 0  # its totals are removed, or the only row left
            table.attributes.pop(b"totalsRowCount", None)
        bottom = max(span[1], span[0] + headers + totals)
        table.attributes[b"ref"] = write_area(columns, (span[0], bottom))
        if held is not None:
            within = read_columns(held.attributes.get(b"ref", b"")) or columns
            held.attributes[b"ref"] = write_area(within, (span[0], bottom - totals))

    def _move_pivot(self, place: Element) -> None:
        """Move a pivot table with the cells that it is in."""
        area = place.attributes.get(b"ref", b"")
        rows = read_rows(area)
        if not self._at_home or rows is None:
            return
        place.attributes[b"ref"] = self._rows.rest_areas(area)
        what = f"the pivot table {self._name}{self._on}"
        if self._rows.move_areas(area) is None:
            self._losses.pointless.append(what)
        elif self._rows.covers_removed(*rows):
            self._losses.partly.append(what)

    def _move_source(self, source: Element) -> None:
        """Move the rows that pivot tables are made from."""
        name = resolve_references(source.attributes.get(b"name", b"")).casefold()
        sheet = resolve_references(source.attributes.get(b"sheet", b"")).casefold()
        self.is_outdated |= name in self._names
        area = source.attributes.get(b"ref", b"")
        leads_outside = any(key.endswith(b":id") for key in source.attributes)
        if sheet != self._mover.sheet.casefold() or leads_outside:
            return
        rows = read_rows(area)
        self.is_outdated |= rows is None or self._rows.covers_removed(*rows)
        source.attributes[b"ref"] = self._rows.rest_areas(area)
        if self._rows.move_areas(area) is None:
            shown = area.decode("ascii", "replace")
            self._losses.pointless.append(f"the source {shown} of a pivot table")


def set_count(element: Element, name: bytes, count: int) -> None:
    """Correct an attribute that counts the element's children, where it has one."""
    if name in element.attributes:
        element.attributes[name] = b"%d" % count


def _read_count(table: Element, name: bytes, default: int) -> int:
    digits = table.attributes.get(name, b"")
    return int(digits) if digits.isdigit() and len(digits) < 8 else default


def _show(areas: bytes) -> str:
    """Return areas as an analyst may read them, however many they are."""
    text = areas.decode("ascii", "replace")
    return text if len(text) <= 40 else f"{text[:39]}…"
