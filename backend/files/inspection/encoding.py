"""The encoding of a list: by its mark, by its pattern, else by its letters."""

import codecs
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from backend.core.errors import BadField, UnsupportedFormat
from backend.core.heads import ENCODINGS

_ALIASES = {codecs.lookup(name).name: name for name in ENCODINGS}
_MARKS = (  # Unicode Standard, 23.8; UTF-32's begin as UTF-16's do, so they stand first
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# The letters beyond ASCII of languages, each with the encodings their lists come in; Western
# Europe stands first and wins whatever is in doubt. Unicode CLDR, main exemplar characters.
_ALPHABETS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("äöüßéèêëàâáçñíìîïóòôúùûœæøåãõ", ("cp1252", "cp850", "mac-roman")),
    ("ąćęłńóśźż", ("cp1250", "iso8859-2", "cp852")),
    ("áčďéěíňóřšťúůýžôĺľŕäöü", ("cp1250", "iso8859-2", "cp852")),
    ("áéíóöőúüű", ("cp1250", "iso8859-2", "cp852")),
    ("ăâîşţ", ("cp1250", "iso8859-2")),
    ("čćđšž", ("cp1250", "iso8859-2", "cp852")),
    ("çğıöşüâi", ("cp1254",)),  # noqa: RUF001 (the i stands for the dotted capital)
    ("абвгдежзийклмнопрстуфхцчшщъыьэюяё", ("cp1251", "koi8-r")),
    ("αβγδεζηθικλμνξοπρστυφχψωςάέήίόύώ", ("cp1253",)),
    ("āčēģīķļņšūžąęėįųõäöü", ("cp1257",)),
)
_WORD = re.compile(rb"[A-Za-z\x80-\xff]*[\x80-\xff][A-Za-z\x80-\xff]*")
_PLAIN_SHARE = 0.9  # of the high letters: where Western Europe's explain so many, it is believed
_CLEAR_SHARE = 0.95  # what another alphabet must explain to be believed instead
_CLEAR_LETTERS = 4  # and at least so many letters, or chance decides
_WORDS_MAX = 20_000
_PATTERN_BYTES = 4096
_GREEK_AND_ON = "\u0370"  # where Unicode's Latin blocks have ended


@dataclass(frozen=True, slots=True)
class Mark:
    """What a file's first bytes say: an encoding or None, and how many bytes its BOM takes."""

    encoding: str | None
    bom_bytes: int = 0


def read_mark(start: bytes) -> Mark:
    """Return the encoding that a BOM names, or UTF-16 by its pattern of zero bytes.

    Raises:
        UnsupportedFormat: UTF-32.
    """
    for bom, encoding in _MARKS:
        if start.startswith(bom):
            if encoding == "utf-32":
                raise UnsupportedFormat(
                    "The file is in UTF-32, which is not read.",
                    hint="Save it as UTF-8 (in Excel: CSV UTF-8) and upload that file.",
                )
            return Mark(encoding, len(bom))
    sample = start[: min(_PATTERN_BYTES, len(start) // 2 * 2)]
    half = len(sample) // 2
    if half >= 2:
        even, odd = sample[::2].count(0), sample[1::2].count(0)
        if odd > 0.4 * half and even < 0.02 * half:
            return Mark("utf-16-le")
        if even > 0.4 * half and odd < 0.02 * half:
            return Mark("utf-16-be")
    return Mark(None)


def name_encoding(chosen: str) -> str:
    """Return our name of an encoding the analyst chose.

    Raises:
        BadField: Not one of ``ENCODINGS``.
    """
    try:
        return _ALIASES[codecs.lookup(chosen).name]
    except (LookupError, KeyError, ValueError):
        raise BadField(
            "encoding", "this encoding is not read", hint=f"Use one of: {', '.join(ENCODINGS)}."
        ) from None


def guess_encoding(samples: Iterable[bytes], excluded: Collection[str] = ()) -> tuple[str, bool]:
    """Guess which single-byte encoding a text is in that is not UTF-8.

    Args:
        samples: Parts of the file with bytes beyond ASCII among them.
        excluded: Encodings that cannot be, because the file holds bytes they leave undefined.

    Returns:
        One of ``ENCODINGS``, and whether its letters fit well; else it is the likeliest.
    """
    words = [word for sample in samples for word in _WORD.findall(sample) if len(word) > 1]
    text = b" ".join(words[:_WORDS_MAX])
    best, best_share = "latin-1" if "cp1252" in excluded else "cp1252", 0.0
    for alphabet, encodings in _ALPHABETS if text else ():
        for encoding in encodings:
            if encoding in excluded:
                continue
            letters, share = _rate(text, encoding, alphabet)
            if encoding == "cp1252" and share >= _PLAIN_SHARE:
                return encoding, True
            if share > best_share and share >= _CLEAR_SHARE and letters >= _CLEAR_LETTERS:
                best, best_share = encoding, share
    return best, best_share > 0


@lru_cache(maxsize=32)
def find_undefined(encoding: str) -> bytes:
    """Return the bytes that a single-byte encoding leaves undefined."""
    return bytes(byte for byte in range(256) if not bytes([byte]).decode(encoding, "ignore"))


def _rate(text: bytes, encoding: str, alphabet: str) -> tuple[int, float]:
    """Return how many bytes are beyond ASCII, and the share of them that are of the alphabet.

    A capital after a small letter, or another script beside a letter of ASCII, is none of a
    language's, so it counts against the encoding.
    """
    small = _small_letters(encoding)
    high = [byte for byte in text if byte >= 0x80]
    known = sum(small[byte] in alphabet for byte in high if small[byte])
    decoded = text.decode(encoding, "replace")
    odd = sum(_is_odd_pair(a, b) for a, b in pairwise(decoded))
    return len(high), max(known - odd, 0) / len(high)


def _is_odd_pair(first: str, second: str) -> bool:
    if first.islower() and second.isupper() and second > "\x7f":
        return True
    low, high = sorted((first, second))
    return low.isascii() and low.isalpha() and high >= _GREEK_AND_ON


@lru_cache(maxsize=32)
def _small_letters(encoding: str) -> tuple[str, ...]:
    """Return each byte's small letter in an encoding; ``""`` where it is undefined."""
    return tuple(bytes([byte]).decode(encoding, "ignore").lower()[:1] for byte in range(256))
