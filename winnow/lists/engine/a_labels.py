"""Bulk conversion of domains to A-labels, with the same results as ``parse_address``."""

import numpy as np
import polars as pl

from winnow.core.addresses.address import ADDRESS_MAX_OCTETS, LABEL_MAX_OCTETS, SPECIAL_USE_TLDS
from winnow.lists.engine.steady_letters import list_domain_letters

_PREFIX = "xn--"  # RFC 5890, 2.3.2.5
_TAGGED = r"(?:^|\.)[^.][^.]--"  # RFC 5890, 2.3.1: hyphens at both places 3 and 4
_TLD = r"\.(?:[a-z]{2,63}|xn--[a-z0-9-]*)$"
_SPECIAL_USE = rf"\.(?:{'|'.join(sorted(SPECIAL_USE_TLDS))})$"
_MOST_OCTETS = ADDRESS_MAX_OCTETS - len("a@")


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
