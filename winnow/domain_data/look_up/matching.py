"""Matching of a domain in the compiled data: its suffix, and the lists with it or a parent."""

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import NamedTuple

from winnow.domain_data.compiled_file import NameTable
from winnow.domain_data.suffixes import SuffixRules


def is_pattern(text: str) -> bool:
    """Return whether an entry is a pattern and not a plain name."""
    return "*" in text or "?" in text


def name_served(patterns: Iterable[str], served: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """Return the names that patterns of an open suffix (``yahoo.*``, ``gmx.??``) match.

    A provider serves mailboxes under some suffixes only. Other names that begin with its label
    belong to others, or are typing errors.

    Args:
        patterns: Those that ``has_open_suffix`` picks out.
        served: Public suffixes by the provider's label.

    Raises:
        ValueError: A pattern whose label has no suffixes in ``served``.
    """
    names: set[str] = set()
    for pattern in patterns:
        label = pattern.partition(".")[0]
        if label not in served:
            msg = f"{pattern} says nothing about where {label} serves mailboxes"
            raise ValueError(msg)
        expression = re.compile(translate_pattern(pattern))
        candidates = (f"{label}.{suffix}" for suffix in served[label])
        names.update(name for name in candidates if expression.fullmatch(name))
    return frozenset(names)


def has_open_suffix(pattern: str) -> bool:
    """Return whether a pattern leaves its suffix open, as ``yahoo.*`` does."""
    return is_pattern(pattern.rpartition(".")[2])


def translate_pattern(pattern: str) -> str:
    """Return the pattern as a regular expression of a whole name.

    ``*`` is any run of letters within a label, ``?`` one letter.
    """
    parts = {"*": "[^.]*", "?": "[^.]"}
    return "".join(parts.get(letter) or re.escape(letter) for letter in pattern)


RESTRICTED = "restricted"  # the registry checks who registers below the suffix


class Match(NamedTuple):
    """Match of one domain in the data.

    ``registrable`` is None for a public suffix. ``found`` holds the names of the table that match,
    the domain first and then its parents down to the registrable one, each with its lists' bits;
    ``mask`` joins them. The suffixes are those of the education and government rules.
    """

    domain: str
    registrable: str | None
    suffix: str
    found: Sequence[tuple[str, int]]
    mask: int
    education_suffix: str | None
    government_suffix: str | None
    is_restricted: bool

    def named_by(self, bit: int) -> str | None:
        """Return the most specific name that a list has, or None."""
        return next((name for name, mask in self.found if mask & bit), None)


class NameMatcher:
    """The compiled names with the rules of how they match.

    ``patterns`` are those of the list with each bit (``translate_pattern``), for whole names.
    ``exact_bits`` are lists whose names do not match names below them. ``hosts`` lend names: what
    ``listed_bits`` say of one says nothing about the names below it.
    """

    def __init__(
        self,
        names: NameTable,
        suffixes: SuffixRules,
        *,
        patterns: Mapping[int, Iterable[str]],
        exact_bits: int,
        hosts: frozenset[str],
        listed_bits: int,
        education: Mapping[str, str],
        government: Mapping[str, str],
    ) -> None:
        self._names = names
        self._suffixes = suffixes
        self._patterns = {
            bit: re.compile("|".join(map(translate_pattern, texts)))
            for bit, texts in patterns.items()
        }
        self._inherited_bits = ~exact_bits
        self._hosts = hosts
        self._host_bits = ~(exact_bits | listed_bits)
        self._education = education
        self._government = government

    def match(self, domain: str) -> Match:
        """Match one lower-case A-label name, never at or above a public suffix."""
        registrable, suffix = self._suffixes.split(domain)
        found: list[tuple[str, int]] = []
        mask = 0
        candidate = domain
        while registrable is not None:
            bits = self._names.get(candidate)
            if candidate != domain:
                bits &= self._host_bits if candidate in self._hosts else self._inherited_bits
            if bits:
                found.append((candidate, bits))
                mask |= bits
            if candidate == registrable:
                break
            candidate = candidate.partition(".")[2]
        matching = sum(bit for bit, one in self._patterns.items() if one.fullmatch(domain))
        if matching and registrable is not None:
            mask |= matching
            found.insert(0, (domain, matching))
        education = find_suffix(domain, self._education)
        government = find_suffix(domain, self._government)
        manners = self._education.get(education or ""), self._government.get(government or "")
        is_restricted = RESTRICTED in manners
        return Match(domain, registrable, suffix, found, mask, education, government, is_restricted)


def find_suffix(domain: str, suffixes: Container[str]) -> str | None:
    """Return the longest of some suffixes that a name is or ends in."""
    while domain and domain not in suffixes:
        domain = domain.partition(".")[2]
    return domain or None
