"""Name patterns of provider lists: ``ms*.hinet.net``, and ``yahoo.*``, which names no suffix."""

import re
from collections.abc import Iterable, Mapping, Sequence


def is_pattern(text: str) -> bool:
    """Return whether an entry is a pattern and not a plain name."""
    return "*" in text or "?" in text


class NamePatterns:
    """Patterns of several lists, matched against whole names; each list has one bit.

    ``*`` is any run of letters within a label, ``?`` one letter. Patterns that begin with a plain
    label are found by it, so that a name without a pattern costs little.
    """

    def __init__(self, patterns_by_bit: Mapping[int, Iterable[str]]) -> None:
        by_label: dict[str, dict[int, list[str]]] = {}
        others: dict[int, list[str]] = {}
        for bit, patterns in patterns_by_bit.items():
            for pattern in patterns:
                label = pattern.partition(".")[0]
                group = others if is_pattern(label) else by_label.setdefault(label, {})
                group.setdefault(bit, []).append(pattern)
        self._by_label = {label: _compile(group) for label, group in by_label.items()}
        self._others = _compile(others)

    def match(self, domain: str) -> int:
        """Return the bits of the lists with a pattern that matches the whole name."""
        mask = 0
        for bit, expression in self._by_label.get(domain.partition(".")[0], ()):
            if expression.fullmatch(domain):
                mask |= bit
        for bit, expression in self._others:
            if expression.fullmatch(domain):
                mask |= bit
        return mask


def _compile(groups: Mapping[int, Iterable[str]]) -> tuple[tuple[int, re.Pattern[str]], ...]:
    return tuple(
        (bit, re.compile("|".join(map(translate_pattern, sorted(patterns)))))
        for bit, patterns in sorted(groups.items())
    )


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
    """Return the pattern as a regular expression of a whole name."""
    parts = {"*": "[^.]*", "?": "[^.]"}
    return "".join(parts.get(letter) or re.escape(letter) for letter in pattern)
