"""Filters and tables of a list, extended to its added columns so that sorting keeps rows whole."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from winnow.lists.formats.xlsx.archive import XlsxArchive
from winnow.lists.formats.xlsx.book import Book, SheetPart, read_relations
from winnow.lists.formats.xlsx.markup import Element, edit_elements
from winnow.lists.formats.xlsx.references.formula import Area, read_area

_FILTER_NAME = "_xlnm._FilterDatabase"  # ISO/IEC 29500-1, 18.2.5: the area of a sheet's filter
_ODD_TABLES = ("queryTable", "xml")  # whose columns are another source's


@dataclass(frozen=True, slots=True)
class AddedColumns:
    """The columns that a sheet gets.

    ``first`` counts from 0; ``names`` are in the header, row ``header_row``, in ``header_style``.
    ``email_column`` distinguishes the list from other areas that begin in that row.
    """

    header_row: int = 0
    email_column: int = 0
    first: int = 0
    names: Sequence[str] = ()
    header_style: int = 0

    @property
    def last(self) -> int:
        """The last of them, from 0."""
        return self.first + len(self.names) - 1

    @property
    def are_named(self) -> bool:
        """Whether the header gets their names; if not, filters and tables stay as they are."""
        return bool(self.names and self.header_row)

    def widen_filters(self, content: bytes) -> bytes:
        """Widen the filters that a sheet lays over the list, those of its custom views too."""
        if not self.are_named:
            return content
        return edit_elements(content, ("autoFilter",), self._widen_filter)

    def plan_edits(
        self, archive: XlsxArchive, book: Book, sheet: SheetPart
    ) -> dict[str, Callable[[bytes], bytes]]:
        """Return the edits of the parts that refer to the sheet, by their names."""
        if not self.are_named:
            return {}
        tables = (one.target for one in read_relations(archive, sheet.part) if one.kind == "table")
        return {
            book.part: partial(self._widen_name, sheet_number=sheet.number),
            **dict.fromkeys(tables, self._widen_table),
        }

    def _widen_name(self, content: bytes, sheet_number: int) -> bytes:
        """Widen the hidden name of the sheet's filter, in the workbook part."""

        def widen(name: Element) -> None:
            sheet, mark, cells = name.text.rpartition("!")  # Sheet1!$A$1:$F$9
            is_here = name.get("localSheetId") == str(sheet_number)
            area = read_area(cells) if is_here and name.get("name") == _FILTER_NAME else None
            if area is not None and self._is_list(area):
                fixed = re.sub("([A-Z]+)([0-9]+)", r"$\1$\2", self._widen(area).write())
                name.children = [sheet + mark + fixed]

        return edit_elements(content, ("definedName",), widen)

    def _widen_table(self, content: bytes) -> bytes:
        """Widen a table that the list lies in and that ends where the columns begin."""

        def widen(table: Element) -> None:
            area = read_area(table.get("ref"))
            holder = table.find("tableColumns")
            if area is None or holder is None or not self._is_list(area):
                return
            if not self.first <= area.last_column + 1 <= self.last:
                return
            names = self.names[area.last_column + 1 - self.first :]
            taken = {one.get("name").casefold() for one in holder.elements()}  # whatever the case
            if (
                table.get("tableType") in _ODD_TABLES
                or table.get("headerRowCount", "1") == "0"
                or not taken.isdisjoint(name.casefold() for name in names)
            ):
                return
            self._widen_filter(table)
            for inner in table.elements():
                if inner.local == "autoFilter":
                    self._widen_filter(inner)
            _add_columns(holder, names)

        return edit_elements(content, ("table",), widen)

    def _is_list(self, area: Area) -> bool:
        """Whether an area begins with the list's header and holds its addresses."""
        is_in_row = area.first_row == self.header_row
        return is_in_row and area.first_column <= self.email_column <= area.last_column

    def _widen_filter(self, element: Element) -> None:
        """Widen an element's area, if that is the list's, and what it sorts by."""
        area = read_area(element.get("ref"))
        if area is None or not self._is_list(area):
            return
        for one in (element, element.find("sortState")):
            if one is not None and (area := read_area(one.get("ref"))) is not None:
                one.attributes["ref"] = self._widen(area).write()

    def _widen(self, area: Area) -> Area:
        return area._replace(last_column=max(area.last_column, self.last))


def _add_columns(holder: Element, names: Sequence[str]) -> None:
    columns = [one for one in holder.elements() if one.local == "tableColumn"]
    numbers = [one.get("id") for one in columns]
    number = max((int(one) for one in numbers if one.isdigit() and len(one) < 10), default=0)
    prefix = holder.name.removesuffix("tableColumns")
    for place, name in enumerate(names, start=1):
        attributes = {"id": str(number + place), "name": name}
        holder.children.append(Element(prefix + "tableColumn", attributes))
    holder.attributes["count"] = str(len(columns) + len(names))
