"""Groups of a project's domains: by country of the name, by provider of the mailbox."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.addresses.countries import find_country
from winnow.core.lists.dimensions import AGE, COUNTRY, PROVIDER, Dimension
from winnow.core.lists.facets import NetworkNotes
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Verdict
from winnow.lists.result.domain_ages import number_ages
from winnow.lists.result.mail_hosts import number_operators
from winnow.lists.result.row_columns import Mask, RowIndex, iterate_runs

_MAILBOX_REASONS = frozenset({Reason.FREE_PROVIDER, Reason.RELAY})


@dataclass(frozen=True, slots=True)
class Grouping:
    """One way to group domains: the groups' names, and each domain code's place among them.

    Number 0, whose name is empty, is "none": a row without a domain, a domain without a group.
    """

    names: tuple[str, ...]
    number_of: NDArray[np.unsignedinteger]

    def find(self, wanted: frozenset[str]) -> Mask:
        """Return, by domain code, which domains are of the wanted groups."""
        is_wanted: Mask = np.array([name in wanted for name in self.names], np.bool_)
        found: Mask = is_wanted[self.number_of]
        return found


@dataclass(frozen=True, slots=True)
class DomainGroups:
    """The groupings of a project; one that says nothing of any of its domains is missing."""

    name_count: int
    by_dimension: Mapping[Dimension, Grouping]

    @classmethod
    def build(cls, index: RowIndex, notes: NetworkNotes | None = None) -> "DomainGroups":
        """Look once through a project's domains and rows.

        The judge's reasons say which domains are a mailbox provider's or a relay's. Other domains
        have the provider that runs their mail, where DNS was asked and named one.
        """
        notes = notes or NetworkNotes()
        countries = _group_by_top_level(index, find_country)
        by_dimension = {
            PROVIDER: _group_by_provider(index, notes, len(countries.number_of)),
            COUNTRY: countries,
        }
        ages = notes.read_ages()
        if ages:
            by_dimension[AGE] = Grouping(*number_ages(index, ages))
        return cls(len(countries.number_of), by_dimension)


def name_provider(domain: str) -> str:
    """Return the name of a mailbox provider or relay; its own domain where it has no other."""
    exact, patterns = _read_providers()
    name = domain
    while "." in name:
        if name in exact:
            return exact[name]
        name = name.partition(".")[2]
    return next((provider for shape, provider in patterns if shape.fullmatch(domain)), domain)


def _group_by_top_level(index: RowIndex, name_group: Callable[[str], str]) -> Grouping:
    """Group domains by what a function of their top-level domain says."""
    groups: dict[str, int] = {"": 0}
    numbers = [np.zeros(1, np.uint16)]
    for names in index.read_names():
        tops = names.str.extract(r"([^.]*)$")
        distinct = tops.unique()
        found = [groups.setdefault(name_group(top), len(groups)) for top in distinct.to_list()]
        numbers.append(tops.replace_strict(distinct, pl.Series(found, dtype=pl.UInt16)).to_numpy())
    return Grouping(tuple(groups), np.concatenate(numbers))


def _group_by_provider(index: RowIndex, notes: NetworkNotes, name_count: int) -> Grouping:
    codes = _find_mailbox_codes(index, name_count)
    provider_of = np.zeros(name_count, np.uint32)
    providers: dict[str, int] = {"": 0}
    provider_of[codes] = [
        providers.setdefault(name_provider(domain), len(providers))
        for domain in index.name_domains(codes)
    ]
    number_operators(index, notes, providers, provider_of)
    return Grouping(tuple(providers), provider_of)


def _find_mailbox_codes(index: RowIndex, name_count: int) -> NDArray[np.int64]:
    is_mailbox: Mask = np.array([_tells_mailbox(verdict) for verdict in index.verdicts], np.bool_)
    found = np.zeros(name_count, np.bool_)
    for start, count in iterate_runs(index.row_count):
        codes = index.domain_codes(start, count)
        found[codes[is_mailbox[index.verdict_places(start, count)]]] = True
    found[0] = False
    return np.flatnonzero(found)


def _tells_mailbox(verdict: Verdict) -> bool:
    return not _MAILBOX_REASONS.isdisjoint((verdict.overruled or verdict).reasons)


@cache
def _read_providers() -> tuple[Mapping[str, str], tuple[tuple[re.Pattern[str], str], ...]]:
    text = (files("winnow.lists") / "data" / "providers.tsv").read_text(encoding="utf-8")
    lines: Iterable[str] = (line for line in text.splitlines() if not line.startswith("#"))
    pairs = [line.split("\t") for line in lines]
    shapes = tuple(
        (re.compile(re.escape(pattern).replace(r"\?", "[a-z]")), provider)
        for pattern, provider in pairs
        if "?" in pattern
    )
    return {pattern: provider for pattern, provider in pairs if "?" not in pattern}, shapes
