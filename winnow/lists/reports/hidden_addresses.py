"""Removal of addresses from texts that people share."""

import re

_ADDRESS = re.compile(r"[^\s<>(),;:'\"]*@[^\s<>(),;:'\"]*")


def hide_addresses(text: str) -> str:
    """Return a text with a word in the place of each address, the same in every language."""
    return _ADDRESS.sub("(address)", text)
