"""Signs and resemblances: what a name gives away without standing on any list."""

import re
from collections.abc import Iterable, Mapping

from winnow.domain_data.look_up.confusables import Confusables
from winnow.domain_data.look_up.matching import NameMatcher
from winnow.domain_data.look_up.misspellings import Misspellings


class RiskySuffixes:
    """Suffixes on which disposable names gather: top-level domains and dynamic-DNS suffixes."""

    def __init__(self, suffixes: Iterable[str]) -> None:
        self._suffixes = frozenset(suffixes)

    def is_risky(self, suffix: str) -> bool:
        """Tell whether a public suffix, or its top-level domain, is one of them."""
        return suffix in self._suffixes or suffix.rpartition(".")[2] in self._suffixes


class DisposableWords:
    """Words that speak of mailboxes for a moment; ``common`` ones honest services use as well."""

    def __init__(self, words: Iterable[str], common: Iterable[str]) -> None:
        self.common = frozenset(common)
        longest_first = sorted(words, key=lambda word: (-len(word), word))
        self._expression = re.compile("|".join(map(re.escape, longest_first)))

    def find(self, label: str) -> str | None:
        """Return the first of the words in a second-level label, a common one last, or None."""
        found = self._expression.findall(label)
        return min(found, key=self.common.__contains__, default=None)


class Resemblance:
    """Which known name another one misspells or imitates.

    ``look_alikes`` are names in ASCII with what they look like. ``mailbox_bits`` are the lists of
    names worth imitating with marks on Latin letters, ``known_bits`` those worth imitating in
    another script. The narrower first set keeps a company that writes its own name with an accent
    apart.
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
