"""A list that comes as JSON, written as CSV in UTF-8."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from winnow.api.json_body import mend_text, require_items
from winnow.core.errors import BadField, BodyTooLarge
from winnow.core.lists.input_head import Choices

FILE_NAME = "api-list.csv"
ITEMS_MAX = 100_000
COLUMNS_MAX = 1_000
BODY_MAX_BYTES = 32 << 20
ROWS_AT_ONCE = 5_000
WRITTEN_SO = Choices(encoding="utf-8", delimiter=",", has_header=True, first_row=1, escape="")
"""How ``write_csv`` writes: a list is read so, whatever its cells look like."""

Values = Mapping[str, Any]


def read_fields(body: Values) -> dict[str, str]:
    """Return the fields of a body besides its list, as a form would have them."""
    fields = {name: value for name, value in body.items() if name not in {"emails", "rows"}}
    return {name: _read_cell(name, value) for name, value in fields.items() if value is not None}


def read_rows(body: Values) -> tuple[Sequence[str], Sequence[Values]]:
    """Return the columns in the order in which they first appear, and the rows.

    Raises:
        BadField: Not exactly one of ``emails`` and ``rows``, or a row that is no object.
        BodyTooLarge: Too many rows, or columns.
    """
    given = [name for name in ("emails", "rows") if body.get(name) is not None]
    if len(given) != 1:
        raise BadField("emails", "or rows is needed, and not both")
    items = require_items(given[0], body[given[0]], ITEMS_MAX)
    if given == ["emails"]:
        return ("email",), [{"email": item} for item in items]
    columns: dict[str, None] = {}
    for place, row in enumerate(items):
        if not isinstance(row, dict):
            raise BadField(f"rows[{place}]", "must be an object")
        columns.update(dict.fromkeys(row))
        if len(columns) > COLUMNS_MAX:
            problem = f"has more than {COLUMNS_MAX:,} columns"
            raise BodyTooLarge("rows", problem, used=len(columns), limit=COLUMNS_MAX)
    return tuple(columns), items


def write_csv(field: str, columns: Sequence[str], rows: Sequence[Values]) -> Iterator[bytes]:
    """Yield a CSV file; ``field`` is named where a value is not a text, number, true, false, null.

    Raises:
        BadField: There is such a value.
    """
    yield _write([[_read_cell(field, column) for column in columns]])
    for start in range(0, len(rows), ROWS_AT_ONCE):
        some = enumerate(rows[start : start + ROWS_AT_ONCE], start)
        yield _write(
            [
                [_read_cell(f"{field}[{place}]", row.get(column)) for column in columns]
                for place, row in some
            ]
        )


def _write(rows: Sequence[Sequence[str]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\r\n").writerows(rows)
    return text.getvalue().encode()


def _read_cell(field: str, value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case str() if "\0" in value:
            raise BadField(field, "has a NUL, which no list can hold")
        case str():
            return mend_text(value)
        case _:
            raise BadField(field, "must not be nested")
