"""The email column of a Parquet list, its buffers handed to the engine's column of addresses."""

from collections.abc import Iterable, Iterator
from functools import partial

import numpy as np
import pyarrow as pa

from winnow.lists.engine.address_column import AddressBlock, AddressColumn
from winnow.lists.engine.domain_texts import DomainTexts
from winnow.lists.engine.repairer import Repairer
from winnow.lists.engine.row_codes import FIRST_DOMAIN
from winnow.lists.engine.verdict_table import mark_seen
from winnow.lists.execution.ordered import map_in_order
from winnow.lists.formats.parquet.cell_texts import word_column
from winnow.lists.text.arrow_cells import quote, read_buffers
from winnow.lists.text.cell_text import decode_cell


class AddressSteps:
    """Yields a block for each step of rows, in order; afterwards knows all their domains."""

    def __init__(
        self,
        steps: Iterable[pa.Table],
        place: int,
        role_names: frozenset[str],
        repairer: Repairer | None = None,
    ) -> None:
        self.domains = DomainTexts(FIRST_DOMAIN)
        self.seen = np.zeros(1 << 16, np.uint8)  # from ``mark_seen``
        self._steps = steps
        self._place = place
        decode = partial(decode_cell, codec="utf-8")
        self._column = AddressColumn(decode, role_names, is_utf8=True, repairer=repairer)

    def __iter__(self) -> Iterator[AddressBlock]:
        for block in map_in_order(self._read, self._steps):
            numbered = block.number_domains(self.domains)
            self.seen = mark_seen(self.seen, numbered.codes, numbered.flags)
            yield numbered

    def _read(self, step: pa.Table) -> AddressBlock:
        # The engine takes cells as CSV has them.
        return self._column.read(*read_buffers(quote(word_column(step.column(0), self._place))))
