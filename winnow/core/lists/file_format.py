"""List formats, and what is known of each without opening a file."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from winnow.words import say, translatable


class FileFormat(StrEnum):
    """The list formats, by their extension, which is also the code that is stored.

    A stored code that this version does not know reads as ``UNKNOWN``, which no upload has: what
    a newer version cleaned is still listed.
    """

    CSV = "csv"
    TSV = "tsv"
    XLSX = "xlsx"
    ODS = "ods"
    XLS = "xls"
    TXT = "txt"  # a plain list, one address a line
    CSV_GZ = "csv.gz"
    CSV_ZST = "csv.zst"
    TSV_GZ = "tsv.gz"
    TSV_ZST = "tsv.zst"
    TXT_GZ = "txt.gz"
    TXT_ZST = "txt.zst"
    PARQUET = "parquet"
    UNKNOWN = "unknown"

    @classmethod
    def _missing_(cls, value: object) -> "FileFormat":
        return cls.UNKNOWN

    @property
    def traits(self) -> "FormatTraits":
        """What is known of it."""
        return TRAITS[self]

    @property
    def result(self) -> "FileFormat":
        """The format that a list of this one comes back in."""
        return self.traits.comes_back_as or self


@dataclass(frozen=True, slots=True)
class FormatTraits:
    """Names, media type and limits of a format.

    ``name`` is for lists of formats (``"Excel"``), ``file_name`` in a sentence about one file
    (``"an XLSX file"``), ``kind`` is what one list is, with its ``{delimiter}`` in words;
    ``packing`` is by what a packed one is packed.
    ``new_name`` is for a file that a list of another format is written to, None where none is.
    ``is_text``: rows are delimited text, written while they are sent, in which a spreadsheet
    program may take cells for formulas; any other file is made whole before it is sent.
    ``has_sheets``: the rows are one sheet's of several. ``names_columns``: no row is a header, the
    file itself names its columns. ``delimiter`` is that of its rows as text.
    ``most_rows`` is how many a sheet holds below its header, None where there is no such limit.
    ``is_packed``: compressing it again gains nothing. ``in_contract``: the API takes it.
    ``comes_back_as`` is the format of the result, None where that is the list's own. ``unpacked``
    is the format of what is inside where a file is one of that, compressed: its rows are packed
    again while they are sent.
    """

    name: str
    file_name: str
    media_type: str
    kind: str
    packing: str = ""
    new_name: str | None = None
    is_text: bool = False
    has_sheets: bool = False
    names_columns: bool = False
    delimiter: str = ","
    most_rows: int | None = None
    is_packed: bool = False
    in_contract: bool = False
    comes_back_as: FileFormat | None = None
    unpacked: FileFormat | None = None


_TRAITS: Mapping[FileFormat, FormatTraits] = {
    FileFormat.CSV: FormatTraits(
        translatable("CSV"),
        translatable("a CSV file"),
        "text/csv",  # RFC 4180
        translatable("CSV with {delimiter}"),
        new_name=translatable("CSV with commas (UTF-8)"),
        is_text=True,
        in_contract=True,
    ),
    FileFormat.TSV: FormatTraits(
        translatable("TSV"),
        translatable("a TSV file"),
        "text/tab-separated-values",  # as IANA has it
        translatable("TSV"),
        new_name=translatable("TSV (UTF-8)"),
        is_text=True,
        delimiter="\t",
        in_contract=True,
    ),
    FileFormat.XLSX: FormatTraits(
        translatable("Excel"),
        translatable("an XLSX file"),
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        translatable("Excel workbook"),
        new_name=translatable("Excel workbook, all cells as text"),
        has_sheets=True,
        most_rows=1_048_575,  # ISO/IEC 29500-1, 18.3.1.73: 1,048,576 with the header
        is_packed=True,
        in_contract=True,
    ),
    FileFormat.ODS: FormatTraits(
        translatable("OpenDocument"),
        translatable("an ODS file"),
        "application/vnd.oasis.opendocument.spreadsheet",
        translatable("OpenDocument sheet that comes back as Excel"),
        has_sheets=True,
        is_packed=True,
        comes_back_as=FileFormat.XLSX,
    ),
    FileFormat.XLS: FormatTraits(
        translatable("Old Excel"),
        translatable("an XLS file"),
        "application/vnd.ms-excel",
        translatable("Old Excel workbook that comes back as .xlsx"),
        has_sheets=True,
        comes_back_as=FileFormat.XLSX,
    ),
    FileFormat.TXT: FormatTraits(
        translatable("Plain text"),
        translatable("a plain text file"),
        "text/plain",
        translatable("Plain text with {delimiter}"),
        is_text=True,
        delimiter="\t",
    ),
    FileFormat.PARQUET: FormatTraits(
        translatable("Parquet"),
        translatable("a Parquet file"),
        "application/vnd.apache.parquet",  # as IANA has it
        translatable("Parquet"),
        names_columns=True,
        is_packed=True,
    ),
    FileFormat.UNKNOWN: FormatTraits(
        translatable("Unknown"),
        translatable("a file of a newer version"),
        "application/octet-stream",
        translatable("Unknown format"),
        is_packed=True,
    ),
}


def _pack(code: FileFormat) -> FormatTraits:
    extension, _, packing = code.partition(".")
    inside = FileFormat(extension)
    by, media_type = _PACKINGS[packing]
    traits = _TRAITS[inside]
    return replace(
        traits,
        file_name=translatable(
            "{file_format} packed with {by}", file_format=traits.file_name, by=by
        ),
        media_type=media_type,
        packing=by,
        new_name=None,
        is_packed=True,
        in_contract=False,
        unpacked=inside,
    )


_PACKINGS = {
    "gz": ("gzip", "application/gzip"),  # RFC 6713
    "zst": ("Zstandard", "application/zstd"),  # RFC 8878
}

TRAITS: Mapping[FileFormat, FormatTraits] = {
    code: _pack(code) if "." in code else _TRAITS[code] for code in FileFormat
}

FORMATS = tuple(one for one in FileFormat if one is not FileFormat.UNKNOWN)
"""Formats of uploads."""

FORMAT_WORDS = translatable("CSV, TSV, Excel, OpenDocument, Parquet or plain text")
"""Formats of uploads, for people."""


def name_format(code: FileFormat) -> str:
    """Return a format's name for people: ``"CSV packed with gzip"``."""
    traits = code.traits
    if not traits.packing:
        return say(traits.name)
    return say("{format} packed with {packing}", format=say(traits.name), packing=traits.packing)


def name_kind(code: FileFormat, delimiter: str) -> str:
    """Return what one list of a format is: ``"CSV with semicolons, packed with gzip"``."""
    traits = code.traits
    kind = say(traits.kind, delimiter=delimiter)
    if not traits.packing:
        return kind
    return say("{format}, packed with {packing}", format=kind, packing=traits.packing)


CONTRACT_FORMATS = tuple(one for one in FORMATS if one.traits.in_contract)
"""Formats that the API takes (contract, section 8)."""

NEW_FORMATS = tuple(one for one in FORMATS if one.traits.new_name is not None)
"""Formats that a list of another format can be converted to."""
