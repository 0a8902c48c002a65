"""Old Excel workbooks (MS-XLS, BIFF8) in a compound file (MS-CFB), written record by record."""

import struct
from collections.abc import Sequence
from pathlib import Path

SECTOR = 512
END, FAT, FREE = 0xFFFFFFFE, 0xFFFFFFFD, 0xFFFFFFFF
LABEL, NUMBER, BOOLERR = 0x0204, 0x0203, 0x0205


def record(kind: int, *data: bytes) -> bytes:
    content = b"".join(data)
    return struct.pack("<HH", kind, len(content)) + content


def write_label(row: int, column: int, text: str) -> bytes:
    cell = struct.pack("<HHHHB", row, column, 0, len(text), 1)
    return record(LABEL, cell, text.encode("utf-16-le"))


def write_number(row: int, column: int, value: float, form: int = 0) -> bytes:
    return record(NUMBER, struct.pack("<HHHd", row, column, form, value))


def write_error(row: int, column: int, code: int) -> bytes:
    return record(BOOLERR, struct.pack("<HHHBB", row, column, 0, code, 1))


def write_xls(
    path: Path, cells: bytes, formats: Sequence[tuple[int, str]] = (), *, protected: bool = False
) -> Path:
    """Write one sheet; cell formats from 1 on are those given: key and text."""
    begin = struct.pack("<HHHHII", 0x0600, 5, 0x0DBB, 0x07CC, 0, 6)
    book = record(0x0809, begin)
    if protected:
        book += record(0x002F, struct.pack("<HHH", 1, 1, 1), bytes(48))
    book += record(0x0042, struct.pack("<H", 1252))  # as writers that are not Excel leave it
    for key, text in formats:
        book += record(0x041E, struct.pack("<HHB", key, len(text), 0), text.encode())
    for key in (0, *(key for key, _ in formats)):
        book += record(0x00E0, struct.pack("<HHH", 0, key, 0), bytes(14))
    name = struct.pack("<BB", 5, 0) + b"Sheet"
    start = len(book) + 4 + 6 + len(name) + 4
    book += record(0x0085, struct.pack("<IBB", start, 0, 0), name) + record(0x000A)
    sheet = record(0x0809, begin[:2] + b"\x10\0" + begin[4:]) + cells + record(0x000A)
    path.write_bytes(pack_compound(book + sheet))
    return path


def pack_compound(stream: bytes) -> bytes:
    """Return a compound file with one stream, which is large enough to have sectors of its own."""
    stream = stream.ljust(4096, b"\0")
    stream += bytes(-len(stream) % SECTOR)
    count = len(stream) // SECTOR
    chain = [FAT, END, *range(3, count + 2), END]
    head = struct.pack(
        "<8s16xHHHHH6xII", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0x3E, 3, 0xFFFE, 9, 6, 0, 1
    )
    head += struct.pack("<IIIIIII", 1, 0, 4096, END, 0, END, 0) + struct.pack(
        "<109I", 0, *[FREE] * 108
    )
    folder = b"".join(
        name.encode("utf-16-le").ljust(64, b"\0")
        + struct.pack("<HBBIII", 2 * len(name) + 2, kind, 1, FREE, FREE, child)
        + bytes(36)
        + struct.pack("<III", first, size, 0)
        for name, kind, child, first, size in (
            ("Root Entry", 5, 1, END, 0),
            ("Workbook", 2, FREE, 2, len(stream)),
        )
    )
    table = struct.pack(f"<{len(chain)}I", *chain).ljust(SECTOR, b"\xff")
    assert len(table) == SECTOR
    return head + table + folder.ljust(SECTOR, b"\0") + stream
