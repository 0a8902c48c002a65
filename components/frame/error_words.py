"""Errors in words: what is wrong, where, how to fix it."""

import re
from collections.abc import Mapping

from components.frame.html import escape_markdown
from winnow.core.errors import BadField, InputError, WinnowError
from winnow.words import format_number, say, translatable

_FIELD_WORDS: Mapping[str, str] = {
    "pattern": translatable("The entry"),
    "note": translatable("The note"),
    "file": translatable("The file"),
    "name": translatable("The name"),
    "project_name": translatable("The project name"),
    "email": translatable("The address"),
}
"""Names of the pages' fields in error messages."""


def write_error(error: WinnowError, *, kept: str = "") -> str:
    """Return an error of the product in words, as Markdown."""
    detail = say(error.detail)
    if isinstance(error, BadField) and error.field in _FIELD_WORDS:
        field = say(_FIELD_WORDS[error.field])
        detail = say("{field} {problem}.", field=field, problem=say(error.problem))
    said = f"**{escape_markdown(detail)}**"
    if (
        isinstance(error, InputError)
        and error.line is not None
        and not names_line(error.detail, error.line)
    ):
        said = say("{problem} (line {line})", problem=said, line=format_number(error.line))
    parts = [said, escape_markdown(say(error.hint) if error.hint else ""), kept]
    return "  \n".join(part for part in parts if part)


def names_line(text: str, line: int) -> bool:
    """Return whether a text names a line or a row of a list."""
    return re.search(rf"\b(line|row) {line:,}(?!,?\d)", text, re.IGNORECASE) is not None
