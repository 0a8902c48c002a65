"""What the server and its looking processes say to each other, in pickles with their length."""

import pickle
import struct
from collections.abc import Callable
from dataclasses import dataclass

from winnow.services.inspection.inspections import FileQuestion

_LENGTH = struct.Struct("<Q")


@dataclass(frozen=True, slots=True)
class Request:
    """A question, and the processor time that may go into its answer; none: get ready."""

    question: FileQuestion[object] | None
    cpu_seconds: int


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, an error of the product or of the disk, or where the code itself failed."""

    answer: object = None
    error: Exception | None = None
    crash: str | None = None


def pack(message: Request | Reply) -> bytes:
    """Return a message as bytes, its length in front."""
    content = pickle.dumps(message)
    return _LENGTH.pack(len(content)) + content


def unpack(read: Callable[[int], bytes]) -> Request | Reply | None:
    """Read one message of our own process at the other end; None where it has gone.

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
