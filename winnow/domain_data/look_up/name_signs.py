"""Signs and resemblances of a name that is on no list."""

import re
from collections.abc import Iterable, Mapping

from winnow.domain_data.look_up.confusables import Confusables
from winnow.domain_data.look_up.matching import NameMatcher
from winnow.domain_data.look_up.misspellings import Misspellings


class RiskySuffixes:
    """Suffixes with many disposable names: top-level domains and dynamic-DNS suffixes."""

    def __init__(self, suffixes: Iterable[str]) -> None:
        self._suffixes = frozenset(suffixes)

    def find(self, suffix: str) -> str:
        """Return a public suffix, or its top-level domain, if it is one of them, else ""."""
        endings = (suffix, suffix.rpartition(".")[2])
        return next((ending for ending in endings if ending in self._suffixes), "")


class DisposableWords:
    """Words for temporary mailboxes; honest services use ``common`` ones as well."""

    def __init__(self, words: Iterable[str], common: Iterable[str]) -> None:
        self.common = frozenset(common)
        longest_first = sorted(words, key=lambda word: (-len(word), word))
        word = f"(?:{'|'.join(map(re.escape, longest_first))})"
        self._expression = re.compile(rf"(?<![a-z]){word}|{word}(?![a-z])")

    def find(self, label: str) -> str | None:
        """Return a word at an end of a label or of its parts, a common one last, or None.

        Hyphens and digits part a label; within letters a word is another's: ``ismailov``.
        """
        found = self._expression.findall(label)
        return min(found, key=self.common.__contains__, default=None)


class Resemblance:
    """Finder of known names that a name misspells or imitates.

    ``look_alikes`` are names in ASCII with what they look like. ``mailbox_bits`` are the lists of
    names worth imitating with marks on Latin letters, ``known_bits`` those worth imitating in
    another script. The first set is narrower, since companies write their own names with accents.
    """

    def __init__(
        self,
        matcher: NameMatcher,
        misspellings: Misspellings,
        confusables: Confusables,
        look_alikes: Mapping[str, str],
        *,
        mailbox_bits: int,
        known_bits: int,
    ) -> None:
        self._matcher = matcher
        self._confusables = confusables
        self._look_alikes = look_alikes
        self._mailbox_bits = mailbox_bits
        self._known_bits = known_bits
        self.find_misspelt = misspellings.find
        self.find_misspelt_below = misspellings.find_below

    def find_imitated(self, registrable: str) -> str | None:
        """Return the known domain that a name looks like, in its script or in ASCII, or None."""
        if (looks_like := self._look_alikes.get(registrable)) is not None:
            return looks_like
        read = self._confusables.read_as_latin(registrable)
        if read is None:
            return None
        latin, has_other_script = read
        bits = self._known_bits if has_other_script else self._mailbox_bits
        return latin if self._matcher.find_exact(latin) & bits else None
