"""Parser for one value, with the same results as ``AddressColumn`` has for a column."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.addresses.address import (
    ADDRESS_MAX_OCTETS,
    LOCAL_PART_MAX_OCTETS,
    is_dot_atom,
    local_flags,
    normalise,
    parse_address,
)
from winnow.core.errors import AddressSyntaxError
from winnow.core.verdicts.facts import LocalFlag, LocalWords
from winnow.lists.engine.row_codes import FAULT_CODES

DOMAIN_TEXT_MAX_OCTETS = 64  # longer ones may make the whole address too long: parsed one by one
A_LABEL_GROWTH = 6  # more than an A-label's octets for one of its text: U+337F has 18 for 4


@dataclass(frozen=True, slots=True)
class ParsedValue:
    """One value's code, or the text of its domain; its flags; the text that its key hashes."""

    fault_code: int
    domain_text: str
    flags: LocalFlag
    key_text: str


def parse_value(text: str, local_words: LocalWords) -> ParsedValue:
    """Parse one value as the array operations do, whatever it looks like."""
    text = normalise(text)
    local_part, at_sign, domain_text = text.partition("@")
    if (
        at_sign
        and len(domain_text.encode("utf-8", "surrogatepass")) < DOMAIN_TEXT_MAX_OCTETS
        and "@" not in domain_text
        and '"' not in domain_text
        and _is_short_dot_atom(local_part)
        and ((lowered := local_part.lower()) == local_part or _is_short_dot_atom(lowered))
        and (
            domain_text.isascii()
            or (  # no A-label can make it too long
                not any("\ud800" <= one <= "\udfff" for one in domain_text)
                and len(local_part.encode()) + A_LABEL_GROWTH * (len(domain_text.encode()) + 1)
                <= ADDRESS_MAX_OCTETS
            )
        )
    ):
        flags = local_flags(local_part, local_words)
        return ParsedValue(0, domain_text, flags, lowered)
    try:
        address = parse_address(text)
    except AddressSyntaxError as error:
        return ParsedValue(FAULT_CODES[error.reason], "", LocalFlag.NONE, text.lower())
    flags = local_flags(address.local_part, local_words)
    return ParsedValue(0, address.domain, flags, address.local_part.lower())


def hash_texts(texts: list[str]) -> NDArray[np.uint64]:
    """Hash as ``AddressColumn`` hashes local parts; stable within one run."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    found: NDArray[np.uint64] = pl.Series(encoded, dtype=pl.Binary).hash().to_numpy()
    return found


def lower_ascii(text: str) -> str:
    """Lower-case the ASCII letters only, as the array operations do."""
    return text.lower() if text.isascii() else text.encode().lower().decode()


def _is_short_dot_atom(local_part: str) -> bool:
    """Return whether it is a dot-atom of a valid length; called with its lower case as well.

    So that a malformed value and the same in lower case are taken apart in one way.
    """
    return is_dot_atom(local_part) and len(local_part.encode()) <= LOCAL_PART_MAX_OCTETS
