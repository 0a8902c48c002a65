"""A file of any shape opened as tables: text, workbooks, Parquet, packed files, zips of these."""

import csv
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path, PurePosixPath

from winnow.core.errors import BrokenFile, EmptyFile, InputError, UnsupportedFormat
from winnow.core.figures import show_size
from winnow.core.lists.side_files import FileNote, NoteKind
from winnow.lists.execution.run_files import create_file
from winnow.lists.formats.packed.streams import FREE_BYTES, MOST_RATIO, Codec, unpack
from winnow.lists.inspection.signature import (
    COMPOUND,
    ENCRYPTED_PACKAGE,
    GZIP,
    OPEN_DOCUMENT,
    SIGNATURE_BYTES,
    WORKBOOK,
    ZIP,
    ZSTANDARD,
    name_binary,
    name_text,
)
from winnow.lists.side_files.side_table import SideTable
from winnow.words import mark

MOST_PARTS = 1000  # a zip of Mailchimp has three
MOST_BYTES = 4 << 30  # a text of one file, or of all parts of a zip
MOST_BOOK_BYTES = 1 << 30  # of a workbook's parts, which are read in memory
_COPY_BYTES = 1 << 20
_ENCRYPTED = 0x1  # APPNOTE.TXT, 4.4.4
_OURS_TO_IGNORE = re.compile(r"(^|/)(__MACOSX/|\.[^./]|Thumbs\.db$|desktop\.ini$)")
_SUBSCRIBED = re.compile(r"(?:non[-_ ]?)?subscribed\b|(?:non[-_ ]?)?subscribed_", re.IGNORECASE)
_TAKEN_OF_MAILCHIMP = re.compile(r"(?:unsubscribed|cleaned)[_ .-]", re.IGNORECASE)
_SAVE = mark("Save it as CSV and lay that file beside the list.")
_UNPACK = mark("Unpack it yourself and lay the files in it beside the list.")


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
            name: As it came; it tells CSV from TSV, and nothing is ever opened by it.
            scratch: An existing folder for passing files.
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
            passing = self._name_passing()
            _convert_parquet(part.path, passing)
            yield from self._open_passing(passing, part.label)
        else:
            raise _refuse(part.label, part.found)

    def _unwrap(self, path: Path, name: str, label: str, depth: int = 0) -> "Iterator[SidePart]":
        """Yield what is in archives."""
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
                size_bytes = 0
                for chunk in unpack(path, codec):
                    size_bytes += len(chunk)
                    _check_size(size_bytes)
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
            raise BrokenFile("The zip is damaged and cannot be opened.", hint=_UNPACK) from error
        with archive:
            parts = [one for one in archive.infolist() if not one.is_dir()]
            parts = [one for one in parts if not _OURS_TO_IGNORE.search(one.filename)]
            if len(parts) > MOST_PARTS:
                raise BrokenFile(f"The zip holds more than {MOST_PARTS:,} files.", hint=_UNPACK)
            if not parts:
                raise EmptyFile("The zip holds no file.")
            budget = _Allowance(path.stat().st_size)
            for part in self._choose(parts):
                label = _label(part.filename)
                if part.flag_bits & _ENCRYPTED:
                    raise BrokenFile(
                        "The zip is protected by a password.",
                        hint="Unpack it with the password and lay the files in it beside the list.",
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
        if start.startswith(COMPOUND) and ENCRYPTED_PACKAGE in start:
            raise BrokenFile(
                "The workbook is protected by a password.",
                hint="Open it, remove the password, save it and try again.",
            )
        if not start.startswith(COMPOUND):
            _check_book(path)
        is_empty = True
        for sheet, rows in _read_sheets(path):
            passing = self._name_passing()
            if _write_csv(rows, passing):
                is_empty = False
                yield from self._open_passing(passing, f"{label}: {sheet}" if label else sheet)
            passing.unlink(missing_ok=True)
        if is_empty:
            raise EmptyFile("The workbook holds no row.")

    def _open_passing(self, passing: Path, label: str) -> Iterator[SideTable]:
        yield SideTable.open(passing, "part.csv", label, self._scratch)

    def _name_passing(self) -> Path:
        self._passing += 1
        return self._scratch / f"part-{self._passing}"


_CODECS: dict[str, Codec] = {GZIP: "gzip", ZSTANDARD: "zstd"}


class _Allowance:
    """How many bytes the parts of a zip may still unpack to."""

    def __init__(self, packed_bytes: int) -> None:
        self._left = min(MOST_BYTES, max(FREE_BYTES, MOST_RATIO * packed_bytes))
        self._packed_bytes = packed_bytes

    def take(self, size_bytes: int) -> None:
        self._left -= size_bytes
        if self._left < 0:
            raise BrokenFile(
                f"{show_size(self._packed_bytes)} unpack to far more than any ordinary list does.",
                hint="Unpack it yourself and lay the files in it beside the list, if they are "
                "lists.",
            )


def _extract(
    archive: zipfile.ZipFile, part: zipfile.ZipInfo, out_path: Path, budget: _Allowance
) -> None:
    try:
        with archive.open(part) as source, create_file(out_path) as out:
            while chunk := source.read(_COPY_BYTES):
                budget.take(len(chunk))
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
        return found == WORKBOOK  # whoever opens it says what is wrong
    return "[content_types].xml" in names or {"mimetype", "content.xml"} <= names


def _check_book(path: Path) -> None:
    """Refuse a workbook that would take far more memory than any list, before it is opened."""
    try:
        with zipfile.ZipFile(path) as archive:
            size_bytes = sum(part.file_size for part in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise BrokenFile("The workbook is damaged and cannot be read.", hint=_SAVE) from error
    most = min(MOST_BOOK_BYTES, max(FREE_BYTES, MOST_RATIO * path.stat().st_size))
    if size_bytes > most:
        raise BrokenFile(
            f"The workbook unpacks to {show_size(size_bytes)}, which is too much.", hint=_SAVE
        )


def _read_sheets(path: Path) -> Iterator[tuple[str, Iterable[Sequence[object]]]]:
    """Yield the visible sheets: their names and rows."""
    from python_calamine import (
        CalamineError,
        CalamineWorkbook,
        PasswordError,
        SheetTypeEnum,
        SheetVisibleEnum,
    )

    try:
        with path.open("rb") as file, CalamineWorkbook.from_filelike(file) as book:
            for about in book.sheets_metadata:
                is_sheet = about.typ is SheetTypeEnum.WorkSheet
                if is_sheet and about.visible is SheetVisibleEnum.Visible:
                    yield about.name, book.get_sheet_by_name(about.name).iter_rows()
    except PasswordError as error:
        raise BrokenFile(
            "The workbook is protected by a password.",
            hint="Open it, remove the password, save it and try again.",
        ) from error
    except CalamineError as error:
        raise BrokenFile("The workbook is damaged and cannot be read.", hint=_SAVE) from error
    except BaseException as error:
        if type(error).__name__ == "PanicException":  # of calamine's own code, no Exception
            raise BrokenFile("The workbook is damaged and cannot be read.", hint=_SAVE) from error
        raise


def _write_csv(rows: Iterable[Sequence[object]], out_path: Path) -> bool:
    """Write rows that hold anything; tell whether there was one."""
    has_rows = False
    with TextIOWrapper(create_file(out_path), "utf-8", "replace", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        for row in rows:
            cells = ["" if cell is None else str(cell) for cell in row]
            if any(cells):
                has_rows = True
                writer.writerow(cells)
    return has_rows


def _convert_parquet(path: Path, out_path: Path) -> None:
    """Write the columns of texts, dates and numbers as CSV; others have no address."""
    import polars as pl

    try:
        frame = pl.scan_parquet(path)
        kinds = frame.collect_schema()
        names = [name for name, kind in kinds.items() if not kind.is_nested()]
        if not names:
            raise EmptyFile("The Parquet file holds no column of texts.")
        texts = [pl.col(name).cast(pl.String, strict=False) for name in names]
        frame.select(texts).sink_csv(out_path)
    except InputError:
        raise
    except Exception as error:  # Polars' own, and those of the readers beneath it
        raise BrokenFile("The Parquet file is damaged and cannot be read.", hint=_SAVE) from error


def _check_size(size_bytes: int) -> None:
    if size_bytes > MOST_BYTES:
        raise BrokenFile(f"Unpacked, the file has more than {show_size(MOST_BYTES)}.", hint=_UNPACK)


def _label(name: str) -> str:
    """Return the last part of a zip's name for a file, which is only shown."""
    return PurePosixPath(name.replace("\\", "/")).name[:100]


def _read_start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(SIGNATURE_BYTES)


def _refuse(label: str, found: str) -> UnsupportedFormat:
    where = f'"{label}" in the zip' if label else "This file"
    return UnsupportedFormat(f"{where} is {found}, in which no list is read.", hint=_SAVE)


def _refuse_nested(label: str) -> UnsupportedFormat:
    return UnsupportedFormat(f'"{label}" is an archive within an archive.', hint=_UNPACK)
