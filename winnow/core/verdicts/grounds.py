"""The grounds that a row may go by when a list is cleaned."""

from enum import StrEnum


class Ground(StrEnum):
    """Why a row goes: what the analyst switched on, in the order in which grounds are found.

    The values are the codes that stand in a page's address; ``words`` puts category before type.
    """

    words: str
    _value_: str

    def __new__(cls, code: str, words: str = "") -> "Ground":
        """Make the member of a code and its words."""
        member = str.__new__(cls, code)
        member._value_ = code
        member.words = words
        return member

    BLACK = "black", "● black"
    SUSPICIOUS = "suspicious", "◐ suspicious signs"
    MASKED = "masked", "◐ masked legitimate"
    MULTI_ALIAS = "alias", "◐ multi-alias services"
    OWN_GREY = "own-grey", "◐ your own grey list"
    ROLE_ACCOUNT = "role", "role accounts"
    FREE_PROVIDER = "free", "free providers"
