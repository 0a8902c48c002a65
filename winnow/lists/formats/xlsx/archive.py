"""Zip archive of a workbook, opened only if the sizes in its directory are within limits.

``zipfile`` reads no more of a part than the directory says, so what is unpacked is bounded by it.
"""

import errno
import io
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote

from winnow.core.errors import BrokenFile, UnsupportedFormat
from winnow.core.file_faults import FileFault
from winnow.lists.inspection.signature import COMPOUND, ENCRYPTED_PACKAGE, word_protected
from winnow.words import translatable

CHUNK_BYTES = 1 << 20
MAX_MEMBERS = 10_000
MAX_TOTAL_BYTES = 6 << 30  # a full sheet of 1,048,576 rows and 60 columns is about 2 GiB of XML
MAX_RATIO = 400  # deflate itself ends at 1,032; repetitive sheets of real life stay under 100
RATIO_FREE_BYTES = 64 << 20  # small parts may be as repetitive as they like
MAX_SMALL_PART_BYTES = 64 << 20  # parts that are read whole
MAX_READ_BYTES = 4 << 20  # at once; a directory of 10,000 parts takes 1 MiB

_ENCRYPTED_FLAG = 0x1  # APPNOTE.TXT, 4.4.4
_HEADER_BYTES = 30  # before a part's name and bytes; APPNOTE.TXT, 4.3.7
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # ISO/IEC 29500-2, annex C

SAVE_AGAIN = translatable("Open it in a spreadsheet program and save it again as .xlsx.")


class XlsxArchive:
    """The members of an opened workbook; names are found without regard to case (OPC, 9.1.1)."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._zip = archive
        self._names: dict[str, str] = {}
        for name in archive.namelist():
            if name.lower() in self._names:
                raise BrokenFile("The workbook holds two parts of one name.", hint=SAVE_AGAIN)
            self._names[name.lower()] = name
        for name in archive.namelist():  # a part's name may be written with percent signs (9.1.1)
            self._names.setdefault(unquote(name).lower(), name)

    @property
    def infos(self) -> list[zipfile.ZipInfo]:
        """The members in file order."""
        return self._zip.infolist()

    def find(self, name: str) -> str | None:
        """Return a member's name as it is in the zip, or None."""
        return self._names.get(name.lstrip("/").lower())

    def size_bytes(self, name: str) -> int:
        """Return the size that the zip declares; a smaller one is damage."""
        return self._info(name).file_size

    def packed_bytes(self, name: str) -> int:
        """Return the size in the zip; it is true, or too large by less than the file's own."""
        return self._info(name).compress_size

    def read(self, name: str) -> bytes:
        """Read one small part whole.

        Raises:
            BrokenFile: No such part, too large, or damaged.
        """
        if self.size_bytes(name) > MAX_SMALL_PART_BYTES:
            raise BrokenFile(
                "The workbook's part {part} is too large.",
                fault=FileFault.TOO_LARGE,
                part=_show(name),
                hint=SAVE_AGAIN,
            )
        return b"".join(self.stream(name))

    def stream(self, name: str) -> Iterator[bytes]:
        """Yield a part's bytes in chunks of at most 1 MiB.

        Raises:
            BrokenFile: No such part, or damaged.
        """
        info = self._info(name)
        read_bytes = 0
        try:
            with self._zip.open(info) as part:
                while chunk := part.read(CHUNK_BYTES):
                    read_bytes += len(chunk)
                    yield chunk
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError) as error:
            if isinstance(error, OSError) and error.errno not in {None, errno.EINVAL}:
                raise  # the disk's; a place before the file's beginning is the directory's
            raise _word_damaged(name) from error
        if read_bytes != info.file_size:
            raise _word_damaged(name)

    def _info(self, name: str) -> zipfile.ZipInfo:
        member = self.find(name)
        if member is None:
            raise BrokenFile(
                "The workbook lacks its part {part}.", part=_show(name), hint=SAVE_AGAIN
            )
        return self._zip.getinfo(member)


@contextmanager
def open_archive(path: Path) -> Iterator[XlsxArchive]:
    """Open a workbook's zip after looking at its signature and its directory.

    Raises:
        UnsupportedFormat: An old .xls, or a zip that is no workbook.
        BrokenFile: Password-protected, truncated, or built to expand without end.
    """
    _check_signature(path)
    with _ShortReads(path) as file:  # closed also while a part's stream is still held somewhere
        try:
            archive = zipfile.ZipFile(file)
            # Some .NET writers put backslashes into the names of parts, or begin with one. Members
            # are opened by ``orig_filename``, which does not change.
            for info in archive.infolist():
                info.filename = info.filename.replace("\\", "/").removeprefix("./").lstrip("/")
            archive.NameToInfo = {info.filename: info for info in archive.infolist()}
            _check_directory(archive)
            opened = XlsxArchive(archive)
        except (zipfile.BadZipFile, NotImplementedError, ValueError, EOFError) as error:
            raise BrokenFile(
                "The workbook is truncated or damaged: its zip directory cannot be read.",
                fault=FileFault.TRUNCATED,
                hint="Transfer the file again, or save it again as .xlsx.",
            ) from error
        yield opened


class _ShortReads(io.FileIO):
    """A file with reads of bounded size, since ``zipfile`` trusts sizes in the directory."""

    def read(self, size: int | None = -1, /) -> bytes:
        """Read as any file does.

        Raises:
            zipfile.BadZipFile: More than MAX_READ_BYTES were asked for, or are left to read.
        """
        whole = size is None or size < 0
        data = super().read(MAX_READ_BYTES + 1 if whole else min(size or 0, MAX_READ_BYTES + 1))
        if data is not None and len(data) > MAX_READ_BYTES:
            msg = "more at once than any part needs"
            raise zipfile.BadZipFile(msg)
        return data or b""


def _check_signature(path: Path) -> None:
    """Refuse a protected workbook, which is in a compound file, and one of an old version."""
    with path.open("rb") as file:
        if file.read(len(COMPOUND)) != COMPOUND:
            return
        if ENCRYPTED_PACKAGE in file.read(MAX_SMALL_PART_BYTES):
            raise word_protected()
    raise UnsupportedFormat(
        "This is an old Excel workbook (.xls), not .xlsx.",
        fault=FileFault.WRONG_EXTENSION,
        hint="Save it as .xlsx (Excel workbook).",
    )


def _check_directory(archive: zipfile.ZipFile) -> None:
    infos = archive.infolist()
    names = {info.filename.lower() for info in infos}
    if "[content_types].xml" not in names:
        raise UnsupportedFormat("This is a zip archive, but not a workbook.", hint=SAVE_AGAIN)
    if len(infos) > MAX_MEMBERS:
        raise _bomb(translatable("it has more than {most} parts", most=MAX_MEMBERS))
    _check_sizes(archive, infos)
    for info in infos:
        if info.flag_bits & _ENCRYPTED_FLAG:
            raise word_protected()
        if info.compress_type not in _METHODS:
            raise BrokenFile("The workbook is packed in an unknown way.", hint=SAVE_AGAIN)
        if info.file_size > RATIO_FREE_BYTES and info.file_size > MAX_RATIO * info.compress_size:
            raise _bomb(
                translatable(
                    "{part} expands more than {most} times",
                    part=_show(info.filename),
                    most=MAX_RATIO,
                )
            )


def _check_sizes(archive: zipfile.ZipFile, infos: Sequence[zipfile.ZipInfo]) -> None:
    """Refuse parts that lie in one another, or expand too much together.

    Each packed size is then true or too large by less than the file itself.
    """
    total_bytes = sum(info.file_size for info in infos)
    packed_bytes = sum(info.compress_size for info in infos)
    if total_bytes > MAX_TOTAL_BYTES:
        raise _bomb(translatable("its parts expand beyond {most} GiB", most=MAX_TOTAL_BYTES >> 30))
    if total_bytes > RATIO_FREE_BYTES and total_bytes > MAX_RATIO * packed_bytes:
        raise _bomb(translatable("its parts expand more than {most} times", most=MAX_RATIO))
    end = archive.start_dir
    for info in sorted(infos, key=lambda info: info.header_offset, reverse=True):
        if info.header_offset + _HEADER_BYTES + info.compress_size > end:
            raise _bomb(translatable("{part} lies within another part", part=_show(info.filename)))
        end = info.header_offset


def _bomb(what: str) -> BrokenFile:
    return BrokenFile(
        "The workbook is not opened, because it may be a zip bomb: {problem}.",
        fault=FileFault.UNPACKS_TOO_LARGE,
        problem=translatable(what),
        hint="Export the sheet as CSV and use that.",
    )


def _word_damaged(name: str) -> BrokenFile:
    return BrokenFile(
        "The workbook is damaged: {part} cannot be unpacked.", part=_show(name), hint=SAVE_AGAIN
    )


def word_too_large() -> BrokenFile:
    """Return the error of first rows that take more room than there is to look into them."""
    return BrokenFile(
        "The first rows of the workbook's sheets are too large to look into.",
        fault=FileFault.TOO_LARGE,
        hint="Save the sheet with the list as a workbook of its own.",
    )


def _show(name: str) -> str:
    return name.rpartition("/")[2][:60]
