"""Vocabulary of headings and cells, read from ``headings.tsv`` and ``words.tsv``."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from winnow.core.unicode_forms import normalise_form

HEADINGS, WORDS = "headings.tsv", "words.tsv"
_LONGEST = 200  # characters of a heading or cell that are looked at
_ANY_WORDS = "…"
_SIGNS = str.maketrans(dict.fromkeys("✓✔☑✅🗸", " yes ") | dict.fromkeys("✗✘❌☐☒", " no "))
_JOINED = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z][a-z])|(?<=[a-z0-9])(?=[A-Z])")
_IN_ASCII = {
    code: None if chr(code) == "'" else " " for code in range(128) if not chr(code).isalnum()
}
_SPLIT = re.compile(r"\b(e)[ ](mail|post)|\b(news)[ ](letter)")


class VocabularyEntry(NamedTuple):
    """An entry of a vocabulary: ``means`` is a kind of column, or the outcome of a cell."""

    means: str
    strength: str
    source: str = ""


def fold_words(text: str) -> str:
    """Return a text as small words parted by one blank, without accents and punctuation.

    Words that are joined by capitals are parted: ``"HasOptedOutOfEmail"``.
    """
    parted = text[:_LONGEST]
    if not (parted.isascii() and parted.islower()):
        parted = _JOINED.sub(" ", parted.translate(_SIGNS)).casefold()
    if parted.isascii():
        letters = parted.translate(_IN_ASCII)
    else:
        letters = "".join(
            one if one.isalnum() else " "
            for one in normalise_form("NFKD", parted)
            if not unicodedata.combining(one) and one not in "'\u2019"
        )
    words = letters.split()
    return words[0] if len(words) == 1 else _SPLIT.sub(r"\1\2\3\4", " ".join(words))


class OpenText(NamedTuple):
    """A text with ``*`` (letters) and ``…`` (words), sought in folded texts.

    It is compiled when its ``run``, its longest run of letters, is met first: all of them take a
    tenth of the time of a small list.
    """

    run: str
    text: str
    entry: VocabularyEntry


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Whole texts by their letters, and texts that leave other words open."""

    whole: dict[str, VocabularyEntry]
    open_texts: tuple[OpenText, ...]

    def find(self, words: str) -> VocabularyEntry | None:
        """Return the entry of a folded text: of it as a whole, else of the first open text."""
        entry = self.whole.get(words.replace(" ", ""))
        if entry is not None or not words:
            return entry
        return next(self.find_open(words), None)

    def find_open(self, words: str) -> Iterator[VocabularyEntry]:
        """Yield the entry of each open text that is in a folded text."""
        letters = words.replace(" ", "")
        for run, text, entry in self.open_texts:
            if run in letters and _compile(text).search(words):
                yield entry


def read_lines(name: str) -> Iterator[tuple[VocabularyEntry, tuple[str, ...]]]:
    """Yield the lines of a data file of this package, each with its headings or words."""
    text = (files("winnow.core.meaning") / name).read_text(encoding="utf-8")
    for line in text.splitlines():
        if not line.startswith("#"):
            means, strength, source, texts = line.split("\t")
            yield VocabularyEntry(means, strength, source), tuple(texts.split(" | "))


def list_strong_words() -> Iterator[str]:
    """Yield the letters that strong words of cells begin with."""
    for (means, strength, _), texts in read_lines(WORDS):
        if strength == "strong" and ":" not in means:
            yield from (fold_words(re.split(r"[*…]", text)[0]).replace(" ", "") for text in texts)


def find_headings(names: Sequence[str], group: str, means: str) -> tuple[str, ...]:
    """Return which names are strong headings of a kind, blanks cut."""
    vocabulary = open_vocabulary(HEADINGS, group)
    found = ((name.strip(), vocabulary.find(fold_words(name))) for name in names)
    return tuple(name for name, entry in found if entry and entry[:2] == (means, "strong"))


@cache
def open_vocabulary(name: str, group: str = "") -> Vocabulary:
    """Return a data file's vocabulary; of two lines with one text the first counts.

    ``group`` is what kinds have before a colon: ``"contact"`` for contact fields.
    """
    whole: dict[str, VocabularyEntry] = {}
    open_texts = []
    for (means, *others), texts in read_lines(name):
        before, _, kind = means.rpartition(":")
        if before != group:
            continue
        entry = VocabularyEntry(kind, *others)
        for text in texts:
            if _ANY_WORDS in text or "*" in text:
                runs = (fold_words(part).replace(" ", "") for part in re.split("[*…]", text))
                open_texts.append(OpenText(max(runs, key=len), text, entry))
            else:
                whole.setdefault(fold_words(text).replace(" ", ""), entry)
    return Vocabulary(whole, tuple(open_texts))


@cache
def _compile(text: str) -> re.Pattern[str]:
    """Return the expression for a text with ``*`` (letters) and ``…`` (words) in folded texts."""
    pieces = (" ".join(map(_fold_stem, piece.split())) for piece in text.split(_ANY_WORDS))
    first, *others = (piece.replace(" ", " ?") for piece in pieces)
    middle = [piece for piece in others if piece]
    body = "(?: .*)? ".join([first, *middle] if first else middle)
    start = "^" if first else r"(?<![^ ])"
    return re.compile(f"{start}(?:{body}){'' if others and not others[-1] else '$'}(?![^ ])")


def _fold_stem(word: str) -> str:
    return "[^ ]*".join(re.escape(fold_words(part)) for part in word.split("*"))
