"""Detection of date columns, which are offered first where dates are asked for."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from winnow.lists.engine.date_cells import NO_DATE, read_dates

_MOST_COLUMNS = 100


def find_date_columns(rows: Sequence[Sequence[str]], width: int) -> tuple[int, ...]:
    """Return the columns, from 0, of which at least half of the filled cells are dates.

    Of the first hundred. Digits alone are more often numbers and telephones than dates.
    """
    return tuple(place for place in range(min(width, _MOST_COLUMNS)) if _holds_dates(rows, place))


def _holds_dates(rows: Sequence[Sequence[str]], place: int) -> bool:
    cells = [cell for row in rows if (cell := "".join(row[place : place + 1]).strip())]
    written = [cell for cell in cells if not cell.replace(".", "").replace(",", "").isdigit()]
    dotted = [cell for cell in cells if cell.count(".") == 2]
    likely = {*written, *dotted}
    if not likely:
        return False
    texts = [cell.lower().encode("ascii", "replace").decode() for cell in cells if cell in likely]
    ranks, _ = read_dates(pl.Series(texts, dtype=pl.String))
    return 2 * int(np.count_nonzero(ranks != NO_DATE)) >= len(cells)
