"""File type detection, by the name and the first bytes."""

import re
from collections.abc import Collection

from winnow.core.errors import BrokenFile, UnsupportedFormat
from winnow.core.file_faults import FileFault
from winnow.core.lists.file_format import FORMATS, FileFormat
from winnow.words import translatable

SIGNATURE_BYTES = 1 << 16  # of a file's start
_ZIP = b"PK\x03\x04"  # APPNOTE.TXT 4.3.7; Office Open XML and OpenDocument are ZIP archives
COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # MS-CFB 2.2: .xls, and any encrypted workbook
ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")  # MS-OFFCRYPTO 2.3.4.4
WORKBOOK = translatable("an Excel workbook")
OPEN_DOCUMENT = translatable("an OpenDocument file")
ZIP = translatable("a ZIP archive")
GZIP, ZSTANDARD = translatable("a gzip archive"), translatable("a Zstandard archive")

# Each from its format's own specification.
_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"%PDF-", translatable("a PDF document")),
    (b"\x1f\x8b", GZIP),
    (b"BZh", translatable("a bzip2 archive")),
    (b"\xfd7zXZ\x00", translatable("an xz archive")),
    (b"7z\xbc\xaf\x27\x1c", translatable("a 7-Zip archive")),
    (b"Rar!\x1a\x07", translatable("a RAR archive")),
    (b"\x28\xb5\x2f\xfd", ZSTANDARD),
    *((bytes((one, 0x2A, 0x4D, 0x18)), ZSTANDARD) for one in range(0x50, 0x60)),  # skippable
    (b"\x89PNG\r\n\x1a\n", translatable("a PNG picture")),
    (b"\xff\xd8\xff", translatable("a JPEG picture")),
    (b"GIF8", translatable("a GIF picture")),
    (b"SQLite format 3\x00", translatable("an SQLite database")),
    (b"PAR1", translatable("a Parquet file")),
    (b"ARROW1", translatable("an Arrow file")),
    (b"{\\rtf", translatable("a rich text document")),
)
_TEXT_SIGNATURES: tuple[tuple[re.Pattern[bytes], str], ...] = (
    (
        re.compile(rb"<!doctype\s+html|<html[\s>]|<table[\s>]", re.IGNORECASE),
        translatable("an HTML page"),
    ),
    (re.compile(rb"<\?xml\s"), translatable("an XML document")),
    (re.compile(rb'\{\s*(?:"[^"\r\n]*"\s*:|\}\s*\Z)|\[\s*(?:\{\s*"|\[\s*")'), translatable("JSON")),
    (re.compile(rb"BEGIN:VCARD\s*[\r\n]", re.IGNORECASE), translatable("a vCard file")),
)
_UNPACK = translatable(
    "Unpack it, and give the files in it together: they can be cleaned as one list."
)
_HINT = translatable("Save the list as CSV, TSV or XLSX and upload that file.")


def split_file_name(
    file_name: str, formats: Collection[FileFormat] = FORMATS
) -> tuple[str, FileFormat]:
    """Return a file's stem and its format, by the extension alone.

    Folders of either kind, outer blanks and trailing dots (which Windows drops) are set aside;
    only the end of the name counts, whatever its case. The stem may be empty.

    Raises:
        UnsupportedFormat: The extension is that of none of the formats, or there is none.
    """
    name = re.split(r"[\\/]", file_name)[-1].strip().rstrip(". ")
    found = find_extension(name, formats)
    if found is None:
        _, dot, extension = name.rpartition(".")
        shown = re.sub(r"[^A-Za-z0-9]", "", extension)[:12] if dot else ""
        what = (
            translatable("files ending in .{shown}", shown=shown)
            if shown
            else translatable("files without an extension")
        )
        *others, last = (one.upper() for one in formats if one.traits.unpacked is None)
        taken = translatable("{formats} or {last}", formats=", ".join(others), last=last)
        hint = _UNPACK if shown.lower() == "zip" else _HINT
        if any(one.endswith(f".{shown.lower()}") for one in formats):
            hint = translatable(
                "Name it by what is inside as well, such as list.csv.{extension}.",
                extension=shown.lower(),
            )
        raise UnsupportedFormat(
            "The list must be a {taken} file; {problem} are not accepted.",
            fault=FileFault.WRONG_EXTENSION,
            taken=taken,
            problem=what,
            hint=hint,
        )
    return name[: -len(found) - 1].strip(), found


def find_extension(name: str, formats: Collection[FileFormat] = FORMATS) -> FileFormat | None:
    """Return the format that a file's name ends in, whatever its case; the longest counts."""
    lower = name.lower()
    return max((one for one in formats if lower.endswith(f".{one}")), key=len, default=None)


def name_any(start: bytes) -> str:
    """Return what a file is by its first bytes, whatever it is."""
    is_text = start.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" not in start[:4096]
    table = translatable("a text file, such as CSV") if is_text else translatable("something else")
    return name_binary(start) or name_text(start) or table


def name_binary(start: bytes) -> str | None:
    """Return which known file begins with these bytes; None: none, as every plain text."""
    if start.startswith(_ZIP):
        if b"application/vnd.oasis.opendocument" in start:  # "mimetype" is first, in most files
            return OPEN_DOCUMENT
        is_workbook = b"xl/" in start or b"[Content_Types].xml" in start
        return WORKBOOK if is_workbook else ZIP
    if start.startswith(COMPOUND):
        return translatable("an old Excel file (.xls) or another Office document")
    return next((name for begin, name in _SIGNATURES if start.startswith(begin)), None)


def name_text(start: bytes) -> str | None:
    """Return which text that is no table begins with these bytes, None where none does."""
    text = start.removeprefix(b"\xef\xbb\xbf")[:4096].lstrip()
    return next((name for pattern, name in _TEXT_SIGNATURES if pattern.match(text)), None)


def suggest_form(found: str) -> tuple[str, FileFault]:
    """Return what to do about a file that is not what its name says, and what is wrong."""
    fault = FileFault.WRONG_EXTENSION
    if found == WORKBOOK:
        return translatable("Rename the file so that it ends in .xlsx, or save it as CSV."), fault
    if found in (GZIP, ZSTANDARD):
        extension = ".csv.gz" if found == GZIP else ".csv.zst"
        hint = translatable(
            "Unpack it; pages and command line also take it as {extension}.", extension=extension
        )
        return hint, fault
    if found.startswith("a text file"):
        hint = translatable("Rename the file so that it ends in .csv or .tsv, or save it as XLSX.")
        return hint, fault
    return _HINT, FileFault.NOT_A_LIST


def word_protected() -> BrokenFile:
    """Return the error of a workbook that can be read with its password only."""
    return BrokenFile(
        "The workbook is protected by a password.",
        fault=FileFault.PASSWORD,
        hint="Save a copy without a password.",
    )
