"""What rows say of mail to their mailboxes, as the run wrote it down: removed rows included.

``noes.parquet`` is there where the list has columns about mail. It has every row of each mailbox
of which any row says that it is not to be mailed, or may say so: the mailbox (a number), the row's
number in the list's file and in the result (-1: it was removed), its date by the keep rule (0:
none), and its cells of those columns. The rows of an address that is inside a malformed cell are
rows of that cell's mailbox as well, without number and cells. Addresses are not in it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.addresses.address import duplicate_key
from winnow.core.meaning.columns import (
    NO_DECISIONS,
    ColumnMeaning,
    MailDecisions,
    read_cell,
)
from winnow.core.meaning.outcomes import Outcome
from winnow.core.verdicts.reasons import Reason
from winnow.lists.engine.date_cells import count_days
from winnow.lists.engine.said_cells import read_meanings
from winnow.lists.result.cell_grid import read_emails
from winnow.lists.result.cell_table import CellReader
from winnow.lists.result.former import list_inner
from winnow.lists.result.row_index import RowIndex
from winnow.lists.result.silence import read_cells_days

NOES = "noes.parquet"
VALUES = b"values"
"""Key of the counts of each column's most frequent values, of all rows, in the file's schema."""
_HARD = (Outcome.HARD_BOUNCE, Outcome.INVALID)
_NO_WORD = {Outcome.SOFT_BOUNCE, Outcome.RISKY}  # of the person: a yes beside it is one
_NOES = [one for one in Outcome if one.forbids]
_OBJECTIONS = [one for one in Outcome if one.is_objection]
_NEVER = np.iinfo(np.uint64).max  # a no without a date is not taken back

Rows = NDArray[np.int64]


def name_cells(place: int) -> str:
    """Return the name of the column with the cells of a place."""
    return f"c{place}"


def list_indices(folder: Path) -> frozenset[int]:
    """Return the columns that a result's file has cells of; none where there is no file."""
    import pyarrow.parquet as pq

    try:
        values = pq.read_schema(folder / NOES).metadata[VALUES]
    except FileNotFoundError:
        return frozenset()
    return frozenset(map(int, json.loads(values)))


@dataclass(frozen=True, slots=True)
class SaidOfRow:
    """What a row of the list's file says of mail: its number there, the column, the cell."""

    number: int
    column: str
    cell: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Noes:
    """Rows of the file, with what each says at worst by the applied columns."""

    table: pl.DataFrame
    columns: tuple[ColumnMeaning, ...] = ()
    decisions: MailDecisions = NO_DECISIONS

    @classmethod
    def open(cls, cells: CellReader, decisions: MailDecisions = NO_DECISIONS) -> "Noes | None":
        """Read a result's file; None: the list says nothing, or an earlier release read it."""
        plan = cells.plan
        try:
            file = (cells.folder / NOES).open("rb")
        except FileNotFoundError:
            return None
        import pyarrow.parquet as pq  # a tenth of a small list's imports

        with file:
            table = pq.ParquetFile(file).read()  # without pyarrow.dataset
        frame, values = pl.DataFrame(pl.from_arrow(table)), {}
        for place, counts in json.loads(table.schema.metadata[VALUES]).items():
            others = frame[name_cells(int(place))].unique().to_list()
            values[int(place)] = dict.fromkeys(others, 1) | counts
        columns = read_meanings(plan.columns, values, plan.email_column, decisions)
        return cls(_judge(frame, columns, decisions), columns, decisions)

    def find_rows(self) -> dict[Reason, Rows]:
        """Return the result's rows, from 0 and rising, by the reasons that the file gives them."""
        rows, boxes, when = (self.table[name].to_numpy() for name in ("row", "mailbox", "when"))
        count = int(boxes.max(initial=0)) + 1

        def find_last(outcomes: Sequence[Outcome], undated: int) -> NDArray[np.uint64]:
            """Return the last date of some outcomes of each row's mailbox; 0: of none of them."""
            is_said, last = self._say(outcomes), np.zeros(count, np.uint64)
            np.maximum.at(last, boxes[is_said], np.where(when, when, np.uint64(undated))[is_said])
            return last.take(boxes)

        no_at = find_last(_OBJECTIONS, _NEVER)
        is_before = find_last([Outcome.MAIL], 0) > no_at
        is_own = self._say(_OBJECTIONS)
        is_other = (no_at > 0) & ~is_own
        tests = {
            Reason.UNSUBSCRIBED: is_own,
            Reason.UNSUBSCRIBED_ELSEWHERE: is_other & ~is_before,
            Reason.UNSUBSCRIBED_BEFORE: is_other & is_before,
            Reason.BOUNCED_HARD: find_last(_HARD, _NEVER) > 0,
        }
        found = {reason: pl.Series(rows[test & (rows >= 0)]) for reason, test in tests.items()}
        return {one: some.unique().sort().to_numpy() for one, some in found.items() if len(some)}

    def _say(self, outcomes: Sequence[Outcome]) -> NDArray[np.bool_]:
        return self.table["outcome"].is_in(list(outcomes)).to_numpy()

    def find_noes(self, outcome: Outcome) -> Rows:
        """Return the result's rows of the mailboxes of which any row has an outcome."""
        is_said = pl.col("outcome") == outcome
        if outcome is Outcome.HARD_BOUNCE:
            is_said |= pl.col("bounced")
        is_said = is_said.any().over("mailbox")
        return self.table.filter(is_said & (pl.col("row") >= 0))["row"].to_numpy()

    def find_days(self, *, with_keep_date: bool) -> tuple[Rows, NDArray[np.int32]]:
        """Return the result's rows of mailboxes whose noes all have a day, and the last of each.

        Args:
            with_keep_date: A row without a day of its own no has that of the keep rule's column.
        """
        day, table = pl.col("day"), self.table
        if with_keep_date:
            when = pl.Series(count_days(table["when"].to_numpy()))
            table = table.with_columns(pl.when(day > 0).then(day).otherwise(when).alias("day"))
        noes = table.filter(pl.col("outcome").is_in(_NOES))
        days = noes.group_by("mailbox").agg(day.min().alias("first"), day.max())
        days = days.filter(pl.col("first") > 0)
        found = self.table.drop("day").filter(pl.col("row") >= 0).join(days, on="mailbox")
        return found["row"].to_numpy(), found["day"].to_numpy()

    def cite(self, row: int) -> Iterator[SaidOfRow]:
        """Yield what the rows of the mailbox of a result's row say against mail to it."""
        boxes = self.table.filter(pl.col("row") == row)["mailbox"].implode()
        is_said = pl.col("mailbox").is_in(boxes) & (pl.col("number") > 0)
        for one in self.table.filter(is_said).iter_rows(named=True):
            for column in self.columns:
                cell = one[name_cells(column.position)]
                outcome = read_cell(column, cell, self.decisions)
                if column.applied and outcome.forbids and one["row"] != row:
                    yield SaidOfRow(one["number"], column.name.strip(), cell.strip(), outcome)


def count_people(found: Mapping[Reason, Rows]) -> dict[str, int]:
    """Return how many rows of ``Noes.find_rows`` said no, and how many others bounced."""
    bounced = found.get(Reason.BOUNCED_HARD, np.empty(0, np.int64))
    others = (rows for reason, rows in found.items() if reason is not Reason.BOUNCED_HARD)
    said = pl.Series(np.concatenate([bounced[:0], *others]))
    said_no, everyone = said.n_unique(), said.append(pl.Series(bounced)).n_unique()
    return {"said_no": said_no, "bounced": everyone - said_no}


def read_wrapped(cells: CellReader, rows: Rows) -> tuple[Rows, list[str]]:
    """Return the keys of addresses inside malformed cells.

    Args:
        cells: Of a finished list.
        rows: Of the result, rising.

    Returns:
        The row of each key, and the keys.
    """
    index = RowIndex.open(cells.folder)
    inner = rows[index.domain_codes(0, index.row_count)[rows] == 0]
    found = [
        (row, duplicate_key(address))
        for row, text in zip(inner.tolist(), read_emails(index, cells.plan, inner), strict=True)
        for address in list_inner(text)
    ]
    return np.array([row for row, _ in found], np.int64), [key for _, key in found]


def _judge(
    table: pl.DataFrame, columns: Sequence[ColumnMeaning], decisions: MailDecisions
) -> pl.DataFrame:
    """Add the worst outcome of each row's cells in the applied columns, and the last day of it.

    The day (from 1970; 0: none) is the cell that says no; ``bounced`` is also beside worse cells.
    """
    ranks = list(Outcome)
    worst = np.full(len(table), ranks.index(Outcome.NOTHING), np.uint8)
    day = np.zeros(len(table), np.int32)
    bounced = np.zeros(len(table), np.bool_)
    for column in (one for one in columns if one.applied):
        cells = table[name_cells(column.position)].cast(pl.Categorical)
        codes, distinct = cells.to_physical().to_numpy(), cells.unique()
        no_word = _NO_WORD | ({Outcome.MAIL} if column.is_of_verifier else set())
        texts, kinds = distinct.cast(pl.String), np.zeros(1 + codes.max(initial=0), np.uint8)
        read = (read_cell(column, cell, decisions) for cell in texts.to_list())
        found = [ranks.index(Outcome.NOTHING if one in no_word else one) for one in read]
        kinds[distinct.to_physical().to_numpy()] = found
        outcomes = np.where(table["number"] > 0, kinds[codes], ranks.index(Outcome.NOTHING))
        bounced |= np.isin(outcomes, [ranks.index(one) for one in _HARD])
        is_dated = column.kind.readings.day.forbids
        days, is_open = read_cells_days([cells.cast(pl.String)]) if is_dated else (day, True)
        days = days * (not is_open)
        day = np.where(outcomes > worst, day, np.maximum(days, day * (outcomes == worst)))
        worst = np.minimum(worst, outcomes)
    names = pl.Series("outcome", [one.value for one in ranks], pl.Enum(Outcome))
    return table.with_columns(
        names.gather(worst).alias("outcome"),
        pl.Series("day", day, pl.Int32),
        pl.Series("bounced", bounced),
    )
