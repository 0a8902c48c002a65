"""Signs that a name alone carries. None of them decides anything alone."""

import re
from collections.abc import Mapping
from operator import add

from winnow.domain_data.look_up.confusables import A_LABEL_PREFIX

SHAPED_LETTERS_MIN = 5  # shorter names are acronyms as often as not
SHORT_LETTERS = 5  # at this length one rare pair weighs much: a higher limit
CONSONANT_RUN_MIN = 6  # 0.35 % of honest names have one, 2-5 % of disposable ones
DIGIT_SWITCHES_MIN = 3  # letters to digits or back: a1b2
BOUNDARY = "^"
NUMBER_PARTS_MIN = 3  # letters, and digits behind: 0.5 % of honest names, 1-3 % of disposable ones
CONSONANTS = "bcdfghjklmnpqrstvwxz"

_LETTERS = re.compile(r"[a-z]+")
_CONSONANT_RUN = re.compile(f"[{CONSONANTS}]{{{CONSONANT_RUN_MIN}}}")
_NUMBERED = re.compile(f"[a-z]{{{NUMBER_PARTS_MIN},}}[0-9]{{{NUMBER_PARTS_MIN},}}$")
_YEAR = re.compile(r"(?<![0-9])(?:19|20)[0-9]{2}$")
_SWITCHES = re.compile(r"(?<=[a-z])(?=[0-9])|(?<=[0-9])(?=[a-z])")


class LetterPairs:
    """How much likelier each letter follows the one before it in disposable names."""

    def __init__(
        self, contrast_by_pair: Mapping[str, float], *, limit: float, short_limit: float
    ) -> None:
        self.contrast_by_pair = dict(contrast_by_pair)
        self.limit = limit
        self.short_limit = short_limit

    def measure(self, letters: str) -> float:
        """Return the mean contrast of a-z letters, in nats a letter; the two ends count as letters.

        Above 0: rather as in disposable names; below: rather as in honest ones.

        Raises:
            KeyError: Another letter than a-z.
        """
        framed = BOUNDARY + letters + BOUNDARY
        contrasts = map(self.contrast_by_pair.__getitem__, map(add, framed, framed[1:]))
        return sum(contrasts) / (len(framed) - 1)

    def is_machine_made(self, label: str) -> bool:
        """Tell whether a second-level label looks drawn by a program and not thought of.

        Digits strewn among letters, a number behind them that is no year, a long run of
        consonants, or letters that follow one another as in disposable names and not as in names
        that people choose. Names in other scripts never do.
        """
        if len(label) < SHAPED_LETTERS_MIN or label.startswith(A_LABEL_PREFIX):
            return False
        if _LETTERS.fullmatch(label):
            limit = self.short_limit if len(label) <= SHORT_LETTERS else self.limit
            return bool(_CONSONANT_RUN.search(label)) or self.measure(label) > limit
        if _NUMBERED.match(label):
            return not _YEAR.search(label)
        return "-" not in label and len(_SWITCHES.findall(label)) >= DIGIT_SWITCHES_MIN
