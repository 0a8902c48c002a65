"""What the domains of a project belong to: the country of the name, the provider of the mailbox."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.lists.facets import GENERIC, Dimension, NetworkNotes
from winnow.core.verdicts.verdict import Reason, Verdict
from winnow.lists.result.domain_ages import number_ages
from winnow.lists.result.domain_names import DomainNames
from winnow.lists.result.mail_hosts import number_operators
from winnow.lists.result.own_rows import iterate_runs
from winnow.lists.result.row_columns import Mask, RowIndex

_COUNTRY_LETTERS = 2  # ISO 3166-1 alpha-2, as top-level domains (RFC 1591, 2)
_COUNTRY_SCRIPTS: Mapping[str, str] = {
    "xn--p1ai": "ru", "xn--j1amh": "ua", "xn--90ais": "by", "xn--90a3ac": "rs", "xn--d1alf": "mk",
    "xn--90ae": "bg", "xn--80ao21a": "kz", "xn--l1acc": "mn", "xn--qxam": "gr", "xn--e1a4c": "eu",
    "xn--qxa6a": "eu", "xn--node": "ge", "xn--y9a3aq": "am", "xn--fiqs8s": "cn",
    "xn--fiqz9s": "cn", "xn--kprw13d": "tw", "xn--j6w193g": "hk", "xn--3e0b707e": "kr",
    "xn--o3cw4h": "th", "xn--h2brj9c": "in", "xn--wgbh1c": "eg", "xn--mgberp4a5d4ar": "sa",
    "xn--mgbaam7a8h": "ae",
}  # fmt: skip  # IANA root zone database: countries' names in their own script
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
    def build(
        cls, index: RowIndex, names: DomainNames, notes: NetworkNotes | None = None
    ) -> "DomainGroups":
        """Look once through a project's domains and rows.

        The judge's reasons say which domains are a mailbox provider's or a relay's. Other domains
        have the provider that runs their mail, where DNS was asked and named one.
        """
        notes = notes or NetworkNotes()
        countries: dict[str, int] = {"": 0, GENERIC: 1}
        numbers = [np.zeros(1, np.uint16)]
        numbers += [_number_countries(part, countries) for part in index.read_names()]
        country_of = np.concatenate(numbers)
        codes = _find_mailbox_codes(index, len(country_of))
        provider_of = np.zeros(len(country_of), np.uint32)
        providers: dict[str, int] = {"": 0}
        provider_of[codes] = [
            providers.setdefault(name_provider(domain), len(providers))
            for domain in names.read(codes.tolist())
        ]
        number_operators(index, notes, providers, provider_of)
        groupings = {
            Dimension.PROVIDERS: Grouping(tuple(providers), provider_of),
            Dimension.COUNTRIES: Grouping(tuple(countries), country_of),
        }
        ages = notes.read_ages()
        if ages:
            groupings[Dimension.AGES] = Grouping(*number_ages(index, ages))
        return cls(len(country_of), groupings)


def name_country(domain: str) -> str:
    """Return the two letters of the country whose top-level domain a domain has, or GENERIC."""
    top = domain.rpartition(".")[2]
    if len(top) == _COUNTRY_LETTERS and top.isalpha():
        return top
    return _COUNTRY_SCRIPTS.get(top, GENERIC)


def name_provider(domain: str) -> str:
    """Return the name of a mailbox provider or relay; its own domain where it has no other."""
    exact, patterns = _read_providers()
    name = domain
    while "." in name:
        if name in exact:
            return exact[name]
        name = name.partition(".")[2]
    return next((provider for shape, provider in patterns if shape.fullmatch(domain)), domain)


def _number_countries(names: pl.Series, countries: dict[str, int]) -> NDArray[np.uint16]:
    tops = names.str.extract(r"([^.]*)$")
    distinct = tops.unique()
    numbers = [
        countries.setdefault(name_country(top), len(countries)) for top in distinct.to_list()
    ]
    found = tops.replace_strict(distinct, pl.Series(numbers, dtype=pl.UInt16))
    return found.to_numpy()


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
