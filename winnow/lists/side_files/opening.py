"""Opener of any file as tables: text, workbooks, Parquet, packed files, zips of these."""

import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from winnow.core.disk_errors import name_disk_error
from winnow.core.errors import BrokenFile, EmptyFile, UnsupportedFormat
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices
from winnow.core.lists.side_files import FileNote, NoteKind
from winnow.core.tasks.task import InputPlan
from winnow.lists.execution.run_files import create_file
from winnow.lists.format_registry import find_format
from winnow.lists.formats.packed.streams import Codec, unpack
from winnow.lists.formats.xlsx.head import read_xlsx_head
from winnow.lists.inspection.signature import (
    COMPOUND,
    GZIP,
    OPEN_DOCUMENT,
    SIGNATURE_BYTES,
    WORKBOOK,
    ZIP,
    ZSTANDARD,
    name_binary,
    name_text,
)
from winnow.lists.list_format import WrappedFormat
from winnow.lists.merging.row_mapper import quote_text
from winnow.lists.requests import RowsRequest
from winnow.lists.side_files.side_table import SideTable
from winnow.lists.unpacked_size import UnpackedSize
from winnow.words import mark

MOST_PARTS = 1000  # a zip of Mailchimp has three
MOST_BYTES = 4 << 30  # a text of one file, or of all parts of a zip
_COPY_BYTES = 1 << 20
_ENCRYPTED = 0x1  # APPNOTE.TXT, 4.4.4
_OURS_TO_IGNORE = re.compile(r"(^|/)(__MACOSX/|\.[^./]|Thumbs\.db$|desktop\.ini$)")
_SUBSCRIBED = re.compile(r"(?:non[-_ ]?)?subscribed\b|(?:non[-_ ]?)?subscribed_", re.IGNORECASE)
_TAKEN_OF_MAILCHIMP = re.compile(r"(?:unsubscribed|cleaned)[_ .-]", re.IGNORECASE)
_SAVE = mark("Save it as CSV and add that file.")
_UNPACK = mark("Unpack it yourself and add the files in it.")


@dataclass(frozen=True, slots=True)
class SidePart:
    """A file, or one in an archive; ``found`` is what it is where it is no text."""

    path: Path
    name: str
    label: str
    found: str | None

    def tell_json(self) -> bool:
        """Whether it is JSON."""
        return self.found is None and name_text(_read_start(self.path)) == "JSON"


class SideFile:
    """A file as tables, one after another; ``notes`` grow while they are gone through."""

    def __init__(self, path: Path, name: str, scratch: Path) -> None:
        """Remember what to open.

        Args:
            path: The file; it is only read.
            name: As it came; it distinguishes CSV from TSV; it never names a file to open.
            scratch: An existing folder for temporary files.
        """
        self._path = path
        self._name = name
        self._scratch = scratch
        self._passing = 0
        self.notes: list[FileNote] = []

    def read_tables(self) -> Iterator[SideTable]:
        """Yield the tables; each can be read until the next is asked for.

        Raises:
            UnsupportedFormat, BrokenFile, EmptyFile: It cannot be read, and why.
        """
        for part in self.read_parts():
            yield from self.open_tables(part)

    def read_parts(self) -> "Iterator[SidePart]":
        """Yield the file, or what is in it where it is an archive; errors as ``read_tables``."""
        yield from self._unwrap(self._path, self._name, "")

    def open_tables(self, part: "SidePart") -> Iterator[SideTable]:
        """Yield the tables of one part; errors as ``read_tables``."""
        start = _read_start(part.path)
        if part.found is None:
            found_text = name_text(start)
            if found_text is not None:
                raise _refuse(part.label, found_text)
            yield SideTable.open(part.path, part.name, part.label, self._scratch)
        elif part.found in (WORKBOOK, OPEN_DOCUMENT) or start.startswith(COMPOUND):
            yield from self._open_book(part.path, part.label, start)
        elif start.startswith(b"PAR1"):
            yield from self._open_parquet(part.path, part.label)
        else:
            raise _refuse(part.label, part.found)

    def _unwrap(self, path: Path, name: str, label: str, depth: int = 0) -> "Iterator[SidePart]":
        """Yield the contents of archives."""
        start = _read_start(path)
        if not start:
            if label:
                self.notes.append(FileNote(NoteKind.EMPTY_PART, label))
                return
            raise EmptyFile("The file is empty.")
        found = name_binary(start)
        codec = _CODECS.get(found or "")
        if codec is not None:
            if depth:
                raise _refuse_nested(label or name)
            passing = self._name_passing()
            with create_file(passing) as out:
                budget = UnpackedSize(path.stat().st_size, most_bytes=MOST_BYTES)
                for chunk in unpack(path, codec):
                    budget.add(len(chunk))
                    out.write(chunk)
            inner = re.sub(r"\.(gz|zst|gzip|zstd)$", "", name, flags=re.IGNORECASE)
            yield from self._unwrap(passing, inner, label, depth + 1)
            passing.unlink()
        elif found in (ZIP, WORKBOOK) and not _is_book(path, found):
            if depth:
                raise _refuse_nested(label or name)
            yield from self._unwrap_zip(path)
        else:
            yield SidePart(path, name, label, found)

    def _unwrap_zip(self, path: Path) -> "Iterator[SidePart]":
        try:
            archive = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            if name_disk_error(error) is not None:
                raise
            raise BrokenFile("The zip is damaged and cannot be opened.", hint=_UNPACK) from error
        with archive:
            parts = [one for one in archive.infolist() if not one.is_dir()]
            parts = [one for one in parts if not _OURS_TO_IGNORE.search(one.filename)]
            if len(parts) > MOST_PARTS:
                raise BrokenFile(
                    "The zip holds more than {most} files.", most=MOST_PARTS, hint=_UNPACK
                )
            if not parts:
                raise EmptyFile("The zip holds no file.")
            budget = UnpackedSize(path.stat().st_size, most_bytes=MOST_BYTES)
            for part in self._choose(parts):
                label = _label(part.filename)
                if part.flag_bits & _ENCRYPTED:
                    raise BrokenFile(
                        "The zip is protected by a password.",
                        hint="Unpack it with the password and add the files in it.",
                    )
                passing = self._name_passing()
                _extract(archive, part, passing, budget)
                yield from self._unwrap(passing, label, label, 1)
                passing.unlink(missing_ok=True)

    def _choose(self, parts: Sequence[zipfile.ZipInfo]) -> Iterator[zipfile.ZipInfo]:
        """Yield the parts to read: of an export of Mailchimp not those who are subscribed."""
        is_mailchimp = any(_TAKEN_OF_MAILCHIMP.match(_label(part.filename)) for part in parts)
        for part in parts:
            if is_mailchimp and _SUBSCRIBED.match(_label(part.filename)):
                self.notes.append(FileNote(NoteKind.SUBSCRIBED, _label(part.filename)))
            else:
                yield part

    def _open_book(self, path: Path, label: str, start: bytes) -> Iterator[SideTable]:
        """Yield the visible sheets that hold anything."""
        code = FileFormat.XLSX
        if name_binary(start) != WORKBOOK:
            code = FileFormat.XLS if start.startswith(COMPOUND) else FileFormat.ODS
        list_format = find_format(code)
        list_format.name_content(start)  # refuses a protected one
        if isinstance(list_format, WrappedFormat):
            path, source = self._name_passing(), path
            list_format.unwrap(source, path)
        is_empty = True
        for sheet in read_xlsx_head(path):
            if not (sheet.visible and sheet.first_rows):
                continue
            is_empty = False
            plan = InputPlan(FileFormat.XLSX, 0, (), has_header=False, sheet=sheet.name)
            yield from self._open_rows(
                path, plan, f"{label}: {sheet.name}" if label else sheet.name
            )
        if is_empty:
            raise EmptyFile("The workbook holds no row.")

    def _open_parquet(self, path: Path, label: str) -> Iterator[SideTable]:
        names = find_format(FileFormat.PARQUET).read_head(path, Choices(), None, None).columns
        yield from self._open_rows(path, InputPlan(FileFormat.PARQUET, 0, names), label)

    def _open_rows(self, path: Path, plan: InputPlan, label: str) -> Iterator[SideTable]:
        """Write a list's rows as CSV, under the names of its columns, and open that."""
        passing = self._name_passing()
        request = RowsRequest(path, plan, self._scratch)
        with create_file(passing) as out:
            if plan.has_header:
                out.write(b",".join(quote_text(name, ",") for name in plan.columns) + b"\n")
            rows = find_format(plan.file_format).read_rows(request, lambda block: block.data)
            out.writelines(lines.tobytes() for lines in rows)
        yield SideTable.open(passing, "part.csv", label, self._scratch)
        passing.unlink(missing_ok=True)

    def _name_passing(self) -> Path:
        self._passing += 1
        return self._scratch / f"part-{self._passing}"


_CODECS: dict[str, Codec] = {GZIP: "gzip", ZSTANDARD: "zstd"}


def _extract(
    archive: zipfile.ZipFile, part: zipfile.ZipInfo, out_path: Path, budget: UnpackedSize
) -> None:
    try:
        with archive.open(part) as source, create_file(out_path) as out:
            while chunk := source.read(_COPY_BYTES):
                budget.add(len(chunk))
                out.write(chunk)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise BrokenFile(
            "The zip is damaged, or packed in a way that is not read.", hint=_UNPACK
        ) from error


def _is_book(path: Path, found: str) -> bool:
    """Whether a zip is a workbook, whatever its name (ISO/IEC 29500-2, 10; OpenDocument 3, 3.3)."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = {name.lower() for name in archive.namelist()}
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return found == WORKBOOK  # the reader says what is wrong
    return "[content_types].xml" in names or {"mimetype", "content.xml"} <= names


def _label(name: str) -> str:
    """Return the last part of a zip's name for a file, which is only shown."""
    return PurePosixPath(name.replace("\\", "/")).name[:100]


def _read_start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(SIGNATURE_BYTES)


def _refuse(label: str, found: str) -> UnsupportedFormat:
    where = mark('"{name}" in the zip', name=label) if label else mark("This file")
    return UnsupportedFormat(
        "{where} is {found}, in which no list is read.", where=where, found=found, hint=_SAVE
    )


def _refuse_nested(label: str) -> UnsupportedFormat:
    return UnsupportedFormat('"{name}" is an archive within an archive.', name=label, hint=_UNPACK)
