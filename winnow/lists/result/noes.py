"""What rows say of mail to their mailboxes, as the run wrote it down: removed rows included.

``noes.parquet`` has every row of each mailbox of which any row says that it is not to be mailed,
or may say so: the mailbox (a number), the row's number in the list's file and in the result (-1: it
was removed), its date by the keep rule (0: none), and its cells of the columns about mail.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.meaning.columns import (
    NO_DECISIONS,
    ColumnMeaning,
    MailDecisions,
    read_cell,
    read_columns,
)
from winnow.core.meaning.outcomes import Outcome
from winnow.core.verdicts.reasons import Reason

NOES = "noes.parquet"
_CELLS = "c"
_HARD = (Outcome.HARD_BOUNCE, Outcome.INVALID)

Rows = NDArray[np.int64]


def name_cells(place: int) -> str:
    """Return the name of the column with the cells of a place."""
    return f"{_CELLS}{place}"


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

    @classmethod
    def open(
        cls,
        folder: Path,
        names: Sequence[str],
        email_column: int,
        decisions: MailDecisions = NO_DECISIONS,
    ) -> "Noes | None":
        """Read a result's file; None: no row says anything, or an earlier release made it."""
        try:
            table = pl.read_parquet(folder / NOES)
        except FileNotFoundError:
            return None
        places = [int(name[len(_CELLS) :]) for name in table.columns if name.startswith(_CELLS)]
        values: list[Mapping[str, int]] = [{} for _ in range(max(len(names), *places) + 1)]
        for place in places:
            counted = table[name_cells(place)].cast(pl.String).value_counts()
            values[place] = dict(counted.iter_rows())
        names = (*names, *[""] * (len(values) - len(names)))
        columns = read_columns(names, values, email_column, decisions)
        columns = tuple(one for one in columns if one.applied and one.position in places)
        return cls(_judge(table, columns, values, decisions), columns)

    def find_rows(self) -> dict[Reason, Rows]:
        """Return the result's rows, from 0 and rising, by the reasons that the file gives them."""
        objects = pl.col("outcome").is_in([one for one in Outcome if one.is_objection])
        no_at = pl.when(objects & (pl.col("when") > 0)).then("when").when(objects).then(_NEVER)
        yes_at = pl.when(pl.col("outcome") == Outcome.MAIL).then("when")
        found = self.table.with_columns(
            pl.any_horizontal(objects).any().over("mailbox").alias("is_no"),
            pl.col("outcome").is_in(_HARD).any().over("mailbox").alias("is_hard"),
            (yes_at.max().over("mailbox") > no_at.max().over("mailbox")).alias("is_before"),
            objects.alias("is_own"),
        ).filter(pl.col("row") >= 0)
        is_before = pl.col("is_before").fill_null(value=False)
        is_other = pl.col("is_no") & ~pl.col("is_own")
        tests = {
            Reason.UNSUBSCRIBED: pl.col("is_own"),
            Reason.UNSUBSCRIBED_ELSEWHERE: is_other & ~is_before,
            Reason.UNSUBSCRIBED_BEFORE: is_other & is_before,
            Reason.BOUNCED_HARD: pl.col("is_hard"),
        }
        rows = {reason: found.filter(test)["row"].to_numpy() for reason, test in tests.items()}
        return {reason: np.sort(some) for reason, some in rows.items() if len(some)}

    def cite(self, row: int) -> Iterator[SaidOfRow]:
        """Yield what the rows of the mailbox of a result's row say against mail to it."""
        boxes = self.table.filter(pl.col("row") == row)["mailbox"].implode()
        for one in self.table.filter(pl.col("mailbox").is_in(boxes)).iter_rows(named=True):
            for column in self.columns:
                cell = one[name_cells(column.position)]
                outcome = read_cell(column, cell)
                if outcome.forbids and one["row"] != row:
                    yield SaidOfRow(one["number"], column.name.strip(), cell.strip(), outcome)


_NEVER = pl.lit(np.iinfo(np.uint64).max, pl.UInt64)  # a no without a date is not taken back


def _judge(
    table: pl.DataFrame,
    columns: Sequence[ColumnMeaning],
    values: Sequence[Mapping[str, int]],
    decisions: MailDecisions,
) -> pl.DataFrame:
    """Add the worst outcome of each row's cells."""
    ranks = list(Outcome)
    worst = np.full(len(table), ranks.index(Outcome.NOTHING), np.uint8)
    for column in columns:
        texts = table[name_cells(column.position)].cast(pl.String)
        outcomes = {
            cell: ranks.index(read_cell(column, cell, decisions))
            for cell in values[column.position]
        }
        found = texts.replace_strict(outcomes, return_dtype=pl.UInt8).to_numpy()
        worst = np.minimum(worst, found)
    names = pl.Series("outcome", [one.value for one in ranks])
    return table.with_columns(names.gather(worst).alias("outcome"))
