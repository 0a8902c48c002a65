"""The first groups of duplicates in a list, and which row of each stays."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.addresses.mailbox import HasPlusTags
from winnow.core.lists.previews import (
    DuplicateGroup,
    DuplicatePreview,
    DuplicateRow,
)
from winnow.core.tasks.keep_rule import Keep
from winnow.core.tasks.run_options import RunOptions
from winnow.lists.engine.date_cells import show_rank
from winnow.lists.engine.domain_texts import (
    join_domains,
    number_mailbox_domains,
    parse_spellings,
)
from winnow.lists.engine.duplicates import Ranks
from winnow.lists.engine.row_codes import FIRST_FAULT
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.inspection.first_rows import shorten
from winnow.lists.preview.preview import MOST_BYTES, ListPart, open_part
from winnow.lists.requests import RowsRequest

SHOWN_GROUPS = 6
SHOWN_ROWS = 6  # of a group
_MOST_CELLS = 100

_Places = NDArray[np.int64]


def preview_duplicates(
    request: RowsRequest,
    options: RunOptions,
    has_plus_tags: HasPlusTags | None = None,
    most_bytes: int = MOST_BYTES,
) -> DuplicatePreview:
    """Show what removing duplicates does to a list, or to its beginning; see ``open_part``.

    Raises:
        InputError: The list cannot be read, and a run would fail for the same reason.
    """
    ranks = RowRanks(options.keep)
    with open_part(request, ranks, options.repair, None, has_plus_tags, most_bytes) as part:
        return _preview(part, ranks)


def _preview(part: ListPart, ranks: RowRanks) -> DuplicatePreview:
    domains = part.source.domains
    same = number_mailbox_domains(domains) if ranks.rule.joins_aliases else {}
    canonical = join_domains(parse_spellings(domains, lambda share: None).canonical, same)
    is_gone = part.find_gone(canonical)
    codes = part.store.read("codes")
    pairs = pl.DataFrame({"key": part.store.read(part.store.compared), "code": canonical[codes]})
    settled = ranks.settle(part.store.read("ranks")) if ranks.rule.has_ranks else None
    gone = np.flatnonzero(is_gone)
    doubled = pairs[gone].unique(maintain_order=True)
    groups = [_find_group(codes, pairs, pair) for pair in doubled.head(SHOWN_GROUPS).rows()]
    shown = [_pick_rows(rows, is_gone) for rows in groups]
    wanted = np.unique(np.concatenate([np.empty(0, np.int64), *shown]))
    found = part.source.list_rows(wanted) if len(wanted) else ()
    read = dict(zip(wanted.tolist(), found, strict=True))
    dates = ranks.dates
    return DuplicatePreview(
        groups=tuple(
            DuplicateGroup(
                tuple(
                    DuplicateRow(
                        read[place][0],
                        tuple(map(shorten, read[place][1][:_MOST_CELLS])),
                        not is_gone[place],
                        _word_rank(settled, place, ranks.rule.keep),
                    )
                    for place in some.tolist()
                ),
                len(rows),
            )
            for rows, some in zip(groups, shown, strict=True)
        ),
        group_count=len(doubled),
        row_count=int(np.count_nonzero(codes >= FIRST_FAULT)),
        duplicate_count=len(gone),
        is_whole=part.is_whole,
        day_first=dates.takes_day_first if dates.is_open else None,
        is_guess=dates.is_guess,
        unreadable_count=dates.unreadable,
    )


def _find_group(codes: NDArray[np.uint32], pairs: pl.DataFrame, pair: tuple[int, int]) -> _Places:
    is_one = (pairs["key"] == pair[0]) & (pairs["code"] == pair[1])
    return np.flatnonzero(is_one.to_numpy() & (codes >= FIRST_FAULT))


def _pick_rows(rows: _Places, is_gone: NDArray[np.bool_]) -> _Places:
    """Return the first rows of a group and the one that stays."""
    stays = rows[~is_gone[rows]]
    others = rows[is_gone[rows]][: SHOWN_ROWS - len(stays)]
    return np.sort(np.concatenate((others, stays)))


def _word_rank(ranks: Ranks | None, place: int, keep: Keep) -> str:
    if ranks is None:
        return ""
    rank = int(ranks[place])
    return show_rank(rank) if keep is Keep.NEWEST else str(rank)
