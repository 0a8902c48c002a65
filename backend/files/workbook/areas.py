"""Areas that name rows outside the cells: filters, merges, rules, links, tables, comments."""

import re

from backend.files.workbook.cells import MAX_ROWS
from backend.files.workbook.formula import (
    FormulaShifter,
    LostReference,
    RowMap,
    parse_formula,
    write_formula,
)
from backend.files.workbook.xml import escape, resolve_references

_AREA = re.compile(rb"(\$?)([A-Z]{0,3})(\$?)([0-9]{1,7})(?::(\$?)([A-Z]{0,3})(\$?)([0-9]{1,7}))?\Z")
_P = rb"(?:[\w.-]+:)?"


def shift_area(area: bytes, rows: RowMap) -> bytes | None:
    """Move one area such as ``A1:F9``; None when all its rows are gone. Columns stay as written."""
    match = _AREA.match(area)
    if match is None:
        return area  # whole columns
    first = int(match[4])
    last = int(match[8] or first)
    span = rows.span(first, last)
    if span is None:
        return None
    start = match[1] + match[2] + match[3] + b"%d" % span[0]
    if match[8] is None:
        return start
    return start + b":" + match[5] + match[6] + match[7] + b"%d" % span[1]


def shift_areas(areas: bytes, rows: RowMap) -> bytes | None:
    """Move a list of areas separated by blanks; None when nothing is left."""
    moved = [left for area in areas.split() if (left := shift_area(area, rows)) is not None]
    return b" ".join(moved) or None


class AreaShifter:
    """Moves what a sheet, and the parts beside it, say about the sheet's rows."""

    def __init__(self, formulas: FormulaShifter) -> None:
        self.formulas = formulas
        self._rows = formulas.rows
        self.lost: int = 0  # rules whose formula points at removed rows: left as they were

    def shift_head(self, head: bytes) -> bytes:
        """Move selections and panes; the dimension is the caller's."""

        def move_view(match: re.Match[bytes]) -> bytes:
            return self._move_attributes(match[0], b"activeCell", b"sqref", b"topLeftCell")

        return re.sub(rb"<" + _P + rb"(?:selection|pane|sheetView)\b[^>]*>", move_view, head)

    def shift_tail(self, tail: bytes) -> bytes:
        """Move everything that follows the rows of the sheet itself."""
        for name, attribute in (
            (b"mergeCell", b"ref"),
            (b"hyperlink", b"ref"),
            (b"ignoredError", b"sqref"),
            (b"protectedRange", b"sqref"),
            (b"dataValidation", b"sqref"),
            (b"conditionalFormatting", b"sqref"),
        ):
            tail = self._move_elements(tail, name, attribute)
        for holder in (b"mergeCells", b"hyperlinks", b"ignoredErrors", b"protectedRanges"):
            tail = _drop_empty(tail, holder)
        tail = _drop_empty(tail, b"dataValidations")
        tail = self.shift_filters(tail)
        tail = self._shift_breaks(tail)
        return self._shift_extensions(tail)

    def shift_filters(self, content: bytes) -> bytes:
        """Move ``autoFilter`` and ``sortState`` areas, of a sheet or a table."""

        def move(match: re.Match[bytes]) -> bytes:
            return self._move_attributes(match[0], b"ref")

        return re.sub(
            rb"<" + _P + rb"(?:autoFilter|sortState|sortCondition)\b[^>]*>", move, content
        )

    def shift_table(self, content: bytes) -> bytes:
        """Move a table's own area and its filter."""

        def move(match: re.Match[bytes]) -> bytes:
            tag = self._move_attributes(match[0], b"ref")
            found = _find_attribute(tag, b"ref")
            area = _AREA.match(found[2]) if found is not None else None
            if area is None or found is None or int(area[8] or area[4]) > int(area[4]):
                return tag
            # A table has at least one row beside its header (a reader mends the file otherwise).
            left = area[2] + area[4] + b":" + (area[6] or area[2]) + b"%d" % (int(area[4]) + 1)
            return tag.replace(found[0], found[1] + left + found[3])

        content = re.sub(rb"<" + _P + rb"table\b[^>]*>", move, content, count=1)
        return self.shift_filters(content)

    def shift_comments(self, content: bytes) -> bytes:
        """Move comments (threaded ones too) and drop those of removed rows."""
        content = self._move_elements(content, b"comment", b"ref")
        return self._move_elements(content, b"threadedComment", b"ref")

    def shift_comment_shapes(self, content: bytes) -> bytes:
        """Move the boxes of comments in a VML drawing, rows counted from 0."""

        def move(match: re.Match[bytes]) -> bytes:
            shape = match[0]
            row = re.search(rb"<x:Row>\s*(\d{1,7})\s*</x:Row>", shape)
            if row is None:
                return shape
            target = self._rows.find(int(row[1]) + 1)
            if target is None:
                return b""
            shape = shape.replace(row[0], b"<x:Row>%d</x:Row>" % (target - 1))
            return re.sub(rb"(<x:Anchor>)([^<]*)(</x:Anchor>)", self._move_anchor, shape)

        return re.sub(rb"<v:shape\b(?!type)(?s:.*?)</v:shape>", move, content)

    def shift_anchors(self, content: bytes) -> bytes:
        """Move the corners of pictures and charts in a drawing, rows counted from 0."""

        def move(match: re.Match[bytes]) -> bytes:
            return match[1] + b"%d" % (self._rows.next_kept(int(match[2]) + 1) - 1) + match[3]

        return re.sub(rb"(<" + _P + rb"row>)\s*(\d{1,7})\s*(</)", move, content)

    def shift_formula_text(
        self, content: bytes, *, at_home: bool, relative: bool = True
    ) -> bytes | None:
        """Move the formula that stands between two tags; None when that cannot be done."""
        text = resolve_references(content)
        try:
            moved = self.formulas.shift(parse_formula(text), at_home=at_home, relative=relative)
        except LostReference:
            return None
        return escape(write_formula(moved))

    def shift_rules_elsewhere(self, tail: bytes) -> bytes:
        """Move the formulas of another sheet's rules."""

        def move(match: re.Match[bytes]) -> bytes:
            moved = self.shift_formula_text(match[2], at_home=False)
            if moved is None:
                self.lost += 1
                return match[0]
            return match[1] + moved + match[3]

        return re.sub(rb"(<" + _P + rb"(?:formula[12]?|f)>)([^<]+)(</)", move, tail)

    def move_attribute(self, tag: bytes, name: bytes) -> bytes:
        """Move one attribute of one tag."""
        return self._move_attributes(tag, name)

    def _move_elements(self, content: bytes, name: bytes, attribute: bytes) -> bytes:
        """Move an attribute of each element of a name; elements without rows left are dropped."""
        if name not in content:
            return content
        opening = re.compile(rb"<(" + _P + name + rb")(?=[\s/>])[^>]*?(/?)>")
        pieces: list[bytes] = []
        position = 0
        while match := opening.search(content, position):
            pieces.append(content[position : match.start()])
            end = match.end()
            if not match[2]:
                closing = b"</" + match[1] + b">"
                found = content.find(closing, end)
                end = found + len(closing) if found >= 0 else len(content)
            element = self._move_element(content[match.start() : end], match[0], attribute)
            pieces.append(element)
            position = end
        return b"".join((*pieces, content[position:]))

    def _move_element(self, element: bytes, tag: bytes, attribute: bytes) -> bytes:
        found = _find_attribute(tag, attribute)
        if found is None:
            return element
        areas = found[2]
        moved = shift_areas(areas, self._rows)
        if moved is None or (b"mergeCell" in tag and _is_one_cell(moved)):
            return b""
        body = element[len(tag) :]
        if b"formula" in body:
            body = self._move_rule_formulas(body, areas, moved)
        return tag.replace(found[0], found[1] + moved + found[3]) + body

    def _move_rule_formulas(self, body: bytes, areas: bytes, moved: bytes) -> bytes:
        anchor = (_first_row(areas), _first_row(moved))

        def move(match: re.Match[bytes]) -> bytes:
            text = resolve_references(match[2])
            try:
                formula = self.formulas.shift(parse_formula(text), at_home=True, anchor=anchor)
            except LostReference:
                self.lost += 1
                return match[0]
            return match[1] + escape(write_formula(formula)) + match[3]

        return re.sub(rb"(<" + _P + rb"(?:formula[12]?|f)>)([^<]+)(</)", move, body)

    def _move_attributes(self, tag: bytes, *names: bytes) -> bytes:
        """Move attributes of one tag; what points only at removed rows goes to the next kept."""
        for name in names:
            found = _find_attribute(tag, name)
            if found is None:
                continue
            moved = shift_areas(found[2], self._rows)
            if moved is None:
                row = self._rows.next_kept(_first_row(found[2]))
                moved = re.sub(rb"[0-9]+", b"%d" % row, found[2].split()[0].split(b":")[0])
            tag = tag.replace(found[0], found[1] + moved + found[3])
        return tag

    def _shift_breaks(self, tail: bytes) -> bytes:
        """Move page breaks; ``id`` is the row above the break."""

        def move(match: re.Match[bytes]) -> bytes:
            def move_break(inner: re.Match[bytes]) -> bytes:
                row = self._rows.next_kept(int(inner[2]) + 1) - 1
                return inner[1] + b"%d" % row + inner[3] if row > 0 else inner[0]

            return re.sub(rb'(\sid=")(\d{1,7})(")', move_break, match[0])

        return re.sub(rb"<(" + _P + rb"rowBreaks)\b(?s:.*?)</\1>", move, tail)

    def _shift_extensions(self, tail: bytes) -> bytes:
        """Move rules and sparklines of later versions (MS-XLSX, 2.6): areas in ``xm:sqref``."""

        def move_area(match: re.Match[bytes]) -> bytes:
            moved = shift_areas(match[2], self._rows)
            return match[1] + (moved if moved is not None else match[2]) + match[3]

        def move_formula(match: re.Match[bytes]) -> bytes:
            moved = self.shift_formula_text(match[2], at_home=True)
            if moved is None:
                self.lost += 1
                return match[0]
            return match[1] + moved + match[3]

        start = tail.find(b"extLst")
        if start < 0:
            return tail
        rest = re.sub(rb"(<xm:sqref>)([^<]+)(</)", move_area, tail[start:])
        return tail[:start] + re.sub(rb"(<xm:f>)([^<]+)(</)", move_formula, rest)

    def _move_anchor(self, match: re.Match[bytes]) -> bytes:
        """Move a VML anchor: column, offset, row, offset of its first and its last corner."""
        numbers = [part.strip() for part in match[2].split(b",")]
        if len(numbers) != 8 or not all(re.fullmatch(rb"[0-9]{1,7}", one) for one in numbers):
            return match[0]
        top, bottom = int(numbers[2]), int(numbers[6])
        moved = self._rows.next_kept(top + 1) - 1
        numbers[2], numbers[6] = b"%d" % moved, b"%d" % min(moved + bottom - top, MAX_ROWS - 1)
        return match[1] + b", ".join(numbers) + match[3]


def _find_attribute(tag: bytes, name: bytes) -> re.Match[bytes] | None:
    """Find an attribute: group 1 up to its value, group 2 the value, group 3 its last quote."""
    return re.search(rb"(\s" + name + rb'\s*=\s*")([^"]*)(")', tag) or re.search(
        rb"(\s" + name + rb"\s*=\s*')([^']*)(')", tag
    )


def _first_row(areas: bytes) -> int:
    digits = re.search(rb"[0-9]{1,7}", areas)
    return int(digits[0]) if digits else 1


def _is_one_cell(area: bytes) -> bool:
    first, colon, last = area.replace(b"$", b"").partition(b":")
    return not colon or first == last


def _drop_empty(content: bytes, holder: bytes) -> bytes:
    """Drop a holder whose elements are all gone, and its count, which is optional."""
    content = re.sub(rb"<(" + _P + holder + rb")\b[^>]*>\s*</\1>", b"", content)
    return re.sub(rb"(<" + _P + holder + rb"\b[^>]*?)\scount=\"\d+\"", rb"\1", content)
