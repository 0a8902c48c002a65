"""Parts and tables of a do-not-mail, bounce or own-list file, read by the formats of lists."""

import re
import zipfile
import zlib
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path, PurePosixPath

import polars as pl
import pyarrow as pa

from winnow.core.disk_errors import name_disk_error
from winnow.core.errors import BrokenFile, EmptyFile, UnsupportedFormat
from winnow.core.file_faults import FileFault
from winnow.core.lists.file_format import FORMATS, FileFormat
from winnow.core.lists.input_head import Choices
from winnow.core.lists.side_files import FileNote, NoteKind
from winnow.core.meaning.delivery import read_file_name
from winnow.core.meaning.outcomes import Outcome
from winnow.lists.execution.run_files import create_file
from winnow.lists.format_registry import find_format
from winnow.lists.formats.packed.read import Codec, unpack
from winnow.lists.inspect import plan_input
from winnow.lists.inspection.signature import (
    COMPOUND,
    GZIP,
    SIGNATURE_BYTES,
    ZSTANDARD,
    find_extension,
    name_binary,
)
from winnow.lists.list_format import ListFormat, WrappedFormat
from winnow.lists.requests import RowsRequest
from winnow.lists.text.arrow_cells import RowBlock
from winnow.lists.text.records import Positions
from winnow.lists.unpacked_size import UnpackedSize
from winnow.words import translatable

MOST_PARTS = 1000  # a zip of Mailchimp has three
MOST_BYTES = 4 << 30  # of a packed file, or of all parts of a zip
_COPY_BYTES = 1 << 20
_UNPACKED = "part"
_CODECS: dict[str, Codec] = {GZIP: "gzip", ZSTANDARD: "zstd"}
_PACKED_NAME = re.compile(r"\.(gz|zst|gzip|zstd)$", re.IGNORECASE)
_OURS_TO_IGNORE = re.compile(r"(^|/)(__MACOSX/|\.[^./]|Thumbs\.db$|desktop\.ini$)")
_UNPACK = translatable("Unpack it yourself and add the files in it.")
_ZIP_SIGNS = (b"PK\x03\x04", b"PK\x05\x06")  # APPNOTE.TXT 4.3.7, 4.3.16
_ZIP_FAULTS = (
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError),
    *(NotImplementedError, RuntimeError),  # another compression, a password
)
SAMPLE_ROWS = 1000
_TEXTS = [one for one in FORMATS if one.traits.is_text and not one.traits.is_packed]
_BINARY = ((b"PAR1", FileFormat.PARQUET), (COMPOUND, FileFormat.XLS))
_FROM_THE_TOP = Choices(has_header=False, first_row=1)


@dataclass(frozen=True, slots=True)
class SidePart:
    """A file that can be read; ``label`` is its name in a zip, which is only shown, else ``""``."""

    path: Path
    name: str
    label: str = ""

    def read_start(self) -> bytes:
        """Return its first bytes."""
        with self.path.open("rb") as file:
            return file.read(SIGNATURE_BYTES)


def find_book(path: Path) -> FileFormat | None:
    """Return which workbook a zip is (ISO/IEC 29500-2, 10; OpenDocument 3, 3.3), None for none."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = {name.lower() for name in archive.namelist()}
    except _ZIP_FAULTS:
        return None
    if "[content_types].xml" in names:
        return FileFormat.XLSX
    return FileFormat.ODS if {"mimetype", "content.xml"} <= names else None


def read_parts(
    path: Path, name: str, scratch: Path, notes: list[FileNote], most_bytes: int = MOST_BYTES
) -> Iterator[SidePart]:
    """Yield the files in a zip, the file in a gzip or Zstandard stream, or the file itself.

    Each can be read until the next is asked for. What is packed in a part is not unpacked.

    Args:
        path: The file; it is only read.
        name: As it came; it never names a file to open.
        scratch: An existing folder for temporary files.
        notes: Gets the parts that are left out.
        most_bytes: Of all that is unpacked.

    Raises:
        BrokenFile, EmptyFile: It cannot be unpacked, or holds nothing.
    """
    whole = SidePart(path, name)
    codec = _CODECS.get(name_binary(whole.read_start()) or "")
    if codec is not None:
        unpacked = scratch / _UNPACKED
        with create_file(unpacked) as out:
            out.writelines(unpack(path, codec, most_bytes))
        yield SidePart(unpacked, _PACKED_NAME.sub("", name))
        unpacked.unlink()
    elif whole.read_start().startswith(_ZIP_SIGNS) and find_book(path) is None:
        yield from _read_zip(path, scratch, notes, most_bytes)
    else:
        yield whole


def hide_addresses(notes: Sequence[FileNote]) -> tuple[FileNote, ...]:
    """Return notes without names that hold an address."""
    return tuple(FileNote(kind, "" if "@" in name else name) for kind, name in notes)


def _read_zip(
    path: Path, scratch: Path, notes: list[FileNote], most_bytes: int
) -> Iterator[SidePart]:
    """Yield what is in a zip; beside a file of noes not those who are subscribed."""
    budget = UnpackedSize(path.stat().st_size, most_bytes=most_bytes)
    try:
        with zipfile.ZipFile(path) as archive:
            infos = [
                info
                for info in archive.infolist()
                if info.file_size and not _OURS_TO_IGNORE.search(info.filename)
            ]
            labels = [PurePosixPath(one.filename.replace("\\", "/")).name[:100] for one in infos]
            if len(infos) > MOST_PARTS:
                raise BrokenFile(
                    "The zip holds more than {most} files.",
                    fault=FileFault.TOO_LARGE,
                    most=MOST_PARTS,
                    hint=_UNPACK,
                )
            if not infos:
                raise EmptyFile("The zip holds no file.")
            said = [read_file_name(label) for label in labels]
            has_noes = any(one is not None and one.forbids for one in said)
            for info, label, outcome in zip(infos, labels, said, strict=True):
                if has_noes and outcome is Outcome.MAIL:
                    notes.append(FileNote(NoteKind.SUBSCRIBED, label))
                    continue
                unpacked = scratch / _UNPACKED
                with archive.open(info) as source, create_file(unpacked) as out:
                    while chunk := source.read(_COPY_BYTES):
                        budget.add(len(chunk))
                        out.write(chunk)
                yield SidePart(unpacked, label, label)
                unpacked.unlink()
    except _ZIP_FAULTS as error:
        if name_disk_error(error) is not None:
            raise
        raise BrokenFile("The zip is damaged, or protected by a password.", hint=_UNPACK) from error


@dataclass(frozen=True, slots=True)
class SideTable:
    """A table. ``label`` names the part of the file that it is; ``""``: all of it.

    ``rows`` are its first rows, a header among them where there is one; ``numbers`` are their
    numbers in the table, from 1.
    """

    label: str
    rows: tuple[tuple[str, ...], ...]
    numbers: Sequence[int]
    blocks: Iterator[tuple[Positions, RowBlock]]

    def read_columns(
        self, columns: Sequence[int], header: int | None
    ) -> Iterator[tuple[Positions, list[pl.Series]]]:
        """Yield row numbers and the cells of wanted columns, once.

        Args:
            columns: The wanted ones, from 0.
            header: The place in ``rows`` of the header, below which reading begins; None: all rows.

        Raises:
            BrokenFile: With the line.
        """
        last_skipped = 0 if header is None else self.numbers[header]
        for numbers, block in self.blocks:
            is_below = numbers > last_skipped
            rows = block.rows[is_below]
            cells = (block.take_column(rows, one) for one in columns)
            yield numbers[is_below], list(map(_read_texts, cells))


def open_tables(part: SidePart, scratch: Path) -> Generator[SideTable]:
    """Yield the table of a part, or the visible sheets of a workbook that hold anything.

    Each can be read until the next is asked for, or this is closed.

    Raises:
        UnsupportedFormat, BrokenFile, EmptyFile: It cannot be read, and why.
    """
    list_format, path = _find_format(part), part.path
    with ExitStack() as held:
        if isinstance(list_format, WrappedFormat):  # once for all its sheets
            path = held.enter_context(list_format.unwrapped(path, scratch))
            list_format = list_format.inner
        head = list_format.read_head(path, _FROM_THE_TOP, None, scratch)
        plan = plan_input(head, email_column=0)
        if not head.sheets:
            yield from _open_table(part.label, list_format, RowsRequest(path, plan, scratch))
        for sheet in head.sheets:
            label = f"{part.label}: {sheet}" if part.label else sheet
            of_sheet = replace(plan, columns=(), first_row=1, sheet=sheet)
            yield from _open_table(label, list_format, RowsRequest(path, of_sheet, scratch))


def _open_table(label: str, list_format: ListFormat, request: RowsRequest) -> Iterator[SideTable]:
    """Yield a table unless it is empty."""
    header = (request.plan.columns,) if request.plan.has_header else ()
    read = list_format.read_rows(request, lambda block: block)
    with closing(_number_rows(read, len(header))) as blocks:
        try:
            numbers, first = next(blocks)
        except (StopIteration, EmptyFile):  # a sheet of no rows raises
            return
        rows = (*header, *map(first.read_cells, first.rows[:SAMPLE_ROWS].tolist()))
        lines = (*range(1, 1 + len(header)), *numbers[:SAMPLE_ROWS].tolist())
        yield SideTable(label, rows, lines, chain([(numbers, first)], blocks))


def _number_rows(blocks: Iterator[RowBlock], done: int) -> Generator[tuple[Positions, RowBlock]]:
    for block in blocks:
        if len(block.rows):
            yield block.rows + done + 1, block
        done += len(block.records.starts)


def _read_texts(cells: pa.Array) -> pl.Series:
    """Return cells as texts; bytes that are no text become U+FFFD."""
    try:
        texts = cells.cast(pa.large_string())
    except pa.ArrowInvalid:
        texts = pa.array([one.decode("utf-8", "replace") for one in cells.to_pylist()])
    return pl.Series("text", pl.from_arrow(texts), pl.String)


def _find_format(part: SidePart) -> ListFormat:
    """Return the format by what a part holds; of text by its name.

    Raises:
        UnsupportedFormat: No list is read in it.
    """
    start = part.read_start()
    code = next((code for sign, code in _BINARY if start.startswith(sign)), None)
    code = code or find_book(part.path) or find_extension(part.name, _TEXTS)
    list_format = find_format(code or FileFormat.CSV)
    found = list_format.name_content(start)
    if found is None:
        return list_format
    label = part.label
    raise UnsupportedFormat(
        "{where} is {found}, in which no list is read.",
        where=translatable('"{name}" in the zip', name=label)
        if label
        else translatable("This file"),
        found=found,
        hint="Save it as CSV and add that file.",
    )
