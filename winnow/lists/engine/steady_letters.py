"""Letters beyond ASCII that a local part may have as they stand, in the scripts that people use.

Normalising (NFC) leaves them alone whatever stands beside them, and lower-casing makes one letter
of one, so that array operations and ``parse_value`` cannot differ on them. All others are left to
the latter: combining marks, joiners, the capital sigma, half and full widths.
"""

import unicodedata
from dataclasses import dataclass
from functools import cache

import polars as pl

from winnow.core.addresses.address import is_dot_atom

_SCRIPTS = (  # first and last code points; none composes with a letter before it
    (0x00C0, 0x024F),  # Latin
    (0x0370, 0x052F),  # Greek, Cyrillic
    (0x0531, 0x0587),  # Armenian
    (0x05D0, 0x05EA),  # Hebrew
    (0x0620, 0x064A),  # Arabic
    (0x066E, 0x06D3),
    (0x0904, 0x0939),  # Devanagari
    (0x0E01, 0x0E30),  # Thai
    (0x10D0, 0x10FA),  # Georgian
    (0x1E00, 0x1EFF),  # Latin, as in Vietnamese
    (0x3041, 0x3096),  # Hiragana
    (0x30A1, 0x30FA),  # Katakana
    (0x30FC, 0x30FC),
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),
    (0xAC00, 0xD7A3),  # Hangul
)
_CAPITAL_SIGMA = "\u03a3"  # what its lower case is depends on its place


@dataclass(frozen=True, slots=True)
class SteadyLetters:
    """The letters, as a class of a regular expression has them; ``upper`` have a lower case."""

    upper: str
    other: str


@cache
def list_steady_letters() -> SteadyLetters:
    """Sort them out by the Unicode data of Python and of Polars: those on which both agree."""
    upper, other = "", ""
    for first, last in _SCRIPTS:
        script = "".join(map(chr, range(first, last + 1)))
        if script == script.lower() == "".join(_lower_each(script)) and _are_steady(script):
            other += f"{script[0]}-{script[-1]}"
            continue
        steady = "".join(filter(_are_steady, script))
        for letter, lower in zip(steady, _lower_each(steady), strict=True):
            if lower != letter.lower():
                continue
            if lower == letter:
                other += letter
            elif len(lower.encode()) <= len(letter.encode()) and _are_steady(lower):
                upper += letter
    return SteadyLetters(upper, other)


def _lower_each(letters: str) -> list[str]:
    lowered: list[str] = pl.Series(list(letters), dtype=pl.String).str.to_lowercase().to_list()
    return lowered


def _are_steady(letters: str) -> bool:
    return (
        is_dot_atom(letters)
        and unicodedata.is_normalized("NFC", letters)
        and not any(map(unicodedata.combining, letters))
        and _CAPITAL_SIGMA not in letters
    )
