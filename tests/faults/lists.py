"""Lists whose results are known by how they are made, not by running an engine."""

import io
from dataclasses import dataclass
from functools import cache

import openpyxl

HEADER = b"id,email"


@dataclass(frozen=True)
class MadeList:
    """A list by its length and seed: each third row takes the mailbox of the row two before it."""

    row_count: int
    seed: int = 0

    @property
    def content(self) -> bytes:
        """The list."""
        rows = (self._make_row(number) for number in range(self.row_count))
        return b"%s\n%s\n" % (HEADER, b"\n".join(rows))

    @property
    def expected(self) -> bytes:
        """What must come of it: the earlier of two rows is gone."""
        rows = []
        for number in range(self.row_count):
            if number % 3 == 1:
                rows.append(self._make_row(number) + b",black,disposable")
            elif number % 3 == 2 or number + 2 >= self.row_count:
                rows.append(self._make_row(number) + b",white,free")
        return b"%s,category,domain_type\n%s\n" % (HEADER, b"\n".join(rows))

    @property
    def charged(self) -> int:
        """How many rows must be charged: those that stay."""
        twice = len([n for n in range(0, self.row_count, 3) if n + 2 < self.row_count])
        return self.row_count - twice

    def matches(self, result: bytes) -> bool:
        """Say whether a result is the expected one, byte for byte."""
        return result == self.expected

    def _make_row(self, number: int) -> bytes:
        match number % 3:
            case 0:
                return b"%07d,n%d-%d@gmail.com" % (number, self.seed, number)
            case 1:
                return b"%07d,n%d-%d@mailinator.com" % (number, self.seed, number)
            case _:
                return b"%07d,N%d-%d@Gmail.com" % (number, self.seed, number - 2)


class MadeWorkbook(MadeList):
    """The same rows as a workbook; its result is compared by cells."""

    @property
    def content(self) -> bytes:
        """The workbook; a second time it takes no file."""
        return write_book(super().content)

    def matches(self, result: bytes) -> bool:
        """Say whether a workbook has the expected cells."""
        book = openpyxl.load_workbook(io.BytesIO(result), read_only=True)
        rows = [[str(cell) for cell in row] for row in book.worksheets[0].values]
        book.close()
        return rows == [line.split(",") for line in self.expected.decode().splitlines()]


@cache
def write_book(text: bytes) -> bytes:
    """Return a list as a workbook."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for line in text.decode().splitlines():
        sheet.append(line.split(","))
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def name_project(made: MadeList) -> str:
    """Return a project's name from which the list can be made again."""
    return f"{type(made).__name__} {made.row_count} {made.seed}"


def read_project(name: str) -> MadeList:
    """Return the list that a project's name tells."""
    kind, row_count, seed = name.split()
    return {"MadeList": MadeList, "MadeWorkbook": MadeWorkbook}[kind](int(row_count), int(seed))
