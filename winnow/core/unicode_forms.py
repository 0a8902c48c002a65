"""Unicode normal forms of short texts."""

import unicodedata
from typing import Literal

TEXT_MAX_CHARACTERS = 998  # RFC 5322, 2.1.1: no line of a message is longer


def normalise_form(form: Literal["NFC", "NFKC", "NFKD"], text: str) -> str:
    """Return a text in a normal form; one beyond ``TEXT_MAX_CHARACTERS`` is returned unchanged.

    The time that Unicode's ordering of combining marks takes grows with the square of their number.
    """
    if len(text) > TEXT_MAX_CHARACTERS or text.isascii():
        return text
    return unicodedata.normalize(form, text)
