"""Refusal of texts whose columns cannot be told apart: all their rows would be black."""

import re
from collections.abc import Sequence

from winnow.core.errors import BrokenFile
from winnow.lists.inspection.columns import find_columns, names_email
from winnow.lists.inspection.first_row import GUESS_ROWS, find_address_column
from winnow.lists.text.splitter import Record

_ADDRESS = re.compile(r"[\w.%+-]+@[\w-]+(?:\.[\w-]+)*\.\w{2,}")
_ALONE = re.compile(rf".*<.*|\W*(?:mailto:)?{_ADDRESS.pattern}\W*", re.IGNORECASE | re.DOTALL)
_NAME = re.compile(r"[\w-]+")
_MOST = 0.8


def refuse_odd_header(records: Sequence[Record], *, is_delimiter_chosen: bool) -> None:
    """Refuse a header whose names are not those of the columns below it.

    Rows are one cell each below several names, one of them of mail; or the header lacks the first
    column's name, as R writes it.

    Args:
        records: The header and what follows it.
        is_delimiter_chosen: Whether rows of one cell are meant.

    Raises:
        BrokenFile: With the header's line.
    """
    header, rows = records[0], records[1:GUESS_ROWS]
    if len(header.cells) == 1 and not is_delimiter_chosen and _is_unparted(header.cells[0], rows):
        raise BrokenFile(
            "Line {line:d}: the columns are not separated by a comma, a semicolon, a tab or a "
            "vertical bar.",
            line=header.line,
            hint="Export the list with one of these and upload it again.",
        )
    if _lacks_first_name(header.cells, [row.cells for row in rows]):
        raise BrokenFile(
            "Line {line:d}: the header has one name less than there are columns.",
            line=header.line,
            hint="Put a name or a delimiter before the others (in R: write.csv), and upload the "
            "list again.",
        )


def _is_unparted(header: str, rows: Sequence[Record]) -> bool:
    """Return whether a header is several names, one of them of mail, above whole rows in a cell."""
    names = _NAME.findall(header)
    if len(names) < 2 or not any(map(names_email, names)):
        return False
    addressed = [row.cells[0] for row in rows if _ADDRESS.search(row.cells[0])]
    whole = [cell for cell in addressed if not _ALONE.fullmatch(cell)]
    return 2 * len(whole) > len(addressed)


def _lacks_first_name(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Return whether a header begins with the name of the second column.

    All rows have one cell more, and the column of addresses is one to the right of its name.
    """
    longer = [row for row in rows if len(row) == len(header) + 1]
    if not longer or len(longer) < _MOST * len(rows):
        return False
    if not any(row[-1].strip() for row in longer):  # each row just ends in a delimiter
        return False
    column = find_address_column(longer)
    named = {*find_columns(header), *(p for p, name in enumerate(header) if names_email(name))}
    return column is not None and column not in named and column - 1 in named
