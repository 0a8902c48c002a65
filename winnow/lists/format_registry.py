"""Registry of list formats, one line each."""

from collections.abc import Mapping

from winnow.core.errors import UnsupportedFormat
from winnow.core.lists.file_format import FORMATS, FileFormat
from winnow.lists.formats.converted.recognise import ConvertedFormat
from winnow.lists.formats.delimited.recognise import DelimitedFormat
from winnow.lists.formats.packed.recognise import PackedFormat
from winnow.lists.formats.parquet.recognise import ParquetFormat
from winnow.lists.formats.xlsx.recognise import XlsxFormat
from winnow.lists.list_format import ListFormat
from winnow.lists.requests import RewriteRequest

_CSV = DelimitedFormat(FileFormat.CSV)
_XLSX = XlsxFormat(FileFormat.XLSX, _CSV)
_FORMATS: Mapping[FileFormat, ListFormat] = {
    FileFormat.CSV: _CSV,
    FileFormat.TSV: DelimitedFormat(FileFormat.TSV),
    FileFormat.TXT: DelimitedFormat(FileFormat.TXT),
    FileFormat.XLSX: _XLSX,
    FileFormat.ODS: ConvertedFormat(FileFormat.ODS, _XLSX),
    FileFormat.XLS: ConvertedFormat(FileFormat.XLS, _XLSX),
    **{
        code: PackedFormat(code, DelimitedFormat(inside))
        for code in FORMATS
        if (inside := code.traits.unpacked) is not None
    },
    FileFormat.PARQUET: ParquetFormat(FileFormat.PARQUET, _CSV),
}


def find_format(code: FileFormat) -> ListFormat:
    """Return the format of a code.

    Raises:
        UnsupportedFormat: The code is a newer version's.
    """
    if code not in _FORMATS:
        raise UnsupportedFormat(
            "This list is in a format that this version does not know.",
            hint="Open it with the version that cleaned it, or a newer one.",
        )
    return _FORMATS[code]


def write_export(request: RewriteRequest) -> None:
    """Write a file of another format than text; errors are ``ListFormat``'s."""
    own, export = request.plan.file_format, request.export
    file_format = export.name_format(own)
    if file_format is own.result:
        find_format(own).rewrite(request)
    else:
        find_format(file_format).export(request.rows.stream_cells(export), request.out_path)
