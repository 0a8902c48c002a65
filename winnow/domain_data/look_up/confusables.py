"""Confusable names: other scripts that look like Latin, as ``xn--80ak6aa92e.com``."""

import unicodedata
from collections.abc import Mapping

from winnow.core.unicode_forms import normalise_form

A_LABEL_PREFIX = "xn--"  # RFC 5890, 2.3.2.5


class Confusables:
    """Map from look-alike letters to the Latin letters that they resemble."""

    def __init__(self, latin_by_letter: Mapping[str, str]) -> None:
        self._table = str.maketrans(dict(latin_by_letter))

    def read_as_latin(self, domain: str) -> tuple[str, bool] | None:
        """Return the Latin name that it resembles, and whether it has other scripts' letters.

        None where the name has no A-label, or does not look like Latin letters throughout.
        The second value is False where only marks on Latin letters differ (``xn--gmal-nza``).
        """
        if A_LABEL_PREFIX not in domain:
            return None
        try:
            shown = ".".join(map(_decode_label, domain.split(".")))
        except UnicodeError:
            return None
        bare = "".join(
            letter
            for letter in normalise_form("NFKD", shown.casefold())
            if not unicodedata.combining(letter)
        )
        latin = bare.translate(self._table)
        if not latin.isascii() or latin == domain:
            return None
        return latin, not bare.isascii()


def _decode_label(label: str) -> str:
    if not label.startswith(A_LABEL_PREFIX):
        return label
    return label.removeprefix(A_LABEL_PREFIX).encode("ascii").decode("punycode")
