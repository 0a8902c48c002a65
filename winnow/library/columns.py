"""Conversion of columns of any kind to Arrow, and of answers back to that kind."""

import re
import sys
from collections.abc import Sequence
from enum import Enum, auto
from typing import Any

import pyarrow as pa

NO_CHARACTER = "\uffff"  # in place of a lone surrogate, which Arrow cannot hold: no text either
_SURROGATE = re.compile("[\ud800-\udfff]")
_TEXT = pa.large_string()


class ColumnKind(Enum):
    """Kind of a column, and so of its answer."""

    LIST = auto()
    PANDAS = auto()
    POLARS = auto()
    ARROW = auto()


def read_column(values: Any) -> tuple[ColumnKind, pa.ChunkedArray]:
    """Return a column's kind and its values as large strings, null for None and NaN.

    Args:
        values: A sequence of texts, a pandas or Polars Series, a pyarrow array, or anything with
            the Arrow PyCapsule interface: strings of any layout, dictionaries of them, or nulls.

    Raises:
        TypeError: It is not a column, or has values other than texts.
    """
    if isinstance(values, (str, bytes)):
        msg = "check_column takes a column of texts; check takes a single one"
        raise TypeError(msg)
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return ColumnKind.ARROW, _to_texts(values)
    if _is_of(values, "pandas", "Series"):
        return ColumnKind.PANDAS, _to_texts(_make_array(values.array))
    if _is_of(values, "polars", "Series"):
        return ColumnKind.POLARS, _to_texts(values.to_arrow())
    if hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"):
        read = pa.array if hasattr(values, "__arrow_c_array__") else pa.chunked_array
        return ColumnKind.ARROW, _to_texts(read(values))
    if isinstance(values, Sequence) or type(values).__module__ == "numpy":
        return ColumnKind.LIST, _to_texts(_make_array(values))
    msg = f"a {type(values).__name__} is no column of texts"
    raise TypeError(msg)


def _is_of(values: Any, library: str, name: str) -> bool:
    """Return whether a value is of a library's class, without importing the library."""
    module = sys.modules.get(library)
    return module is not None and isinstance(values, getattr(module, name))


def _make_array(values: Any) -> pa.Array | pa.ChunkedArray:
    try:
        return pa.array(values, from_pandas=True)
    except UnicodeEncodeError:
        mended = [
            _SURROGATE.sub(NO_CHARACTER, one) if isinstance(one, str) else one for one in values
        ]
        return _make_array(mended)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        msg = f"not every value is a text: {error}"
        raise TypeError(msg) from error


def _to_texts(values: pa.Array | pa.ChunkedArray) -> pa.ChunkedArray:
    if values.null_count == len(values):  # pandas has a column of no values as numbers
        values = pa.nulls(len(values))
    require_texts(values.type)
    texts = values.cast(_TEXT)
    return texts if isinstance(texts, pa.ChunkedArray) else pa.chunked_array([texts])


def require_texts(kind: pa.DataType) -> None:
    """Refuse a column of values other than texts.

    Raises:
        TypeError: It is one.
    """
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if not (
        pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_string_view(kind)
        or pa.types.is_null(kind)
    ):
        msg = f"a column of {kind} is no column of texts; cast it to strings first"
        raise TypeError(msg)
