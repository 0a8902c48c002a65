"""Arrow columns as text, for pages, searches, CSV and the engine's address column."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from winnow.core.errors import BrokenFile
from winnow.core.file_faults import FileFault
from winnow.lists.text.arrow_cells import gather_bytes, quote, spread_texts
from winnow.lists.text.records import MAX_CELL_BYTES

_BYTES = pa.large_binary()
_COMMA, _LINE_END, _NOTHING = (pa.scalar(text, _BYTES) for text in (b",", b"\n", b""))
_TEXTS = (pa.string(), pa.large_string(), pa.string_view())
_BINARIES = (pa.binary(), pa.large_binary(), pa.binary_view())
_MARKS = b',"\r\n'
_BLANK_LINE = r"\A\s*\z"  # in a list of one column it would be no row


def word_lines(table: pa.Table) -> bytes:
    """Return rows as lines of CSV in UTF-8; NUL, which text does not hold, is U+FFFD.

    Raises:
        BrokenFile: A cell is longer than a list's may be.
    """
    blank = _BLANK_LINE if table.num_columns == 1 else None
    columns = (word_column(column, place) for place, column in enumerate(table.columns))
    decode = partial(str, encoding="utf-8", errors="replace")
    texts = (_require_utf8(column, decode) for column in columns)
    cells = [quote(column, _MARKS, blank) for column in texts]
    rows = pc.binary_join_element_wise(*cells, _COMMA) if len(cells) > 1 else cells[0]
    lines = pc.binary_join_element_wise(rows, _LINE_END, _NOTHING)
    return gather_bytes(lines).replace(b"\0", "\ufffd".encode())


def word_column(column: pa.ChunkedArray, place: int) -> pa.Array:
    """Return a column's cells in one array without nulls: a null is an empty cell.

    They are UTF-8 but for texts that are not in the file itself.

    Raises:
        BrokenFile: One is longer than a list's may be, or a date that no calendar has.
    """
    try:
        chunks = [pc.fill_null(_word(chunk), _NOTHING) for chunk in column.chunks]
    except OverflowError as error:
        raise BrokenFile(
            "Column {column}: a date cannot be read.",
            column=place + 1,
            hint="Leave this column out of the file.",
        ) from error
    cells = pa.concat_arrays(chunks) if chunks else pa.array([], _BYTES)
    if (pc.max(pc.binary_length(cells)).as_py() or 0) > MAX_CELL_BYTES:
        raise BrokenFile(
            "Column {column}: a cell is longer than 1 MiB.",
            fault=FileFault.TOO_LARGE,
            column=place + 1,
            hint="Leave this column out of the file.",
        )
    return cells


def _word(array: pa.Array) -> pa.Array:
    """Return the texts of an array of any type, nulls as they are."""
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        word = str if not pa.types.is_nested(kind.storage_type) else _to_json
        return _word_each(array, word) if kind.storage_type not in _TEXTS else _word(array.storage)
    if pa.types.is_dictionary(kind):
        return spread_texts(_word(array.dictionary), array.indices)
    if kind in _TEXTS:
        return array.cast(_BYTES)
    if kind in _BINARIES or pa.types.is_fixed_size_binary(kind):
        return _require_utf8(array.cast(_BYTES), _decode_or_hex)
    if pa.types.is_null(kind):
        return pa.nulls(len(array), _BYTES)
    if pa.types.is_nested(kind):
        return _word_each(array, _to_json)
    zone = b""
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        array, zone = array.cast(pa.timestamp(kind.unit)), b"Z"  # the moment, whatever the zone
    try:
        texts = array.cast(pa.large_string()).cast(_BYTES)
    except pa.ArrowNotImplementedError:
        return _word_each(array, str)
    return pc.binary_join_element_wise(texts, pa.scalar(zone, _BYTES), _NOTHING) if zone else texts


def _require_utf8(texts: pa.Array, word: Callable[[bytes], str]) -> pa.Array:
    """Return bytes that are UTF-8; where some are not, what ``word`` makes of each."""
    try:
        texts.cast(pa.large_string())
    except pa.ArrowInvalid:
        return _word_each(texts, word)
    return texts


def _decode_or_hex(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.hex()


def _word_each(array: pa.Array, word: Callable[[Any], str]) -> pa.Array:
    words = [None if value is None else word(value) for value in array.to_pylist()]
    return pa.array(
        [None if one is None else one.encode("utf-8", "replace") for one in words], _BYTES
    )


def _to_json(value: Any) -> str:
    return json.dumps(_tidy(value), ensure_ascii=False, default=str)


def _tidy(value: Any) -> Any:
    """Return a nested value with texts for bytes."""
    if isinstance(value, bytes):
        return _decode_or_hex(value)
    if isinstance(value, dict):
        return {str(key): _tidy(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_tidy(one) for one in value]
    return value
