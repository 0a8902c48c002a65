"""Who said no in a finished list, as keyed hashes with the day: what the never-mail list stores."""

from collections.abc import Iterable
from datetime import date

import numpy as np
import polars as pl

from winnow.core.lists.side_files import FileCounts, MailOutcome
from winnow.core.meaning.outcomes import Outcome
from winnow.lists.marks.key_files import (
    EPOCH,
    OUTCOMES,
    OwnKeys,
    Rows,
    count_outcomes,
    number_events,
)
from winnow.lists.marks.keyed_hash import AddressHash, Hashes
from winnow.lists.result.cell_table import CellReader, CellTable
from winnow.lists.result.row_index import RowIndex

REMEMBERED = {
    Outcome.COMPLAINED: MailOutcome.COMPLAINED,
    Outcome.NO_MAIL: MailOutcome.UNSUBSCRIBED,
    Outcome.HARD_BOUNCE: MailOutcome.HARD,
    Outcome.INVALID: MailOutcome.HARD,  # by another service: counts as a bounce does
}
"""What is remembered; who waits for a confirmation has not said no, and may confirm later."""


def gather_noes(
    cells: CellReader, said: Iterable[tuple[Outcome, Rows]], hashes: AddressHash, day: date
) -> tuple[OwnKeys, FileCounts] | None:
    """Return the addresses of the rows that said no, as events of a day; None: there are none.

    Args:
        cells: Of the finished list.
        said: Rows by what they say.
        hashes: Hides the addresses.
        day: When the list said so: the day that it came, which is later than its own dates.
    """
    index = RowIndex.open(cells.folder)
    is_address = index.domain_codes(0, index.row_count) > 0
    worst = np.full(index.row_count, len(OUTCOMES), np.uint8)
    noes = [(REMEMBERED[outcome], rows) for outcome, rows in said if outcome in REMEMBERED]
    for outcome, rows in sorted(noes, key=lambda one: _WORST_LAST.index(one[0])):
        worst[rows] = OUTCOMES.index(outcome)
    rows = np.flatnonzero((worst < len(OUTCOMES)) & is_address)
    if not len(rows):
        return None
    addresses, boxes = cells.find(hash_rows, hashes, rows)
    days = np.full(len(rows), (day - EPOCH).days, np.int32)
    keys, events = OwnKeys.of_events(addresses, boxes, number_events(worst[rows], days))
    return keys, FileCounts(by_outcome=count_outcomes(events), first_day=day, last_day=day)


_WORST_LAST = (MailOutcome.HARD, MailOutcome.UNSUBSCRIBED, MailOutcome.COMPLAINED)


def hash_rows(table: CellTable, hashes: AddressHash, rows: Rows) -> tuple[Hashes, Hashes]:
    """Return the hashes of some rows' addresses, and of the mailboxes that they may reach."""
    texts, start = [pl.Series("text", [], pl.String)], 0
    for some in table.stream_texts(table.address):
        first, last = np.searchsorted(rows, (start, start + len(some)))
        texts.append(some.gather(rows[first:last] - start))
        start += len(some)
    addresses = pl.concat(texts)
    local_parts = addresses.str.replace("@[^@]*$", "")
    domains = addresses.str.extract("@([^@]*)$").fill_null("")
    return hashes.hash_parts(local_parts, domains), hashes.hash_boxes(local_parts, domains)
