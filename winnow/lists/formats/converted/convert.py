"""The values of a workbook that python-calamine reads, as an XLSX."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from python_calamine import (
    CalamineError,
    CalamineWorkbook,
    PasswordError,
    SheetTypeEnum,
    SheetVisibleEnum,
)

from winnow.core.errors import BrokenFile
from winnow.lists.formats.converted.value_book import (
    MAX_COLUMNS,
    MAX_ROWS,
    OversizedCell,
    Sheet,
    write_value_book,
)


def convert_to_xlsx(path: Path, out_path: Path) -> None:
    """Write the values of all sheets, each cell in its place.

    Raises:
        BrokenFile: Protected, damaged, or with more than an XLSX holds; what was written is
            rubbish.
    """
    with _telling_damage(), path.open("rb") as file, CalamineWorkbook.from_filelike(file) as book:
        write_value_book(_read_sheets(book), out_path)


def _read_sheets(book: CalamineWorkbook) -> Iterator[Sheet]:
    for about in book.sheets_metadata:
        if about.typ is not SheetTypeEnum.WorkSheet:
            continue
        sheet = book.get_sheet_by_name(about.name)
        last_row, last_column = sheet.end or (0, 0)
        if last_row >= MAX_ROWS or last_column >= MAX_COLUMNS:
            raise _refuse("A sheet has more rows or columns than a sheet of Excel holds.")
        first_column = sheet.start[1] if sheet.start else 0
        is_visible = about.visible is SheetVisibleEnum.Visible
        yield Sheet(about.name, is_visible, first_column, last_row, sheet.iter_rows())


def _refuse(detail: str) -> BrokenFile:
    return BrokenFile(detail, hint="Save the sheet with the list as CSV and upload that file.")


@contextmanager
def _telling_damage() -> Iterator[None]:
    try:
        yield
    except PasswordError as error:
        raise BrokenFile(
            "The workbook is protected by a password.",
            hint="Open it, remove the password, save it and upload it again.",
        ) from error
    except OversizedCell as error:
        raise _refuse(str(error)) from error
    except CalamineError as error:
        raise _refuse("The workbook is damaged and cannot be read.") from error
    except BaseException as error:
        if type(error).__name__ == "PanicException":  # of calamine's own code, no Exception
            raise _refuse("The workbook is damaged and cannot be read.") from error
        raise
