"""Who said no in a finished list, as keyed hashes with the day, and who said yes after that."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.lists.side_files import (
    MAIL_OUTCOMES,
    FileCounts,
    LaterYes,
    MailOutcome,
    OwnFileKind,
)
from winnow.core.lists.silence import find_activity
from winnow.core.meaning.outcomes import Outcome
from winnow.core.verdicts.reasons import Reason
from winnow.lists.marks.key_files import (
    EPOCH,
    OUTCOMES,
    MatchedRows,
    OwnKeys,
    Rows,
    SpeltRows,
    count_events,
    count_outcomes,
    hash_keys,
    is_objection,
    list_file_reasons,
    list_remembered,
    number_events,
    settle_events,
    split_events,
    to_day,
)
from winnow.lists.marks.keyed_hash import AddressHash
from winnow.lists.result.cell_queries import find_equal
from winnow.lists.result.cell_table import CellReader, CellTable, name_column
from winnow.lists.result.consent_cells import SaidRows
from winnow.lists.result.noes import read_wrapped
from winnow.lists.result.row_index import RowIndex
from winnow.lists.result.silence import read_days


def gather_noes(
    cells: CellReader, said: SaidRows, hashes: AddressHash, date_column: int | None, day: date
) -> tuple[OwnKeys, FileCounts]:
    """Return the addresses of the rows that said no, as events; a bounce beside a no is another.

    Args:
        cells: Of the finished list.
        said: What its rows say.
        hashes: Hides the addresses.
        date_column: Of the keep rule.
        day: When the list came: the day of a no without an earlier date of its own.
    """
    index = RowIndex.open(cells.folder)
    is_address = index.domain_codes(0, index.row_count) > 0
    has = np.zeros((len(OUTCOMES), index.row_count), np.bool_)
    for one, some in said.list_noes():
        if one in MAIL_OUTCOMES:
            has[OUTCOMES.index(MAIL_OUTCOMES[one]), some] = True
    is_no = has.any(axis=0)
    whole = cells.find(hash_rows, hashes, np.flatnonzero(is_no & is_address))
    inside = hash_keys(hashes, *read_wrapped(cells, np.flatnonzero(is_no & ~is_address)))
    spelt = [np.concatenate(some) for some in zip(whole, inside, strict=True)]
    outcomes, places = np.nonzero(has[:, spelt[0]])
    rows, addresses, boxes = (some[places] for some in spelt)
    days = np.full(index.row_count, (day - EPOCH).days, np.int32)
    if said.noes is not None:
        is_changed = date_column is not None and date_column not in find_activity(
            cells.plan.columns
        )
        dated, own = said.noes.find_days(with_keep_date=is_changed)
        days[dated] = np.minimum(own, days[dated])
    hard = OUTCOMES.index(MailOutcome.HARD)
    is_beside = (outcomes == hard) & (np.count_nonzero(has, axis=0)[rows] > 1)  # the day is a no's
    found_on = np.where(is_beside, (day - EPOCH).days, days[rows]).astype(np.int32)
    events = number_events(outcomes.astype(np.uint8), found_on)
    keys, events = OwnKeys.of_events(addresses, boxes, events)
    return keys, replace(count_events(events), rows=index.row_count)


def hash_rows(table: CellTable, hashes: AddressHash, rows: Rows) -> SpeltRows:
    """Return the hashes of some rows' addresses, of corrected ones also as they came."""
    former, came = table.find_former()
    is_asked, keys, start = np.isin(former, rows), list[pl.Series](), 0
    for some in table.stream_texts(table.address):
        first, last = np.searchsorted(rows, (start, start + len(some)))
        keys.append(some.gather(rows[first:last] - start))
        start += len(some)
    keys.append(pl.Series(came, dtype=pl.String).filter(is_asked))
    return hash_keys(hashes, np.concatenate([rows, former[is_asked]]), pl.concat(keys))


def find_later_yes(
    cells: CellReader,
    files: Mapping[OwnFileKind, Sequence[MatchedRows]],
    said: SaidRows,
    date_column: int | None,
    today: date,
) -> Iterator[LaterYes]:
    """Yield rows that say yes by a day of their own, later than a person's remembered no.

    The day is in a column about consent, or in ``date_column`` beside another yes; one after
    ``today`` is none. Rows that another file, a hard bounce or the list itself leaves out are not
    among them.
    """
    remembered = list_remembered(files)
    is_no = is_objection(remembered.events)
    hard = MatchedRows(remembered.rows[~is_no], remembered.events[~is_no])
    found = list_file_reasons({**files, OwnFileKind.SAID_NO: [hard]})
    others = found[Reason.DO_NOT_MAIL] + found[Reason.BOUNCED_HARD]
    others += [rows for _, rows in said.list_noes()]
    is_no &= ~np.isin(remembered.rows, np.concatenate([*others, _NONE]))
    if not is_no.any():
        return
    no_days = split_events(remembered.events[is_no])[1]
    rows, no_days = settle_events(remembered.rows[is_no], no_days)  # of several noes, the newest
    yes_days = _find_yes_days(cells, said, date_column)
    for row, no_day in zip(rows.tolist(), no_days.tolist(), strict=True):
        said_no, said_yes = to_day(no_day), to_day(yes_days[row])
        if said_no and said_yes and said_no < said_yes <= today:
            yield LaterYes(row + 1, said_no, said_yes)


def add_yes(
    cells: CellReader, hashes: AddressHash, yes: LaterYes, former: Sequence[OwnKeys]
) -> tuple[OwnKeys, FileCounts]:
    """Return a file of who is mailed again with the address of one more row."""
    _, addresses, boxes = cells.find(hash_rows, hashes, np.array([yes.number - 1]))
    days = np.full(len(addresses), (yes.said_yes - EPOCH).days, np.int32)
    said = np.full(len(addresses), OUTCOMES.index(MailOutcome.DELIVERED), np.uint8)
    events = number_events(said, days)
    files = *former, OwnKeys.of_events(addresses, boxes, events)[0]
    keys = settle_events(
        np.concatenate([one.addresses for one in files]),
        np.concatenate([one.events for one in files]),
    )
    return OwnKeys(keys[0], events=keys[1]), FileCounts(by_outcome=count_outcomes(keys[1]))


_NONE = np.empty(0, np.int64)


def _find_yes_days(cells: CellReader, said: SaidRows, date_column: int | None) -> NDArray[np.int32]:
    """Return the last day on which each row says yes; 0 where it has none."""
    applied = [one for one in said.columns if one.applied and not one.is_of_verifier]
    days = np.zeros(RowIndex.open(cells.folder).row_count, np.int32)
    for column in applied:
        if column.kind.readings.day is Outcome.MAIL:
            found, is_open = cells.find(read_days, column.position)
            np.maximum(days, 0 if is_open else found, out=days)
        words = [word.value for word in column.words if word.outcome is Outcome.MAIL]
        if date_column is not None and words:
            rows, _ = cells.find(find_equal, name_column(column.position), words)
            found, is_open = cells.find(read_days, date_column)
            days[rows] = np.maximum(days[rows], 0 if is_open else found[rows])
    return days
