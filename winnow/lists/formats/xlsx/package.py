"""The parts of a workbook by what they are, found by following relations from the workbook."""

from collections import deque
from dataclasses import dataclass, replace

from winnow.lists.formats.xlsx.archive import XlsxArchive
from winnow.lists.formats.xlsx.book import Book, read_relations

PIVOT_CACHE = "pivotCacheDefinition"


@dataclass(frozen=True, slots=True)
class Part:
    """One part: its member in the zip, the last segment of its relation's type, whose it is.

    ``owner`` is the part that it was reached from, ``sheet`` the tab, ``""`` for the workbook's
    own. ``caches`` are the pivot caches that it leads to.
    """

    member: str
    kind: str
    owner: str
    sheet: str
    caches: tuple[str, ...] = ()


def list_parts(archive: XlsxArchive, book: Book) -> list[Part]:
    """Return every part below the workbook, each once, nearest first."""
    sheets = {archive.find(sheet.part): sheet.name for sheet in book.sheets}
    waiting = deque([(book.part, "")])
    seen = {archive.find(book.part)}
    parts: list[Part] = []
    caches: dict[str, list[str]] = {}
    while waiting:
        owner, sheet = waiting.popleft()
        for relation in read_relations(archive, owner):
            member = archive.find(relation.target)
            if member is None:
                continue
            if relation.kind == PIVOT_CACHE:
                caches.setdefault(owner, []).append(member)
            if member in seen:
                continue
            seen.add(member)
            belongs_to = sheets.get(member, sheet)
            parts.append(Part(member, relation.kind, owner, belongs_to))
            waiting.append((member, belongs_to))
    return [replace(part, caches=tuple(caches.get(part.member, ()))) for part in parts]
