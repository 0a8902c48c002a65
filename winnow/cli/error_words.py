"""Errors worded for the command line: flags in place of form fields and page controls."""

import re
from collections.abc import Mapping

from winnow.core.errors import WinnowError
from winnow.lists.text.escapes import CHOOSE_ESCAPE

_FIELD = re.compile(r"\b(?:second_email_column|email_column|keep_by)\b|^(?:encoding|escape)(?=:)")
_HINTS: Mapping[str, str] = {
    CHOOSE_ESCAPE: "Name one with --escape backslash or --escape doubled, or save the list again."
}


def word_error(error: WinnowError) -> tuple[str, str | None]:
    """Return what is wrong, and how to fix it if that is known."""
    hint = error.hint and _HINTS.get(error.hint, error.hint)
    return _name_flags(error.detail), hint and _name_flags(hint)


def _name_flags(text: str) -> str:
    return _FIELD.sub(lambda field: f"--{field[0].replace('_', '-')}", text)
