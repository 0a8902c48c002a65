"""The email column of a Parquet list, its buffers handed to the engine's column of addresses."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from winnow.core.tasks.task import InputPlan
from winnow.lists.engine.address_column import AddressBlock, AddressColumn
from winnow.lists.engine.domain_texts import DomainTexts
from winnow.lists.engine.parsed_value import HashText
from winnow.lists.engine.repairer import Repairer
from winnow.lists.engine.row_codes import FIRST_DOMAIN
from winnow.lists.engine.verdict_table import mark_seen
from winnow.lists.execution.ordered import map_in_order
from winnow.lists.formats.parquet.cell_texts import is_blank, word_column
from winnow.lists.text.cell_text import decode_text


class AddressSteps:
    """Yields blocks for each step of rows, in order; afterwards knows all their domains.

    A step has one, or, with ``judges_both``, another of the second column's addresses.
    """

    def __init__(
        self,
        steps: Iterable[pa.Table],
        places: Sequence[int],
        role_names: frozenset[str],
        repairer: Repairer | None = None,
        *,
        judges_both: bool = False,
        hash_text: HashText | None = None,
    ) -> None:
        self.domains = DomainTexts(FIRST_DOMAIN)
        self.seen = np.zeros(1 << 16, np.uint8)  # from ``mark_seen``
        self._steps = steps
        self._places = places
        self._judges_both = judges_both
        self._column = AddressColumn(
            decode_text, role_names, is_utf8=True, repairer=repairer, hash_text=hash_text
        )

    def __iter__(self) -> Iterator[tuple[AddressBlock, ...]]:
        for blocks in map_in_order(self._read, self._steps):
            for block in blocks:
                numbered = block.number_domains(self.domains)
                self.seen = mark_seen(self.seen, numbered.codes, numbered.flags)
            yield blocks

    def _read(self, step: pa.Table) -> tuple[AddressBlock, ...]:
        if not self._judges_both:
            return (self._column.read_texts(word_addresses(step.columns, self._places)),)
        return tuple(
            self._column.read_texts(word_column(column, place))
            for column, place in zip(step.columns, self._places, strict=True)
        )


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


def word_addresses(
    columns: Sequence[pa.ChunkedArray],
    places: Sequence[int],
    takes: NDArray[np.bool_] | None = None,
) -> pa.Array:
    """Return each row's address as text.

    That of the first column, or of the second where ``takes`` says so; None: where the first is
    blank.
    """
    texts = word_column(columns[0], places[0])
    if len(places) == 1:
        return texts
    others = word_column(columns[1], places[1])
    if takes is None:
        return pc.if_else(pc.and_(is_blank(texts), pc.invert(is_blank(others))), others, texts)
    return pc.if_else(pa.array(takes), others, texts)
