"""The grounds that a row may go by when a list is cleaned."""

from enum import StrEnum

from winnow.words import mark


class Ground(StrEnum):
    """Why a row goes: what the analyst switched on, in the order in which grounds are found.

    The values are the codes that stand in a page's address; ``words`` are said by whoever shows
    them.
    """

    words: str
    _value_: str

    def __new__(cls, code: str, words: str = "") -> "Ground":
        """Make the member of a code and its words."""
        member = str.__new__(cls, code)
        member._value_ = code
        member.words = words
        return member

    DO_NOT_MAIL = "do-not-mail", mark("on your do-not-mail files")
    BLACK = "black", mark("remove")
    SUSPICIOUS = "suspicious", mark("suspicious signs")
    MASKED = "masked", mark("look-alikes and typing mistakes")
    MULTI_ALIAS = "alias", mark("relay and alias services")
    OWN_GREY = "own-grey", mark("your own review list")
    ROLE_ACCOUNT = "role", mark("role accounts")
    FREE_PROVIDER = "free", mark("free providers")
    BOUNCED = "bounced", mark("bounced before")
