"""Choices about a list and its run, kept in the page's URL so that a reload keeps them.

Codes, positions and codec names only: no cell and no column's name is in a URL.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from components.kit.page_params import page_params, read_position
from winnow.core.lists.input_head import Choices
from winnow.core.tasks.keep_rule import KEEP_USUAL, Keep, KeepChoice

_READING = ("encoding", "delimiter", "header", "row", "sheet", "column", "second", "escape")
_KEEP, _DATE, _REPAIR = "keep", "date", "repair"
_EVERY_ROW, _SAFE = "all", "safe"


@dataclass(frozen=True, slots=True)
class Removal:
    """Whether to remove duplicates, and which row to keep; None until a date column is chosen."""

    deduplicate: bool
    keep: KeepChoice | None = KEEP_USUAL

    @property
    def is_open(self) -> bool:
        """Whether a choice is still missing."""
        return self.deduplicate and self.keep is None


def read_choices(params: Mapping[str, str], sheets: Sequence[str] = ()) -> Choices:
    """Return the choices in a URL's query; impossible ones are left to the inspection.

    Args:
        params: The query.
        sheets: The visible sheets, once known; the URL only has a position.
    """
    sheet = read_position(params.get("sheet"))
    first_row = read_position(params.get("row"))
    delimiter = params.get("delimiter")
    header = params.get("header")
    return Choices(
        encoding=params.get("encoding") or None,
        delimiter=_DELIMITERS.get(delimiter) if delimiter else None,
        has_header=None if header is None else header == "yes",
        sheet=sheets[sheet] if sheet is not None and sheet < len(sheets) else None,
        email_column=read_position(params.get("column")),
        second_email_column=read_position(params.get("second")),
        escape=_ESCAPES.get(params.get("escape", "")),
        first_row=None if first_row is None else first_row + 1,
    )


_DELIMITERS = {
    "comma": ",",
    "semicolon": ";",
    "tab": "\t",
    "bar": "|",
    "caret": "^",
    "tilde": "~",
    "control-a": "\x01",
}
_ESCAPES = {"backslash": "\\", "doubled": ""}
_ESCAPE_NAMES = {sign: name for name, sign in _ESCAPES.items()}
_DELIMITER_NAMES = {sign: name for name, sign in _DELIMITERS.items()}


def write_choices(choices: Choices, sheets: Sequence[str] = ()) -> None:
    """Write choices into the URL's query."""
    sheet = sheets.index(choices.sheet) if choices.sheet in sheets else None
    second = choices.second_email_column
    values = {
        "encoding": choices.encoding,
        "delimiter": _DELIMITER_NAMES.get(choices.delimiter or ""),
        "header": None if choices.has_header is None else ("no", "yes")[choices.has_header],
        "escape": None if choices.escape is None else _ESCAPE_NAMES[choices.escape],
        "row": None if choices.first_row is None else str(choices.first_row),
        "sheet": None if sheet is None else str(sheet + 1),
        "column": None if choices.email_column is None else str(choices.email_column + 1),
        "second": None if second is None else str(second + 1),
    }
    page_params.put(values)


def clear_choices() -> None:
    """Delete every choice, as for another file."""
    page_params.put(dict.fromkeys((*_READING, _KEEP, _DATE, _REPAIR), ""))


def read_removal(params: Mapping[str, str]) -> Removal:
    """Return the choice about duplicates in a URL; the default for invalid values."""
    word = params.get(_KEEP)
    if word == _EVERY_ROW:
        return Removal(deduplicate=False)
    keep = Keep(word) if word in set(Keep) else Keep.LAST
    if keep is not Keep.NEWEST:
        return Removal(deduplicate=True, keep=KeepChoice(keep))
    place = read_position(params.get(_DATE))
    return Removal(True, None if place is None else KeepChoice(keep, place))


def read_repair(params: Mapping[str, str]) -> bool:
    """Return whether a URL asks for safe repairs."""
    return params.get(_REPAIR) == _SAFE


def write_run_choices(removal: Removal, *, repairs: bool) -> None:
    """Write choices into the URL; defaults are left out."""
    keep = removal.keep
    date = keep.keep_by if keep is not None and isinstance(keep.keep_by, int) else None
    if not removal.deduplicate:
        word = _EVERY_ROW
    elif keep is None:
        word = Keep.NEWEST.value
    else:
        word = "" if keep.keep is Keep.LAST else keep.keep.value
    values = {
        _KEEP: word,
        _DATE: "" if date is None else str(date + 1),
        _REPAIR: _SAFE if repairs else "",
    }
    page_params.put(values)
