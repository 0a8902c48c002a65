"""The email column of a Parquet list, its buffers handed to the engine's column of addresses."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from winnow.core.tasks.task import InputPlan
from winnow.lists.engine.address_column import AddressBlock, AddressColumn
from winnow.lists.engine.domain_texts import DomainTexts
from winnow.lists.engine.repairer import Repairer
from winnow.lists.engine.row_codes import FIRST_DOMAIN
from winnow.lists.engine.verdict_table import mark_seen
from winnow.lists.execution.ordered import map_in_order
from winnow.lists.formats.parquet.cell_texts import is_blank, word_column
from winnow.lists.text.arrow_cells import quote, read_buffers
from winnow.lists.text.cell_text import decode_cell


class AddressSteps:
    """Yields a block for each step of rows, in order; afterwards knows all their domains."""

    def __init__(
        self,
        steps: Iterable[pa.Table],
        places: Sequence[int],
        role_names: frozenset[str],
        repairer: Repairer | None = None,
    ) -> None:
        self.domains = DomainTexts(FIRST_DOMAIN)
        self.seen = np.zeros(1 << 16, np.uint8)  # from ``mark_seen``
        self._steps = steps
        self._places = places
        decode = partial(decode_cell, codec="utf-8")
        self._column = AddressColumn(decode, role_names, is_utf8=True, repairer=repairer)

    def __iter__(self) -> Iterator[AddressBlock]:
        for block in map_in_order(self._read, self._steps):
            numbered = block.number_domains(self.domains)
            self.seen = mark_seen(self.seen, numbered.codes, numbered.flags)
            yield numbered

    def _read(self, step: pa.Table) -> AddressBlock:
        # The engine takes cells as CSV has them.
        return self._column.read(*read_buffers(quote(word_addresses(step.columns, self._places))))


def list_places(plan: InputPlan) -> tuple[int, ...]:
    """Return the columns that addresses stand in, the first one first."""
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
    """Return each row's address as text: the first column's, or where it is blank the second's."""
    texts = word_column(columns[0], places[0])
    if len(places) == 1:
        return texts
    others = word_column(columns[1], places[1])
    takes = pc.and_(is_blank(texts), pc.invert(is_blank(others)))
    return pc.if_else(takes, others, texts)
