"""The shared strings of a workbook (ISO/IEC 29500-1, 18.4)."""

import re
from array import array
from collections.abc import Iterator
from mmap import ACCESS_READ, mmap
from pathlib import Path
from tempfile import TemporaryFile

from winnow.core.errors import BrokenFile
from winnow.lists.formats.xlsx.archive import SAVE_AGAIN, XlsxArchive, word_too_large
from winnow.lists.formats.xlsx.cells import join_runs
from winnow.lists.formats.xlsx.xml import ATTRIBUTES, NAME, check_xml, unescape

MAX_STRINGS = 18_000_000  # 8 bytes each
MAX_STRING_BYTES = 1 << 20  # a cell ends at 32,767 characters; formatting takes the rest

_ITEM = re.compile(
    rb"<" + NAME + rb"si(?=[\s/>])" + ATTRIBUTES + rb"(?:/>|>"
    rb"(?:<" + NAME + rb't(?: xml:space="preserve")?>([^<]*+)</' + NAME + rb"t>(?=</))?+"
    rb"((?:[^<]++|<(?!/?" + NAME + rb"si[\s/>]))*+)</" + NAME + rb"si\s*+>)"
)


class SharedStrings:
    """The texts of shared strings in UTF-8, by their indices.

    They are read as far as they are asked for, into a temporary file.

    Args:
        archive: The workbook.
        part: Its shared strings, None for a workbook without.
        folder: Where the file is; None: where the system has its own.
        most_bytes: How much of them may be read; None: all.
    """

    def __init__(
        self,
        archive: XlsxArchive,
        part: str | None,
        folder: Path | None,
        most_bytes: int | None = None,
    ) -> None:
        self._batches = read_strings(archive, part)
        self._most_bytes = most_bytes
        self._file = TemporaryFile(dir=folder)  # noqa: SIM115  # closed by ``close``
        self._ends = array("q", (0,))
        self._data: mmap | bytes = b""

    def get(self, index: int) -> bytes | None:
        """Return the text of an index, None for one that is not there.

        Raises:
            BrokenFile: The part cannot be read, or is too large to be kept.
        """
        ends = self._ends
        while index >= len(ends) - 1:
            if not self._read_on():
                return None
        return self._data[ends[index] : ends[index + 1]]

    def _read_on(self) -> bool:
        """Read some more; False at the end."""
        texts = next(self._batches, None)
        if texts is None:
            return False
        for text in texts:
            size = self._file.write(text.encode("utf-8", "replace"))
            self._ends.append(self._ends[-1] + size)
        if self._most_bytes is not None and self._ends[-1] > self._most_bytes:
            raise word_too_large()
        if len(self._ends) > MAX_STRINGS:
            raise BrokenFile(
                "The workbook has more than {most} different texts.",
                most=MAX_STRINGS,
                hint="Export the sheet as CSV and use that.",
            )
        self._file.flush()
        if self._ends[-1]:
            self._data = mmap(self._file.fileno(), 0, access=ACCESS_READ)
        return True

    def close(self) -> None:
        """Remove the file."""
        self._data = b""
        self._file.close()


def read_strings(archive: XlsxArchive, part: str | None) -> Iterator[list[str]]:
    """Yield the texts of the shared strings, many at a time.

    Raises:
        BrokenFile: The part is no XML, or a string is too long.
    """
    if part is None:
        return
    rest = b""
    for chunk in check_xml(archive.stream(part), part):
        pieces = _ITEM.split(rest + chunk)  # what is between, attributes, plain text, the rest
        rest = pieces[-1]
        if len(rest) > MAX_STRING_BYTES:
            raise BrokenFile(
                "A cell of the workbook holds more than 1 MiB of text.",
                hint="No spreadsheet program keeps more than 32,767 characters in a cell.",
            )
        try:
            yield [
                unescape(join_runs(runs or b"") if plain is None else plain)
                for plain, runs in zip(pieces[2::4], pieces[3::4], strict=True)
            ]
        except ValueError as error:
            raise BrokenFile("The workbook's texts cannot be read.", hint=SAVE_AGAIN) from error
