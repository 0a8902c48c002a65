"""Mail providers of domains, by their mail hosts."""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.lists.facets import NetworkNotes
from winnow.lists.result.row_columns import RowIndex

_DOMAIN, _HOST, _OPERATOR = pl.col("domain"), pl.col("host"), pl.col("operator")


def number_operators(
    index: RowIndex, notes: NetworkNotes, providers: dict[str, int], provider_of: NDArray[np.uint32]
) -> None:
    """Give each domain without a provider the one that runs its mail, where DNS named one.

    Mail that a domain runs itself has none.

    Args:
        index: The project's rows.
        notes: What DNS said.
        providers: Numbers by name; new names are put in.
        provider_of: Numbers by domain code; 0, none, is replaced.
    """
    operators: dict[str, str | None] = {}
    found = [
        _name_operators(domains, hosts, notes, operators)
        for domains, hosts in notes.read_mail_hosts()
    ]
    if not found:
        return
    named = pl.concat(found)
    distinct = named["operator"].unique()
    numbers = [providers.setdefault(name, len(providers)) for name in distinct.to_list()]
    number = named["operator"].replace_strict(
        distinct, pl.Series(numbers, dtype=pl.UInt32), return_dtype=pl.UInt32
    )
    start = 1
    for names in index.read_names():
        mine = provider_of[start : start + len(names)]
        run_by = names.replace_strict(
            named["domain"], number, default=0, return_dtype=pl.UInt32
        ).to_numpy()
        mine[:] = np.where(mine, mine, run_by)
        start += len(names)


def _name_operators(
    domains: Sequence[str],
    hosts: Sequence[str],
    notes: NetworkNotes,
    operators: dict[str, str | None],
) -> pl.DataFrame:
    """Return the domains whose mail a provider runs, each with that provider."""
    table = pl.DataFrame(
        {"domain": domains, "host": hosts}, {"domain": pl.String, "host": pl.String}
    )
    table = table.filter(~_is_below(_HOST, _DOMAIN))
    distinct = table["host"].unique()
    for host in distinct.to_list():
        if host not in operators:
            operators[host] = name_mail_host(host) or notes.find_registrable(host)
    named = [operators[host] for host in distinct.to_list()]
    operator = table["host"].replace_strict(
        distinct, pl.Series(named, dtype=pl.String), return_dtype=pl.String
    )
    table = table.select(_DOMAIN, operator=operator)
    return table.filter(_OPERATOR.is_not_null() & ~_is_below(_DOMAIN, _OPERATOR))


def _is_below(name: pl.Expr, parent: pl.Expr) -> pl.Expr:
    return (name == parent) | name.str.ends_with("." + parent)


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
    text = (files("winnow.lists") / "data" / "mail_hosts.tsv").read_text(encoding="utf-8")
    lines = (line.split("\t") for line in text.splitlines() if not line.startswith("#"))
    return {host: name for host, name, _ in lines}
