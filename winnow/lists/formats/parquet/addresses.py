"""Email column of a Parquet list, whose buffers the engine reads as addresses; ranks of rows."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import repeat

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from winnow.core.tasks.keep_rule import Keep, KeepRule
from winnow.core.tasks.task import InputPlan
from winnow.core.verdicts.facts import LocalWords
from winnow.lists.engine.address_column import AddressBlock, AddressColumn
from winnow.lists.engine.domain_texts import DomainTexts
from winnow.lists.engine.repairer import Repairer
from winnow.lists.engine.row_codes import FIRST_DOMAIN
from winnow.lists.engine.row_ranks import RankBlock, rank_by_count, rank_by_date_texts
from winnow.lists.engine.verdict_table import begin_seen, mark_seen
from winnow.lists.execution.ordered import map_in_order
from winnow.lists.formats.parquet.cell_texts import is_blank, word_column
from winnow.lists.formats.parquet.source import ParquetSource
from winnow.lists.text.cell_text import decode_text


class AddressSteps:
    """Yields a block for each step of rows, in order; afterwards has all their domains."""

    def __init__(
        self,
        steps: Iterable[pa.Table],
        places: Sequence[int],
        local_words: LocalWords,
        repairer: Repairer | None = None,
    ) -> None:
        self.domains = DomainTexts(FIRST_DOMAIN)
        self.seen = begin_seen()  # from ``mark_seen``
        self._steps = steps
        self._places = places
        self._column = AddressColumn(decode_text, local_words, is_utf8=True, repairer=repairer)

    def __iter__(self) -> Iterator[AddressBlock]:
        for block in map_in_order(self._read, self._steps):
            numbered = block.number_domains(self.domains)
            self.seen = mark_seen(self.seen, numbered.codes, numbered.flags)
            yield block

    def _read(self, step: pa.Table) -> AddressBlock:
        return self._column.read_texts(word_addresses(step.columns, self._places))


def list_places(plan: InputPlan) -> tuple[int, ...]:
    """Return the columns that hold addresses, the first one first."""
    second = plan.second_email_column
    return (plan.email_column,) if second is None else (plan.email_column, second)


def read_columns(
    read: Callable[[int], Iterator[pa.Table]], places: Sequence[int]
) -> Iterator[pa.Table]:
    """Yield some columns side by side; ``read`` yields one, always in the same steps."""
    if len(places) == 1:
        yield from read(places[0])
        return
    for steps in zip(*map(read, places), strict=True):
        columns = [step.column(0) for step in steps]
        yield pa.Table.from_arrays(columns, names=[str(place) for place in places])


def word_addresses(columns: Sequence[pa.ChunkedArray], places: Sequence[int]) -> pa.Array:
    """Return each row's address as text: that of the second column where the first is blank."""
    texts = word_column(columns[0], places[0])
    if len(places) == 1:
        return texts
    others = word_column(columns[1], places[1])
    return pc.if_else(pc.and_(is_blank(texts), pc.invert(is_blank(others))), others, texts)


def rank_steps(source: ParquetSource, rule: KeepRule) -> Iterator[RankBlock | None]:
    """Yield the ranks of each step of ``ParquetSource.read_column``; None without end for none."""
    if rule.date_column is not None:
        steps = source.read_column(rule.date_column)
        return map_in_order(partial(_rank_by_dates, rule.date_column), steps)
    if rule.keep is Keep.COMPLETE:
        return map_in_order(_rank_by_count, (step for step, _ in source.read_whole()))
    return repeat(None)


def _rank_by_dates(place: int, step: pa.Table) -> RankBlock:
    return rank_by_date_texts(word_column(step.column(0), place))


def _rank_by_count(step: pa.Table) -> RankBlock:
    counts = np.zeros(step.num_rows, np.int64)
    for place, column in enumerate(step.columns):
        counts += ~is_blank(word_column(column, place)).to_numpy(zero_copy_only=False)
    return rank_by_count(counts)
