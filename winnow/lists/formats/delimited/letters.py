"""Detection of single-byte encodings: which language's alphabet explains the bytes."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise

# Names of several countries in one list: Polish, Czech, Slovak, Hungarian, Croatian and German.
_CENTRAL_EUROPE = "ąćęłńóśźżáčďéěíňřšťúůýžôĺľŕőűđäöüß"

# The letters beyond ASCII of languages, each with the encodings their lists come in; Western
# Europe is first and wins whatever is in doubt; Hebrew is before Cyrillic, whose small
# letters have the same bytes. Unicode CLDR, main exemplar characters.
_ALPHABETS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("äöüßéèêëàâáçñíìîïóòôúùûœæøåãõ", ("cp1252", "cp850", "mac-roman")),
    ("ąćęłńóśźż", ("cp1250", "iso8859-2", "cp852")),
    ("áčďéěíňóřšťúůýžôĺľŕäöüß", ("cp1250", "iso8859-2", "cp852")),
    ("áéíóöőúüű", ("cp1250", "iso8859-2", "cp852")),
    ("ăâîşţșț", ("cp1250", "iso8859-2", "iso8859-16")),
    ("čćđšž", ("cp1250", "iso8859-2", "cp852")),
    ("çğıöşüâi", ("cp1254", "iso8859-9", "cp857")),  # noqa: RUF001 (i: the dotted capital)
    ("אבגדהוזחטיךכלםמןנסעףפץצקרשת", ("cp1255", "iso8859-8", "cp862")),
    (
        "абвгдежзийклмнопрстуфхцчшщъыьэюяё",
        ("cp1251", "koi8-r", "cp866", "iso8859-5", "mac-cyrillic"),
    ),
    ("абвгґдеєжзиіїйклмнопрстуфхцчшщьюя", ("cp1251", "koi8-u", "iso8859-5", "mac-cyrillic")),
    ("αβγδεζηθικλμνξοπρστυφχψωςάέήίόύώϊϋΐΰ", ("cp1253", "iso8859-7", "cp737")),
    ("āčēģīķļņšūžąęėįųõäöü", ("cp1257", "iso8859-13", "cp775")),
    (_CENTRAL_EUROPE, ("cp1250", "iso8859-2", "cp852")),
)
_LATIN = frozenset(alphabet for alphabet, _ in (*_ALPHABETS[:7], *_ALPHABETS[-2:]))
_WORD = re.compile(rb"[A-Za-z\x80-\xff]*[\x80-\xff][A-Za-z\x80-\xff]*")
_ASCII_LETTER = re.compile(rb"[A-Za-z]")
_PLAIN_SHARE = 0.9  # of the high letters: where Western Europe's explain so many, it is believed
_CLEAR_SHARE = 0.95  # what another alphabet must explain to be believed instead
_ALL_SHARE = 0.995
_MANY_LETTERS = 10
_HUNGARIAN = frozenset("őű")  # Windows-1252 has two letters of Portuguese in their places
_CLEAR_LETTERS = 4  # and at least so many letters, or chance decides
_TEXT_BYTES = 1 << 15  # of words with letters beyond ASCII; more do not help
GREEK_AND_ON = "\u0370"  # where Unicode's Latin blocks have ended


def guess_by_letters(
    samples: Iterable[bytes], excluded: Collection[str] = ()
) -> tuple[str | None, bool]:
    """Guess which single-byte encoding a text is in by its letters.

    Args:
        samples: Parts of the file with bytes beyond ASCII among them.
        excluded: Encodings that cannot be, because the file holds bytes they leave undefined.

    Returns:
        A codec's name, or None where no alphabet explains the letters; and whether it is one of
        Latin letters.
    """
    words = [word for sample in samples for word in _WORD.findall(sample) if len(word) > 1]
    text = _Text.of(words)
    best: str | None = None
    best_share, is_latin, western = 0.0, False, 0.0
    # No Western language has most of its words without a letter of ASCII.
    is_other = sum(len(word) * (1 if _ASCII_LETTER.search(word) else -1) for word in words) < 0
    for alphabet, encodings in _ALPHABETS if text.letters else ():
        if is_other and alphabet in _LATIN:
            continue
        for encoding in encodings:
            if encoding in excluded:
                continue
            share = text.rate(encoding, alphabet)
            if encoding == "cp1252" and share >= _PLAIN_SHARE:
                western = share
                continue
            if western and not _explains_more(text, encoding, share, western):
                continue
            if alphabet == _CENTRAL_EUROPE and not text.holds_letters_of(encoding, alphabet):
                continue
            if share > best_share and share >= _CLEAR_SHARE and text.letters >= _CLEAR_LETTERS:
                best, best_share, is_latin = encoding, share, alphabet in _LATIN
    return ("cp1252", True) if western and best is None else (best, is_latin)


def _explains_more(text: "_Text", encoding: str, share: float, western: float) -> bool:
    """Return whether an encoding explains all letters, and more than Western Europe's does.

    Or as many, where they are Hungarian.
    """
    if share < _ALL_SHARE or text.letters < _MANY_LETTERS:
        return False
    small = _small_letters(encoding)
    return share > western or any(small[byte] in _HUNGARIAN for byte in text.counts)


def choose_by_letters(sample: bytes, guess: str, excluded: Collection[str] = ()) -> str:
    """Return the encoding that explains the letters best among those of a guess's alphabets."""
    words = [word for word in _WORD.findall(sample) if len(word) > 1]
    text = _Text.of(words)
    best, best_share = guess, 0.0
    for alphabet, encodings in _ALPHABETS if text.letters else ():
        if guess not in encodings:
            continue
        for encoding in (guess, *encodings):
            share = text.rate(encoding, alphabet) if encoding not in excluded else 0.0
            if share > best_share:
                best, best_share = encoding, share
    return best


@dataclass(frozen=True, slots=True)
class _Text:
    """Words as counts: of their bytes beyond ASCII, and of their pairs of bytes."""

    counts: Mapping[int, int]
    pairs: Mapping[tuple[int, int], int]
    letters: int

    @classmethod
    def of(cls, words: Sequence[bytes]) -> "_Text":
        text = b" ".join(islice(words, _TEXT_BYTES))[:_TEXT_BYTES]
        counts = Counter(byte for byte in text if byte >= 0x80)
        return cls(counts, Counter(pairwise(text)), counts.total())

    def rate(self, encoding: str, alphabet: str) -> float:
        """Return the share of the bytes beyond ASCII that are of the alphabet.

        A capital after a small letter, or another script next to a letter of ASCII, is none of a
        language's, so it counts against the encoding.
        """
        small, plain = _small_letters(encoding), _letters(encoding)
        known = sum(n for byte, n in self.counts.items() if small[byte] and small[byte] in alphabet)
        odd = sum(n for (a, b), n in self.pairs.items() if _is_odd_pair(plain[a], plain[b]))
        return max(known - odd, 0) / self.letters

    def holds_letters_of(self, encoding: str, alphabet: str) -> bool:
        """Return whether a byte is a letter of the alphabet and in Windows-1252 no letter."""
        small, western = _small_letters(encoding), _letters("cp1252")
        return any(
            small[byte] and small[byte] in alphabet and not western[byte].isalpha()
            for byte in self.counts
        )


def _is_odd_pair(first: str, second: str) -> bool:
    if first.islower() and second.isupper() and second > "\x7f":
        return True
    low, high = sorted((first, second))
    return low.isascii() and low.isalpha() and high >= GREEK_AND_ON


@lru_cache(maxsize=64)
def _small_letters(encoding: str) -> tuple[str, ...]:
    """Return each byte's small letter in an encoding; ``""`` where it is undefined."""
    return tuple(bytes([byte]).decode(encoding, "ignore").lower()[:1] for byte in range(256))


@lru_cache(maxsize=64)
def _letters(encoding: str) -> tuple[str, ...]:
    """Return each byte's letter in an encoding."""
    return tuple(bytes([byte]).decode(encoding, "replace") for byte in range(256))
