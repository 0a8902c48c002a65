"""Beginning of a list as a run's first pass reads it, and its rows as people see them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from winnow.core.addresses.mailbox import HasPlusTags
from winnow.core.tasks.repair_choice import RepairChoice
from winnow.core.verdicts.facts import LocalWords
from winnow.lists.engine.repairer import Repairer
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.execution.row_store import KeptRows, RowStore
from winnow.lists.format_registry import find_format
from winnow.lists.list_source import ListSource, Reading
from winnow.lists.requests import RowsRequest

MOST_BYTES = 48_000_000  # of the file, or of a sheet's XML: a second's work, or two
MOST_ROWS = 1_000_000
_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class ListPart:
    """Rows in the file's order; blank lines and the header are among them.

    ``source`` is the open list. ``is_whole``: these are all of its rows.
    """

    source: ListSource
    store: RowStore
    ranks: RowRanks
    is_whole: bool

    def find_gone(self, canonical: NDArray[np.uint32]) -> NDArray[np.bool_]:
        """Return for each row whether a run removes it; arguments as for ``DuplicateGroups``."""
        with KeptRows(self.store, canonical, deduplicate=True, ranks=self.ranks) as kept_rows:
            return kept_rows.wait()


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
        has_plus_tags: Needed where aliases are joined.
        most_bytes: How much is read; what a block holds beyond it is read as well.

    Raises:
        InputError: A run would fail for the same reason.
    """
    opened = replace(request, block_bytes=min(_BLOCK_BYTES, most_bytes), most_bytes=most_bytes)
    with (
        find_format(request.plan.file_format).open_source(opened) as source,
        RowStore(request.scratch) as store,
    ):
        repairer = None if repair is None else Repairer(repair, source.encoding)
        bytes_done = 0
        is_cut_off = False
        for rows in source.read(
            Reading(local_words or {}, ranks, repairer, has_plus_tags=has_plus_tags)
        ):
            if bytes_done > most_bytes or store.row_count > MOST_ROWS:
                is_cut_off = True
                break
            store.append(rows.columns)
            bytes_done = rows.bytes_done
        store.finish()
        yield ListPart(source, store, ranks, source.is_whole and not is_cut_off)
