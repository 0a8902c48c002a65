"""Name patterns of provider lists: ``yahoo.*``, ``ms*.hinet.net``, ``gmx.??``."""

import re
from collections.abc import Iterable, Mapping


def is_pattern(text: str) -> bool:
    """Tell whether an entry is a pattern and not a plain name."""
    return "*" in text or "?" in text


class NamePatterns:
    """Patterns of several lists, matched against whole names; each list has one bit.

    ``*`` is any run of letters within a label, ``?`` one letter. Patterns that begin with a plain
    label are found by it, so that a name without any costs little.
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


def translate_pattern(pattern: str) -> str:
    """Return the pattern as a regular expression of a whole name."""
    parts = {"*": "[^.]*", "?": "[^.]"}
    return "".join(parts.get(letter) or re.escape(letter) for letter in pattern)
