"""Parser of distinct domain texts: which spellings are one domain, and which are malformed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.addresses.address import (
    ADDRESS_MAX_OCTETS,
    DOMAIN_MAX_OCTETS,
    FAST_DOMAIN,
    LABEL_MAX_OCTETS,
    SPECIAL_USE_TLDS,
    normalise,
    parse_address,
)
from winnow.core.addresses.mailbox import MAILBOX_DOMAINS
from winnow.core.errors import AddressSyntaxError
from winnow.lists.engine.domain_texts import DomainTexts, NamesByCode
from winnow.lists.engine.row_codes import FAULT_CODES, FIRST_DOMAIN, FIRST_FAULT
from winnow.lists.engine.steady_letters import list_domain_letters

_MANY_TEXTS = 2_000  # parsed one by one in the time that sorting letters out takes
PARSING_SHARE = 1 / 4  # of the look-ups' progress; the rest is judging
_SPECIAL_USE = rf"\.(?:{'|'.join(sorted(SPECIAL_USE_TLDS))})$"
_PREFIX = "xn--"  # RFC 5890, 2.3.2.5
_TAGGED = r"(?:^|\.)[^.][^.]--"  # RFC 5890, 2.3.1: hyphens at both places 3 and 4
_TLD = r"\.(?:[a-z]{2,63}|xn--[a-z0-9-]*)$"
_MOST_OCTETS = ADDRESS_MAX_OCTETS - len("a@")


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
    start = open_count = 0
    codes = np.arange(FIRST_DOMAIN, FIRST_DOMAIN + count, dtype=np.uint32)
    for texts in NamesByCode(domains, codes).in_series():
        places = np.flatnonzero(~_is_plainly_canonical(texts).to_numpy())
        if len(places):  # in few lists
            texts_open = texts.gather(places)
            open_count += len(places)
            spellings, some_faults = _parse_domains(texts_open, are_many=open_count >= _MANY_TEXTS)
            faults[start + places] = some_faults
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


def _parse_domains(texts: pl.Series, *, are_many: bool) -> tuple[pl.Series, NDArray[np.uint8]]:
    """Return the canonical forms of texts and their faults, 0 where there is none."""
    found = (
        to_a_labels(texts)
        if len(texts) >= _MANY_TEXTS
        else pl.repeat(None, len(texts), dtype=pl.String, eager=True)
    )
    places = np.flatnonzero(found.is_null())
    faults = np.zeros(len(texts), np.uint8)
    parsed = [_parse_domain(text) for text in texts.gather(places).to_list()]
    faults[places] = [fault for _, fault in parsed]
    return found.scatter(places, [domain for domain, _ in parsed]), faults


def _parse_domain(text: str) -> tuple[str, int]:
    """Return the canonical domain and 0, or the malformed text's canonical form and its fault."""
    try:
        return parse_address(f"a@{text}").domain, 0
    except AddressSyntaxError as error:
        return normalise(f"@{text}")[1:].lower(), FAULT_CODES[error.reason]


def to_a_labels(texts: pl.Series) -> pl.Series:
    """Return domains as A-labels, null for one that must be parsed on its own.

    They are lower-case but for letters beyond ASCII.
    """
    letters = list_domain_letters()
    run = f"[a-z0-9{letters.upper}{letters.other}]+"
    label = f"{run}(?:-+{run})*"
    is_plain = texts.str.contains(rf"^{label}(?:\.{label})+$") & ~texts.str.contains(_TAGGED)
    places = np.flatnonzero(is_plain & (texts.str.len_bytes() <= _MOST_OCTETS))
    labels = texts.gather(places).str.to_lowercase().str.split(".")
    coded = pl.DataFrame(
        {
            "row": np.repeat(np.arange(len(labels)), labels.list.len()),
            "label": _code_labels(labels.explode()),
        }
    )
    coded = coded.group_by("row", maintain_order=True).agg(
        pl.col("label").str.join(".").alias("domain"),
        pl.col("label").str.len_bytes().max().alias("longest"),
    )
    domains = coded["domain"]
    is_valid = domains.str.contains(_TLD) & ~domains.str.contains(_SPECIAL_USE)
    is_valid &= coded["longest"] <= LABEL_MAX_OCTETS
    is_valid &= domains.str.len_bytes() <= _MOST_OCTETS
    found = texts.clear(len(texts))
    return found.scatter(places[is_valid], domains.filter(is_valid))


def _code_labels(labels: pl.Series) -> pl.Series:
    """Put A-labels in the place of labels with letters beyond ASCII (RFC 3492), each coded once."""
    distinct = labels.filter(labels.str.len_bytes() != labels.str.len_chars()).unique()
    coded = [_PREFIX + label.encode("punycode").decode() for label in distinct.to_list()]
    return labels.replace(distinct, pl.Series(coded, dtype=pl.String))
