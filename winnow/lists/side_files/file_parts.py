"""Parts of a do-not-mail, bounce or own-list file: itself, or what is packed in it."""

import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from winnow.core.disk_errors import name_disk_error
from winnow.core.errors import BrokenFile, EmptyFile
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.side_files import FileNote, NoteKind
from winnow.lists.execution.run_files import create_file
from winnow.lists.formats.packed.streams import Codec, unpack
from winnow.lists.inspection.signature import GZIP, SIGNATURE_BYTES, ZSTANDARD, name_binary
from winnow.lists.unpacked_size import UnpackedSize
from winnow.words import mark

MOST_PARTS = 1000  # a zip of Mailchimp has three
MOST_BYTES = 4 << 30  # of a packed file, or of all parts of a zip
_COPY_BYTES = 1 << 20
_UNPACKED = "part"
_CODECS: dict[str, Codec] = {GZIP: "gzip", ZSTANDARD: "zstd"}
_PACKED_NAME = re.compile(r"\.(gz|zst|gzip|zstd)$", re.IGNORECASE)
_OURS_TO_IGNORE = re.compile(r"(^|/)(__MACOSX/|\.[^./]|Thumbs\.db$|desktop\.ini$)")
_SUBSCRIBED = re.compile(r"(?:non[-_ ]?)?subscribed\b|(?:non[-_ ]?)?subscribed_", re.IGNORECASE)
_TAKEN_OF_MAILCHIMP = re.compile(r"(?:unsubscribed|cleaned)[_ .-]", re.IGNORECASE)
_UNPACK = mark("Unpack it yourself and add the files in it.")
_ZIP_SIGNS = (b"PK\x03\x04", b"PK\x05\x06")  # APPNOTE.TXT 4.3.7, 4.3.16
_ZIP_FAULTS = (
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError),
    *(NotImplementedError, RuntimeError),  # another compression, a password
)


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
    """Yield what is in a zip; of an export of Mailchimp not those who are subscribed."""
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
                    "The zip holds more than {most} files.", most=MOST_PARTS, hint=_UNPACK
                )
            if not infos:
                raise EmptyFile("The zip holds no file.")
            is_mailchimp = any(map(_TAKEN_OF_MAILCHIMP.match, labels))
            for info, label in zip(infos, labels, strict=True):
                if is_mailchimp and _SUBSCRIBED.match(label):
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
