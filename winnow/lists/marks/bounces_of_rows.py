"""What several bounce files together say of a project's rows."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from winnow.core.bounces import MailOutcome
from winnow.lists.marks.bounce_keys import OUTCOMES, BounceKeys
from winnow.lists.marks.matching import MatchedRows


def settle_rows(
    told: Sequence[tuple[BounceKeys, MatchedRows]],
) -> Mapping[MailOutcome, NDArray[np.int64]]:
    """Return the rows of each outcome, rising: of a row its newest event, on one day the worst."""
    rows = np.concatenate([np.empty(0, np.int64), *(matched.rows for _, matched in told)])
    days = np.concatenate(
        [np.empty(0, np.int32), *(keys.days[matched.places] for keys, matched in told)]
    )
    outcomes = np.concatenate(
        [np.empty(0, np.uint8), *(keys.outcomes[matched.places] for keys, matched in told)]
    )
    order = np.lexsort((-outcomes.astype(np.int16), days, rows))
    rows, outcomes = rows[order], outcomes[order]
    is_last = np.ones(len(rows), np.bool_)
    np.not_equal(rows[1:], rows[:-1], out=is_last[:-1])
    rows, outcomes = rows[is_last], outcomes[is_last]
    return {outcome: rows[outcomes == place] for place, outcome in enumerate(OUTCOMES)}
