"""The analyst's choices about a list, kept in the page's address so that a refresh loses none.

Positions and codec names only: neither a cell nor a column's name enters an address.
"""

from collections.abc import Mapping, MutableMapping, Sequence

from components.address_params import put_params, read_position
from winnow.core.lists.input_head import Choices

_KEYS = (
    "encoding",
    "delimiter",
    "header",
    "row",
    "sheet",
    "column",
    "second",
    "both",
    "escape",
)


def read_choices(params: Mapping[str, str], sheets: Sequence[str] = ()) -> Choices:
    """Return the choices in an address; what cannot be is left to the inspection.

    Args:
        params: The query.
        sheets: The visible sheets, once known; the address only has a sheet's position.
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
        judges_both=params.get("both") == "yes",
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


def write_choices(
    choices: Choices, params: MutableMapping[str, str], sheets: Sequence[str] = ()
) -> None:
    """Put choices into an address."""
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
        "both": "yes" if choices.judges_both and second is not None else None,
    }
    put_params(values, params)


def clear_choices(params: MutableMapping[str, str]) -> None:
    """Forget every choice, as for another file."""
    put_params(dict.fromkeys(_KEYS, ""), params)
