"""Closed sets of codes that carry attributes: kinds, types, reasons, and their words."""

from enum import StrEnum
from itertools import zip_longest
from typing import Any, Self


class RecordEnum(StrEnum):
    """Codes that never change, each with the attributes that its class annotates.

    A member is its code and then its attributes, in the order of the annotations; those that are
    left out at the end are None.
    """

    _value_: str

    def __new__(cls, code: str, *attributes: Any) -> Self:
        """Make the member of a code."""
        member = str.__new__(cls, code)
        member._value_ = code
        for name, value in zip_longest(cls.__annotations__, attributes):
            setattr(member, name, value)
        return member
