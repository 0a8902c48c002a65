"""Beginning of a list as a run's first pass reads it, and its rows as people see them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from winnow.core.addresses.mailbox import HasPlusTags
from winnow.core.tasks.run_options import RunOptions
from winnow.core.tasks.task import InputPlan
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
class PartRequest:
    """A list whose beginning is to be read.

    Attributes:
        path: The file; it is only read.
        plan: How it is to be read.
        options: What is chosen for the run.
        scratch: An existing folder for temporary files.
        most_bytes: Of text, or of a sheet's XML; what a block holds more is read as well.
        local_words: Flags of whole local parts.
        has_plus_tags: Needed where the options join aliases; keys are then those of mailboxes.
    """

    path: Path
    plan: InputPlan
    options: RunOptions
    scratch: Path
    most_bytes: int = MOST_BYTES
    local_words: LocalWords = field(default_factory=dict)
    has_plus_tags: HasPlusTags | None = None


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
def open_part(request: PartRequest, ranks: RowRanks) -> Iterator[ListPart]:
    """Read a list's beginning as a run does; ``ranks`` learns how its dates are read.

    Raises:
        InputError: A run would fail for the same reason.
    """
    plan, repair, most_bytes = request.plan, request.options.repair, request.most_bytes
    block_bytes = min(_BLOCK_BYTES, most_bytes)
    opened = RowsRequest(request.path, plan, request.scratch, block_bytes, most_bytes)
    with find_format(plan.file_format).open_source(opened) as source:
        repairer = None if repair is None else Repairer(repair, source.encoding)
        blocks: list[AddressCodes] = []
        found = [np.empty(0, np.uint64)]
        row_count = bytes_done = 0
        is_cut_off = False
        reading = Reading(request.local_words, ranks, repairer, has_plus_tags=request.has_plus_tags)
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
