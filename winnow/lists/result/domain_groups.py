"""Groups of a project's domains by the provider of the mailbox."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from winnow.core.verdicts.reasons import Reason
from winnow.lists.result.row_index import Mask, RowIndex

_MAILBOX_REASONS = frozenset({Reason.FREE_PROVIDER, Reason.RELAY})


@dataclass(frozen=True, slots=True)
class Grouping:
    """Groups of domains: their names, and each domain code's place among them.

    Number 0, whose name is empty, is "none": a row without a domain, a domain without a group.
    """

    names: tuple[str, ...]
    number_of: NDArray[np.unsignedinteger]


def name_provider(domain: str) -> str:
    """Return the name of a mailbox provider or relay; its own domain where it has no other."""
    exact, patterns = _read_providers()
    name = domain
    while "." in name:
        if name in exact:
            return exact[name]
        name = name.partition(".")[2]
    return next((provider for shape, provider in patterns if shape.fullmatch(domain)), domain)


@cache
def _read_providers() -> tuple[Mapping[str, str], tuple[tuple[re.Pattern[str], str], ...]]:
    exact, shapes = {}, []
    text = (files("winnow.lists") / "data" / "providers.tsv").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        pattern, provider = line.split("\t")
        if "?" in pattern:
            shape = re.compile(re.escape(pattern).replace(r"\?", "[a-z]"))
            shapes.append((shape, provider))
        else:
            exact[pattern] = provider
    return exact, tuple(shapes)


def group_by_provider(index: RowIndex) -> Grouping:
    """Group a project's domains by provider: those whose verdicts say that they are one's."""
    is_mailbox = _find_mailbox_codes(index)
    codes = np.flatnonzero(is_mailbox)
    numbers: dict[str, int] = {"": 0}
    found = [
        numbers.setdefault(name_provider(domain), len(numbers))
        for domain in index.name_domains(codes)
    ]
    provider_of = np.zeros(len(is_mailbox), np.uint32)
    provider_of[codes] = found
    return Grouping(tuple(numbers), provider_of)


def _find_mailbox_codes(index: RowIndex) -> Mask:
    """Return for each domain code whether a verdict calls the domain a mailbox provider's."""
    is_mailbox: Mask = np.array(
        [
            not _MAILBOX_REASONS.isdisjoint((verdict.overruled or verdict).reasons)
            for verdict in index.verdicts
        ],
        np.bool_,
    )
    found = np.zeros(1 + sum(map(len, index.read_names())), np.bool_)
    for start, count in index.iterate_runs():
        codes = index.domain_codes(start, count)
        found[codes[is_mailbox[index.verdict_places(start, count)]]] = True
    found[0] = False
    return found
