"""Groups of a project's domains by the provider of the mailbox."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.lists.facets import NetworkNotes
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


def name_mail_host(host: str) -> str | None:
    """Return the reviewed name of a mail host's operator; None where it has none."""
    known = read_operators()
    name = host
    while name:
        if name in known:
            return known[name]
        name = name.partition(".")[2]
    return None


@cache
def read_operators() -> Mapping[str, str]:
    """Return the reviewed names by mail host; names below one belong to it."""
    return {host: name for host, name, _ in _read_lines("mail_hosts.tsv")}


@cache
def _read_providers() -> tuple[Mapping[str, str], tuple[tuple[re.Pattern[str], str], ...]]:
    exact, shapes = {}, []
    for pattern, provider in _read_lines("providers.tsv"):
        if "?" in pattern:
            shape = re.compile(re.escape(pattern).replace(r"\?", "[a-z]"))
            shapes.append((shape, provider))
        else:
            exact[pattern] = provider
    return exact, tuple(shapes)


def _read_lines(name: str) -> Iterator[list[str]]:
    text = (files("winnow.lists") / "data" / name).read_text(encoding="utf-8")
    return (line.split("\t") for line in text.splitlines() if not line.startswith("#"))


def group_by_provider(index: RowIndex, notes: NetworkNotes) -> Grouping:
    """Group a project's domains by provider.

    The judge's reasons say which domains are a mailbox provider's or a relay's. Other domains
    have the provider that runs their mail, where DNS was asked and named one.
    """
    providers: dict[str, int] = {"": 0}
    codes = _find_mailbox_codes(index)
    found = [
        providers.setdefault(name_provider(domain), len(providers))
        for domain in index.name_domains(codes)
    ]
    run_by: dict[str, int] = {}
    operators: dict[str, str | None] = {}
    for some in notes.read_mail_hosts():
        for domain, host in zip(*some, strict=True):
            if _is_below(host, domain):
                continue
            if host not in operators:
                operators[host] = name_mail_host(host) or notes.find_registrable(host)
            operator = operators[host]
            if operator is not None and not _is_below(domain, operator):
                run_by[domain] = providers.setdefault(operator, len(providers))
    wanted, numbers = list(run_by), list(run_by.values())
    provider_of = _number_names(index, lambda names: _number(names, wanted, numbers))
    provider_of[codes] = found
    return Grouping(tuple(providers), provider_of)


def _is_below(name: str, parent: str) -> bool:
    return name == parent or name.endswith(f".{parent}")


def _find_mailbox_codes(index: RowIndex) -> NDArray[np.int64]:
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
    return np.flatnonzero(found)


def _number_names(
    index: RowIndex, number: Callable[[pl.Series], NDArray[np.uint32]]
) -> NDArray[np.uint32]:
    """Return the number of each domain code; 0 for no domain."""
    return np.concatenate([np.zeros(1, np.uint32), *map(number, index.read_names())])


def _number(texts: pl.Series, known: list[str], numbers: list[int]) -> NDArray[np.uint32]:
    """Return each text's number; 0 for one that is not known."""
    values = pl.Series(numbers, dtype=pl.UInt32)
    wanted = pl.Series(known, dtype=pl.String)
    found = texts.replace_strict(wanted, values, default=0, return_dtype=pl.UInt32)
    return found.to_numpy(writable=True)
