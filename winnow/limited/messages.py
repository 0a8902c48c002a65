"""Messages to and from a limited process: pickles with their length in front."""

import pickle
import struct
from collections.abc import Callable
from dataclasses import dataclass

_LENGTH = struct.Struct("<Q")


@dataclass(frozen=True, slots=True)
class Request:
    """A question, and the processor time that its answer may take; None: get ready."""

    question: object
    cpu_seconds: int


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, an error of the product or of the disk, or the traceback of a failure."""

    answer: object = None
    error: Exception | None = None
    crash: str | None = None


def pack(message: Request | Reply) -> bytes:
    """Return a message as bytes, its length in front."""
    content = pickle.dumps(message)
    return _LENGTH.pack(len(content)) + content


def unpack(read: Callable[[int], bytes]) -> Request | Reply | None:
    """Read one message of our own process at the other end; None if it has ended.

    ``read`` gives so many bytes, fewer only at the end.
    """
    head = read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (size_bytes,) = _LENGTH.unpack(head)
    content = read(size_bytes)
    if len(content) < size_bytes:
        return None
    message: Request | Reply = pickle.loads(content)  # noqa: S301 - a pipe to our own process
    return message
