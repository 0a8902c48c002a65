"""Look-alikes of known names, in ASCII (``paypa1.com``) and in other scripts."""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

from winnow.core.unicode_forms import normalise_form

A_LABEL_PREFIX = "xn--"  # RFC 5890, 2.3.2.5


def read_as_latin(domain: str, table: Mapping[int, str]) -> tuple[str, bool] | None:
    """Return the Latin name that a name resembles, and whether it has other scripts' letters.

    ``table`` maps look-alike letters to the Latin ones (``str.maketrans``). None where the name has
    no A-label, or does not look like Latin letters throughout. The second value is False where only
    marks on Latin letters differ (``xn--gmal-nza``).
    """
    if A_LABEL_PREFIX not in domain:
        return None
    try:
        shown = ".".join(
            label.removeprefix(A_LABEL_PREFIX).encode("ascii").decode("punycode")
            if label.startswith(A_LABEL_PREFIX)
            else label
            for label in domain.split(".")
        )
    except UnicodeError:
        return None
    bare = "".join(
        letter
        for letter in normalise_form("NFKD", shown.casefold())
        if not unicodedata.combining(letter)
    )
    latin = bare.translate(table)
    if not latin.isascii() or latin == domain:
        return None
    return latin, not bare.isascii()


LABEL_LETTERS_MIN = 4  # shorter labels look like too many honest names
_LOOKS = (("m", "rn"), ("w", "vv"), ("o", "0"), ("l", "1"), ("i", "1"), ("s", "5"), ("e", "3"))


def spell_look_alikes(names: Iterable[str], known: Iterable[str]) -> Mapping[str, str]:
    """Return the look-alikes of names, each with the name that it looks like.

    Args:
        names: Domains worth imitating; only the first label is varied.
        known: Domains in use, and labels that are words: not look-alikes.
    """
    taken = frozenset(known)
    found: dict[str, str] = {}
    for name in sorted(names):
        label, _, suffix = name.partition(".")
        if len(label) >= LABEL_LETTERS_MIN:
            for variant in _spell_label(label):
                domain = f"{variant}.{suffix}"
                if taken.isdisjoint((domain, variant)):
                    found.setdefault(domain, name)
    return found


def _spell_label(label: str) -> Iterator[str]:
    """Yield a label with some occurrences of one letter, or all of two letters, as look-alikes."""
    present = [(letter, look) for letter, look in _LOOKS if letter in label]
    for letter, look in present:
        places = [place for place, found in enumerate(label) if found == letter]
        for count in range(1, len(places) + 1):
            for chosen in combinations(places, count):
                yield "".join(look if at in chosen else key for at, key in enumerate(label))
    for (one, one_look), (other, other_look) in combinations(present, 2):
        yield label.replace(one, one_look).replace(other, other_look)
