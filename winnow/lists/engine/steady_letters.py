"""Letters beyond ASCII that array operations read with the same result as the check of one address.

They are of the scripts that people use. Normalising (NFC) does not change them, whatever is next to
them, and lower-casing makes one letter of one. All others are left to ``parse_address``: combining
marks, joiners, the capital sigma, half and full widths; in domains whatever is written from right
to left as well.
"""

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import idna
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
_LETTERS_AT_ONCE = 128  # IDNA takes 253 at most


@dataclass(frozen=True, slots=True)
class SteadyLetters:
    """The letters, as a class of a regular expression has them; ``upper`` have a lower case."""

    upper: str
    other: str


@cache
def list_local_letters() -> SteadyLetters:
    """Return those that a local part may have."""
    return _sort_out(str.lower, lambda letters: True)


@cache
def list_domain_letters() -> SteadyLetters:
    """Return those that a label of a domain may have at any position in it (RFC 5892)."""
    return _sort_out(_map_for_idna, _are_valid_anywhere)


def _sort_out(lower: Callable[[str], str], allows: Callable[[str], bool]) -> SteadyLetters:
    """Sort letters out by what ``lower`` and Polars make of them; no lower case may be longer."""
    upper, other = "", ""
    for letters in _iterate_letters():
        lowered: list[str] = pl.Series(list(letters)).str.to_lowercase().to_list()
        is_caseless = "".join(lowered) == lower(letters) == letters
        if is_caseless and _are_steady(letters) and allows(letters):
            other += f"{letters[0]}-{letters[-1]}"
            continue
        for letter, small in zip(letters, lowered, strict=True):
            if lower(letter) != small or not _are_steady(letter + small) or not allows(small):
                continue
            if letter == small:
                other += letter
            elif len(small.encode()) <= len(letter.encode()):
                upper += letter
    return SteadyLetters(upper, other)


def _iterate_letters() -> Iterator[str]:
    for first, last in _SCRIPTS:
        for start in range(first, last + 1, _LETTERS_AT_ONCE):
            yield "".join(map(chr, range(start, min(start + _LETTERS_AT_ONCE, last + 1))))


def _are_steady(letters: str) -> bool:
    return (
        is_dot_atom(letters)
        and unicodedata.is_normalized("NFC", letters)
        and not any(map(unicodedata.combining, letters))
        and _CAPITAL_SIGMA not in letters
    )


def _map_for_idna(letters: str) -> str:
    """Return the letters' form in a domain (UTS 46); nothing where one may not be there."""
    try:
        return idna.uts46_remap(letters)
    except idna.IDNAError:
        return ""


def _are_valid_anywhere(letters: str) -> bool:
    try:
        idna.check_label(letters)
    except idna.IDNAError:
        return False
    return all(unicodedata.bidirectional(letter) == "L" for letter in letters)
