"""Texts of email cells, handed in bulk to the engine's one column of addresses."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from winnow.lists.engine.address_column import AddressColumn
from winnow.lists.engine.domain_texts import DomainTexts
from winnow.lists.engine.parsed_value import HashText
from winnow.lists.engine.repairer import NO_REPAIRS, RepairedCells, Repairer
from winnow.lists.engine.row_codes import BLANK_LINE, FIRST_DOMAIN, HEADER

BLANK_VALUE, HEADER_VALUE = 0, 1  # the places that every table of values starts with
_VALUES_PER_BLOCK = 1 << 16


class EmailValues:
    """Texts of email cells, taken apart by blocks; each distinct shared string only once.

    With a ``repairer``, the texts are kept as well.
    """

    def __init__(
        self,
        role_names: frozenset[str] = frozenset(),
        repairer: Repairer | None = None,
        hash_text: HashText | None = None,
    ) -> None:
        self.domains = DomainTexts(FIRST_DOMAIN)
        self._column = AddressColumn(
            _decode_cell, role_names, is_utf8=True, repairer=repairer, hash_text=hash_text
        )
        self._keeps_texts = repairer is not None
        self._texts: list[pa.Array] = [pa.array([b"", b""], pa.large_binary())]
        self._repaired: dict[int, tuple[int, str, str]] = {}  # kind, old, new by place
        self._pending: list[bytes] = []
        self._count = 2
        self._codes = [np.array([BLANK_LINE, HEADER], np.uint32)]
        self._flags = [np.zeros(2, np.uint8)]
        self._keys = [np.zeros(2, np.uint64)]

    def add(self, text: str) -> int:
        """Return the place of a new value."""
        encoded = text.encode("utf-8", "surrogatepass")
        if b'"' in encoded:  # the column takes cells as CSV has them
            encoded = b'"' + encoded.replace(b'"', b'""') + b'"'
        self._pending.append(encoded)
        self._count += 1
        if len(self._pending) >= _VALUES_PER_BLOCK:
            self._flush()
        return self._count - 1

    def add_many(self, texts: pa.Array) -> int:
        """Add texts given as UTF-8; return the place of the first, the others follow."""
        first = self._count
        if pc.any(pc.match_substring(texts, '"')).as_py():
            for text in texts.to_pylist():
                self.add(text.decode("utf-8", "surrogatepass"))
            return first
        if self._pending:
            self._flush()
        offsets = np.frombuffer(texts.buffers()[1], np.int64, len(texts) + 1, 8 * texts.offset)
        values = texts.buffers()[2]
        data = np.frombuffer(values if values is not None and values.size else b"\n", np.uint8)
        self._read(data, offsets[:-1], offsets[1:])
        self._count += len(texts)
        return first

    def gather(
        self, places: NDArray[np.int32]
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint8], NDArray[np.uint64]]:
        """Return codes, flags and keys for rows by the places of their values."""
        if self._pending:
            self._flush()
        return (
            np.concatenate(self._codes)[places],
            np.concatenate(self._flags)[places],
            np.concatenate(self._keys)[places],
        )

    def find_repaired(self, places: NDArray[np.int32]) -> RepairedCells:
        """Return which rows were repaired, by the places of their values."""
        known = np.array(sorted(self._repaired), np.int64)
        rows = np.flatnonzero(np.isin(places, known))
        if not len(rows):
            return NO_REPAIRS
        found = [self._repaired[place] for place in places[rows].tolist()]
        kinds, old, new = zip(*found, strict=True)
        return RepairedCells(rows, np.array(kinds, np.uint8), old, new)

    def read_addresses(self, places: NDArray[np.integer]) -> list[str]:
        """Return the texts of values, repaired where they were."""
        if len(self._texts) > 1:
            self._texts = [pa.concat_arrays(self._texts)]
        raw = self._texts[0].take(pa.array(places.astype(np.int64))).to_pylist()
        return [
            self._repaired[place][2] if place in self._repaired else _decode_cell(text)
            for place, text in zip(places.tolist(), raw, strict=True)
        ]

    def _flush(self) -> None:
        data = np.frombuffer(b"".join(self._pending) or b"\n", np.uint8)
        ends = np.cumsum([len(value) for value in self._pending], dtype=np.int64)
        starts = np.concatenate((np.zeros(1, np.int64), ends[:-1]))
        self._read(data, starts, ends)
        self._pending.clear()

    def _read(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> None:
        block = self._column.read(data, starts, ends).number_domains(self.domains)
        if self._keeps_texts:
            self._keep(data, starts, ends, block.repaired)
        self._codes.append(block.codes)
        self._flags.append(block.flags)
        self._keys.append(block.keys)

    def _keep(
        self,
        data: NDArray[np.uint8],
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        repaired: RepairedCells,
    ) -> None:
        first = sum(map(len, self._codes))
        places = (repaired.rows + first).tolist()
        found = zip(repaired.kinds.tolist(), repaired.old, repaired.new, strict=True)
        self._repaired.update(zip(places, found, strict=True))
        raw = data.data
        texts = [bytes(raw[start:end]) for start, end in zip(starts, ends, strict=True)]
        self._texts.append(pa.array(texts, pa.large_binary()))


def _decode_cell(raw: bytes) -> str:
    if raw[:1] == b'"':
        raw = raw[1:-1].replace(b'""', b'"')
    return raw.decode("utf-8", "surrogatepass")
