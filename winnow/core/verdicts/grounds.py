"""Grounds for removing rows when a list is cleaned."""

from enum import StrEnum

from winnow.words import mark


class Ground(StrEnum):
    """Ground for removing a row, as a switch; grounds are tried in this order.

    The values are the codes in a page's address; callers translate ``words``.
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
    UNSUBSCRIBED = "unsubscribed", mark("unsubscribed")
    BLACK = "black", mark("remove")
    SUSPICIOUS = "suspicious", mark("suspicious signs")
    MASKED = "masked", mark("look-alikes and typing mistakes")
    MULTI_ALIAS = "alias", mark("relay and alias services")
    OWN_GREY = "own-grey", mark("your review list")
    ROLE_ACCOUNT = "role", mark("role accounts")
    FREE_PROVIDER = "free", mark("free providers")
    BOUNCED = "bounced", mark("bounced before")
