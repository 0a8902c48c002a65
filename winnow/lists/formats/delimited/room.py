"""How much room a text list's result can take at most."""

import codecs
from collections.abc import Iterator
from pathlib import Path

from winnow.core.tasks.task import InputPlan
from winnow.lists.result.row_room import RowCounts
from winnow.lists.text.cell_text import decode_end, keeps_ascii

_BLOCK_BYTES = 1 << 20


def bound_text_bytes(path: Path, plan: InputPlan) -> int:
    """Return the most that a run writes for a text list, which is read through once."""
    counts = RowCounts(ord(plan.delimiter), has_escapes=bool(plan.escape))
    is_raw = keeps_ascii(plan.encoding)
    for block in _read_blocks(path, None if is_raw else plan.encoding):
        counts.feed(block)
    counts.finish()
    added = counts.bound_added_bytes(len(plan.columns))
    if is_raw:
        written = path.stat().st_size + added
    else:  # the result, and its rows once more in UTF-8
        unit = len(",,".encode(plan.encoding)) - len(",".encode(plan.encoding))
        written = path.stat().st_size + added * unit + counts.size_bytes + added
    if not is_raw and not plan.encoding.startswith("utf-"):
        written += counts.bound_place_bytes()  # where the rows stand in the result itself
    return written + counts.bound_index_bytes()


def _read_blocks(path: Path, codec: str | None) -> Iterator[bytes]:
    """Yield a file's bytes, or what they say in UTF-8."""
    decoder = codecs.getincrementaldecoder(codec)("replace") if codec else None
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            yield block if decoder is None else decoder.decode(block).encode("utf-8", "replace")
    if decoder is not None and codec is not None:
        yield decode_end(decoder, codec).encode("utf-8", "replace")
