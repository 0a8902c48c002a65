"""Ages of a project's domains, from registry answers about registrable domains."""

from collections.abc import Mapping

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.lists.dimensions import AgeGroup
from winnow.lists.result.row_columns import RowIndex

_FIRST_LABEL = r"^[^.]*\."


def number_ages(
    index: RowIndex, ages: Mapping[str, AgeGroup]
) -> tuple[tuple[str, ...], NDArray[np.uint8]]:
    """Return the groups' names by number, and each domain code's number.

    Args:
        index: The project's rows.
        ages: The groups of registrable domains; a domain below one is as old as it.
    """
    names = ("", *(group.value for group in AgeGroup))
    known = pl.Series(list(ages), dtype=pl.String)
    numbers = pl.Series([names.index(group.value) for group in ages.values()], dtype=pl.UInt8)
    found = [np.zeros(1, np.uint8)]
    found += [_find_numbers(part, known, numbers) for part in index.read_names()]
    number_of = np.concatenate(found)
    number_of[1:][number_of[1:] == 0] = names.index(AgeGroup.UNKNOWN.value)
    return names, number_of


def _find_numbers(domains: pl.Series, known: pl.Series, numbers: pl.Series) -> NDArray[np.uint8]:
    """Return the number of each domain or its nearest known parent; 0 where none is known."""
    found = np.zeros(len(domains), np.uint8)
    places = np.arange(len(domains))
    while len(places):
        hits = domains.replace_strict(known, numbers, default=0, return_dtype=pl.UInt8).to_numpy()
        found[places] = hits
        goes_on = (hits == 0) & domains.str.contains(".", literal=True).to_numpy()
        places = places[goes_on]
        domains = domains.filter(pl.Series(goes_on)).str.replace(_FIRST_LABEL, "")
    return found
