"""Signs that a name alone carries. None of them decides anything alone."""

import re
from collections.abc import Mapping
from operator import add

from backend.knowledge.confusables import A_LABEL_PREFIX

SHAPED_LETTERS_MIN = 5  # shorter names are acronyms as often as not
SHORT_LETTERS = 5  # at this length one rare pair weighs much: a higher limit
CONSONANT_RUN_MIN = 6  # 0.35 % of honest names have one, 2-5 % of disposable ones
DIGIT_SWITCHES_MIN = 3  # letters to digits or back: a1b2
BOUNDARY = "^"
CONSONANTS = rf"[bcdfghjklmnpqrstvwxz]{{{CONSONANT_RUN_MIN},}}"

_LETTERS = re.compile(r"[a-z]+")
_CONSONANT_RUN = re.compile(CONSONANTS)
_SWITCHES = re.compile(r"(?<=[a-z])(?=[0-9])|(?<=[0-9])(?=[a-z])")


class LetterPairs:
    """How expected each letter is after the one before it, in honest names."""

    def __init__(
        self, surprise_by_pair: Mapping[str, float], *, limit: float, short_limit: float
    ) -> None:
        self._surprise = dict(surprise_by_pair)
        self._limit = limit
        self._short_limit = short_limit

    def measure(self, letters: str) -> float:
        """Return the mean surprise of a-z letters, in nats a letter; the two ends count as letters.

        Raises:
            KeyError: Another letter than a-z.
        """
        framed = BOUNDARY + letters + BOUNDARY
        surprises = map(self._surprise.__getitem__, map(add, framed, framed[1:]))
        return sum(surprises) / (len(framed) - 1)

    def is_machine_made(self, label: str) -> bool:
        """Tell whether a second-level label looks drawn by a program and not thought of.

        Digits strewn among letters, a long run of consonants, or letters that do not follow one
        another in names that people choose. Names in other scripts never do.
        """
        if len(label) < SHAPED_LETTERS_MIN or label.startswith(A_LABEL_PREFIX):
            return False
        if _LETTERS.fullmatch(label):
            limit = self._short_limit if len(label) <= SHORT_LETTERS else self._limit
            return bool(_CONSONANT_RUN.search(label)) or self.measure(label) > limit
        return "-" not in label and len(_SWITCHES.findall(label)) >= DIGIT_SWITCHES_MIN
