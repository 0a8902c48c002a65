"""The second pass over a block: kept records as they stand, with the added cells behind each."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from backend.core.verdict import Verdict
from backend.files.engine.address_column import BLANK_LINE, FIRST_FAULT, HEADER
from backend.files.engine.memory import ARROW_POOL
from backend.files.engine.records import CR, LF, Bytes

SPARE_BYTES = 1 << 14  # room for the tails behind a block's records

_LINE_ENDS = (b"", b"\n", b"\r\n", b"\r")
_LINE_END_SIZES = np.array([len(end) for end in _LINE_ENDS])


@dataclass(frozen=True, slots=True)
class Suffixes:
    """What is put behind a record's cells: by place in the verdicts, the header last."""

    cells: tuple[bytes, ...]
    delimiter: bytes
    width: int

    @classmethod
    def build(
        cls, verdicts: tuple[Verdict, ...], names: tuple[str, str], delimiter: str, width: int
    ) -> "Suffixes":
        """Word the added cells; ``width`` is what every record is padded to first."""
        pairs = [(verdict.category, verdict.domain_type) for verdict in verdicts]
        cells = tuple(
            f"{delimiter}{first}{delimiter}{second}".encode() for first, second in (*pairs, names)
        )
        return cls(cells, delimiter.encode(), width)


@dataclass(frozen=True, slots=True)
class AugmentedBlock:
    """Bytes for the result, and the size of each line of it. ``lines`` are positions in the block.

    ``is_row`` tells rows from blank lines and the header.
    """

    data: pa.Buffer | bytes
    sizes: NDArray[np.int64]
    lines: NDArray[np.int64]
    is_row: NDArray[np.bool_]


def augment_block(
    data: Bytes,
    sizes: NDArray[np.uint32],
    codes: NDArray[np.uint32],
    widths: NDArray[np.uint16],
    is_kept: NDArray[np.bool_],
    verdict_places: NDArray[np.uint16],
    suffixes: Suffixes,
) -> AugmentedBlock:
    """Put the added cells behind every kept record of a block, before its line end.

    ``data`` may be longer than the records (by SPARE_BYTES, best): what stands behind them is
    overwritten with the tails, so that one copy puts all pieces of the result together.
    """
    ends = np.cumsum(sizes, dtype=np.int64)
    starts = ends - sizes
    record_bytes = int(ends[-1]) if len(ends) else 0
    line_ends = _name_line_ends(data, starts, ends)
    lines = np.flatnonzero(is_kept)
    kept_codes = codes[lines]
    tails, tail_places = _choose_tails(
        kept_codes, widths[lines], verdict_places[lines], line_ends[lines], suffixes
    )
    text = np.frombuffer(b"".join(tails), np.uint8)
    if len(data) < record_bytes + len(text):
        data = np.concatenate((data[:record_bytes], text))
    data[record_bytes : record_bytes + len(text)] = text
    count = len(sizes)
    bounds = np.empty(2 * count + len(tails) + 1, np.int64)
    bounds[0 : 2 * count : 2] = starts
    bounds[1 : 2 * count : 2] = ends - _LINE_END_SIZES[line_ends]
    bounds[2 * count] = record_bytes
    np.cumsum([len(tail) for tail in tails], out=bounds[2 * count + 1 :])
    bounds[2 * count + 1 :] += record_bytes
    pieces = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), len(bounds) - 1, [None, pa.py_buffer(bounds), pa.py_buffer(data)]
    )
    chosen = np.empty(2 * len(lines), np.int64)
    chosen[0::2] = lines * 2
    chosen[1::2] = tail_places + 2 * count
    glued = pc.take(pieces, pa.array(chosen), boundscheck=False, memory_pool=ARROW_POOL)
    offsets = np.frombuffer(glued.buffers()[1], np.int64, len(glued) + 1)
    return AugmentedBlock(
        glued.buffers()[2].slice(0, int(offsets[-1])) if offsets[-1] else b"",
        np.diff(offsets[::2]),
        lines,
        kept_codes >= FIRST_FAULT,
    )


def _name_line_ends(
    data: Bytes, starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.int64]:
    last = data[ends - 1]
    names: NDArray[np.int64] = (last == LF).astype(np.int64)
    if (data == CR).any():
        before = data[np.maximum(ends - 2, starts)]
        names[(last == LF) & (before == CR) & (ends - starts > 1)] = 2
        names[last == CR] = 3
    return names


def _choose_tails(
    codes: NDArray[np.uint32],
    widths: NDArray[np.uint16],
    verdict_places: NDArray[np.uint16],
    line_ends: NDArray[np.int64],
    suffixes: Suffixes,
) -> tuple[list[bytes], NDArray[np.int64]]:
    """Return the distinct tails (padding, added cells, line end) and each line's place there."""
    kinds = len(suffixes.cells) + 1
    which = verdict_places.astype(np.int64)
    which[codes == HEADER] = kinds - 2
    pads = suffixes.width - widths.astype(np.int64)
    is_blank = codes == BLANK_LINE
    which[is_blank] = kinds - 1
    pads[is_blank] = 0
    mixed = (pads * len(_LINE_ENDS) + line_ends) * kinds + which
    distinct, places = _number(mixed)
    tails = []
    for value in distinct.tolist():
        rest, kind = divmod(value, kinds)
        pad, line_end = divmod(rest, len(_LINE_ENDS))
        cells = suffixes.cells[kind] if kind < kinds - 1 else b""
        tails.append(suffixes.delimiter * pad + cells + _LINE_ENDS[line_end])
    return tails, places


def _number(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct values and each one's place among them."""
    top = int(values.max()) + 1 if len(values) else 0
    if top > max(1 << 20, 4 * len(values)):
        return np.unique(values, return_inverse=True)
    is_there = np.zeros(top, np.bool_)
    is_there[values] = True
    return np.flatnonzero(is_there), (np.cumsum(is_there) - 1)[values]
