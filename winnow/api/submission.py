"""Submission of a list over HTTP: a form, or JSON that is stored as CSV in UTF-8."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from msgspec import to_builtins

from winnow.api.json_body import mend_text, require_items
from winnow.api.multipart import Field, FileBegin
from winnow.api.schemas.batch import SubmitBatchBody
from winnow.core.errors import BadField, BodyTooLarge
from winnow.core.lists.input_head import Choices
from winnow.core.lists.upload import Upload
from winnow.core.tasks.keep_rule import Keep
from winnow.core.tasks.run_request import RunRequest, refuse_judge_both
from winnow.lists.recipe import Recipe, build_recipe, override, parse_recipe

FIELD_NAMES = frozenset((*SubmitBatchBody.__struct_fields__, "mailbox")) - {"file"}
"""``mailbox`` was removed; it is read so that Idempotency-Keys of former submissions match."""
_SETTINGS = FIELD_NAMES & set(Recipe.__struct_fields__)
_TRUE = frozenset({"true", "1", "yes"})
_FALSE = frozenset({"false", "0", "no"})

JSON_FILE_NAME = "api-list.csv"
ITEMS_MAX = 100_000
COLUMNS_MAX = 1_000
JSON_MAX_BYTES = 32 << 20
ROWS_AT_ONCE = 5_000
WRITTEN_SO = Choices(encoding="utf-8", delimiter=",", has_header=True, first_row=1, escape="")
"""How ``write_csv`` writes: a list is read so, whatever its cells look like."""

Values = Mapping[str, Any]


@dataclass(slots=True)
class Submission:
    """Content of a body: known fields, and the one file once it is whole."""

    fields: dict[str, str] = field(default_factory=dict)
    upload: Upload | None = None
    choices: Choices = Choices()

    def take_field(self, event: Field) -> None:
        """Store a known field; unknown ones are ignored.

        Raises:
            BadField: Given twice, not a field but a file, or removed.
        """
        if event.name == "file":
            raise BadField("file", "must be sent as a file, with a file name")
        if event.name == "judge_both":
            refuse_judge_both(event.value.strip().lower() in _TRUE)
        if event.name in FIELD_NAMES:
            if event.name in self.fields:
                raise BadField(event.name, "is given more than once")
            self.fields[event.name] = event.value

    def check_file(self, event: FileBegin) -> None:
        """Raise BadField unless this is the one file, with a name."""
        if event.name != "file":
            raise BadField("file", "a file came in a part of another name")
        if self.upload is not None:
            raise BadField("file", "is given more than once")
        if not event.file_name.strip():
            raise BadField("file", "has no file name", hint="Send the list with its file name.")

    def make_request(self) -> RunRequest:
        """Return what the fields ask for; they outrank those of a recipe.

        Raises:
            BadField: A field, or one of the recipe, is not valid.
        """
        recipe = to_builtins(parse_recipe(self.fields.get("recipe", "")))
        given = {name: one for name, one in self.fields.items() if name in _SETTINGS}
        values = override(recipe, given)
        texts = {name: read_field(name, one) for name, one in values.items() if type(one) is str}
        asked, choices = build_recipe(values | texts).request, self.choices
        if choices.has_header is None:
            choices = replace(choices, has_header=asked.choices.has_header)
        adds_mailbox = read_field("mailbox", self.fields.get("mailbox", "no")) is True
        return replace(asked, choices=choices, keep=replace(asked.keep, adds_mailbox=adds_mailbox))


def read_field(name: str, text: str) -> str | bool | None:
    """Return a form field as a recipe has it; None: as usual.

    Raises:
        BadField: Another word than the field has, in any case.
    """
    word = text.strip().lower()
    match name:
        case "deduplicate" | "join_aliases" | "mailbox":
            if word not in _TRUE | _FALSE:
                raise BadField(name, "must be true or false")
            return word in _TRUE
        case "keep" if word not in {"", *Keep}:
            raise BadField(name, "must be one of {names}", names=", ".join(Keep))
        case "repair" if word not in {"", "safe"}:
            raise BadField(name, "must be safe, or not be sent")
        case "keep" | "repair":
            return word or None
        case "keep_by":
            return text.strip() or None
        case _:
            return text or None


def read_json_fields(body: Values) -> dict[str, str]:
    """Return the fields of a body besides its list, as a form would have them."""
    fields = {name: value for name, value in body.items() if name not in {"emails", "rows"}}
    return {
        name: _read_cell(name if name in FIELD_NAMES else "body", value)  # else an address, maybe
        for name, value in fields.items()
        if value is not None
    }


def read_json_rows(body: Values) -> tuple[Sequence[str], Sequence[Values]]:
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
        case bytes():  # a number, as it was written
            return value.decode()
        case _:
            raise BadField(field, "must not be nested")
