"""Parser of distinct domain texts: which spellings are one domain, and which are malformed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.addresses.address import (
    DOMAIN_MAX_OCTETS,
    FAST_DOMAIN,
    SPECIAL_USE_TLDS,
    normalise,
    parse_address,
)
from winnow.core.addresses.mailbox import MAILBOX_DOMAINS
from winnow.core.errors import AddressSyntaxError
from winnow.lists.engine.domain_texts import DomainTexts, NamesByCode
from winnow.lists.engine.row_codes import FAULT_CODES, FIRST_DOMAIN, FIRST_FAULT

PARSING_SHARE = 1 / 4  # of the look-ups' progress; the rest is judging
_SPECIAL_USE = rf"\.(?:{'|'.join(sorted(SPECIAL_USE_TLDS))})$"


@dataclass(frozen=True, slots=True)
class DomainSpellings:
    """Domains and faults of a list's codes. Arrays are indexed by code.

    ``canonical`` gives one code to all spellings of one domain, and of one malformed text;
    ``aliases`` are the codes that are not their own canonical one. ``faults`` is a FAULT code,
    or 0.
    """

    canonical: NDArray[np.uint32]
    aliases: NDArray[np.uint32]
    faults: NDArray[np.uint8]
    texts: DomainTexts


def parse_spellings(domains: DomainTexts, tick: Callable[[float], None]) -> DomainSpellings:
    """Parse each distinct text; ``tick`` gets the share done, 0 to 1, and may raise."""
    count = len(domains)
    faults = np.zeros(count, np.uint8)
    sources = [np.empty(0, np.uint32)]
    targets = [np.empty(0, np.uint32)]
    start = 0
    codes = np.arange(FIRST_DOMAIN, FIRST_DOMAIN + count, dtype=np.uint32)
    for texts in NamesByCode(domains, codes).in_series():
        places = np.flatnonzero(~_is_plainly_canonical(texts).to_numpy())
        if len(places):  # in few lists
            texts_open = texts.gather(places)
            parsed = [_parse_domain(text) for text in texts_open.to_list()]
            faults[start + places] = [fault for _, fault in parsed]
            spellings = pl.Series([domain for domain, _ in parsed], dtype=pl.String)
            is_other = (spellings != texts_open).to_numpy()
            sources.append((FIRST_DOMAIN + start + places[is_other]).astype(np.uint32))
            targets.append(domains.number("@" + spellings.filter(is_other)))
        start += len(texts)
        tick(start / count)
    canonical = np.arange(FIRST_DOMAIN + len(domains), dtype=np.uint32)
    aliases, spelt = np.concatenate(sources), np.concatenate(targets)
    canonical[aliases] = spelt
    all_faults = np.zeros(len(canonical), np.uint8)
    all_faults[FIRST_FAULT:FIRST_DOMAIN] = np.arange(FIRST_FAULT, FIRST_DOMAIN)
    all_faults[FIRST_DOMAIN : FIRST_DOMAIN + count] = faults
    is_new = spelt >= FIRST_DOMAIN + count  # canonical spellings that no cell has
    all_faults[spelt[is_new]] = faults[aliases[is_new] - FIRST_DOMAIN]
    return DomainSpellings(canonical, aliases, all_faults, domains)


def number_mailbox_domains(domains: DomainTexts) -> dict[int, int]:
    """Return the codes of domains that deliver to another's mailboxes, and that one's."""
    pairs = [domains.number(pl.Series([f"@{one}", f"@{other}"])).tolist()
             for one, other in MAILBOX_DOMAINS.items()]  # fmt: skip
    return dict(pairs)


def join_domains(canonical: NDArray[np.uint32], same: Mapping[int, int]) -> NDArray[np.uint32]:
    """Return canonical codes in which some domains have another's."""
    for code, other in same.items():
        canonical = np.where(canonical == code, np.uint32(other), canonical)
    return canonical


def _is_plainly_canonical(texts: pl.Series) -> pl.Series:
    """Return which texts ``parse_address`` would give back as they are, for most at a glance."""
    is_domain = texts.str.contains(f"^{FAST_DOMAIN}$") & ~texts.str.contains("[A-Z]")
    is_domain &= ~texts.str.contains(_SPECIAL_USE)
    return is_domain & (texts.str.len_bytes() <= DOMAIN_MAX_OCTETS)


def _parse_domain(text: str) -> tuple[str, int]:
    """Return the canonical domain and 0, or the malformed text's canonical form and its fault."""
    try:
        return parse_address(f"a@{text}").domain, 0
    except AddressSyntaxError as error:
        return normalise(f"@{text}")[1:].lower(), FAULT_CODES[error.reason]
