"""Beginning of a list as a run's first pass reads it, and its rows as people see them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from winnow.core.addresses.mailbox import HasPlusTags
from winnow.core.tasks.repair_choice import RepairChoice
from winnow.core.verdicts.facts import LocalWords
from winnow.lists.engine.domain_texts import DomainTexts
from winnow.lists.engine.duplicates import Ranks
from winnow.lists.engine.repairer import Repairer
from winnow.lists.engine.row_codes import AddressCodes
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.format_registry import find_format
from winnow.lists.list_source import Reading
from winnow.lists.requests import RowsRequest

MOST_BYTES = 48_000_000  # of the file, or of a sheet's XML: a second's work, or two
MOST_ROWS = 1_000_000
_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class ListPart:
    """Rows in the file's order, an entry each; blank lines and the header are among them.

    ``ranks`` are settled. ``is_whole``: these are all rows of the list. ``list_rows`` returns the
    number in the file and the cells of rows by their places, which rise, while the list is open.
    """

    addresses: AddressCodes
    ranks: Ranks | None
    domains: DomainTexts
    is_whole: bool
    list_rows: Callable[[NDArray[np.int64]], list[tuple[int, tuple[str, ...]]]]


@contextmanager
def open_part(
    request: RowsRequest,
    ranks: RowRanks,
    repair: RepairChoice | None = None,
    local_words: LocalWords | None = None,
    has_plus_tags: HasPlusTags | None = None,
    most_bytes: int = MOST_BYTES,
) -> Iterator[ListPart]:
    """Read a list's beginning as a run does; ``ranks`` learns how its dates are read.

    Args:
        request: The list.
        ranks: Which row of a duplicate stays.
        repair: Is applied before addresses are compared.
        local_words: Flags of whole local parts.
        has_plus_tags: Needed where aliases are joined; keys are then those of mailboxes.
        most_bytes: How much is read; what a block holds beyond it is read as well.

    Raises:
        InputError: A run would fail for the same reason.
    """
    opened = replace(request, block_bytes=min(_BLOCK_BYTES, most_bytes), most_bytes=most_bytes)
    with find_format(request.plan.file_format).open_source(opened) as source:
        repairer = None if repair is None else Repairer(repair, source.encoding)
        blocks: list[AddressCodes] = []
        found = [np.empty(0, np.uint64)]
        row_count = bytes_done = 0
        is_cut_off = False
        reading = Reading(local_words or {}, ranks, repairer, has_plus_tags=has_plus_tags)
        for rows in source.read(reading):
            if bytes_done > most_bytes or row_count > MOST_ROWS:
                is_cut_off = True
                break
            columns = rows.columns
            keys = columns.keys if columns.boxes is None else columns.boxes
            blocks.append(AddressCodes(columns.codes, columns.flags, keys))
            row_count += len(columns.codes)
            bytes_done = rows.bytes_done
            if rows.ranks is not None:
                found.append(rows.ranks)
        yield ListPart(
            AddressCodes.join(blocks),
            ranks.settle(np.concatenate(found)) if ranks.rule.has_ranks else None,
            source.domains,
            source.is_whole and not is_cut_off,
            source.list_rows,
        )
