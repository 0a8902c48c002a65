"""Arrays and a few plain values in one object."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SIZE_BYTES = 8

Arrays = Mapping[str, NDArray[Any]]


def pack(arrays: Arrays, values: Mapping[str, Any] | None = None) -> bytes:
    """Return arrays of one dimension, and values that JSON knows, as bytes."""
    shapes = [(name, array.dtype.str, len(array)) for name, array in arrays.items()]
    head = json.dumps({"arrays": shapes, "values": dict(values or {})}).encode()
    parts = [np.ascontiguousarray(array).tobytes() for array in arrays.values()]
    return b"".join((len(head).to_bytes(_SIZE_BYTES, "little"), head, *parts))


def unpack(data: bytes) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return what ``pack`` was given; the arrays are read-only."""
    place = _SIZE_BYTES + int.from_bytes(data[:_SIZE_BYTES], "little")
    head = json.loads(data[_SIZE_BYTES:place])
    arrays = {}
    for name, kind, count in head["arrays"]:
        arrays[name] = np.frombuffer(data, np.dtype(kind), count, place)
        place += arrays[name].nbytes
    return arrays, head["values"]
