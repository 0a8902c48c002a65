"""Messages to and from a limited process: pickles with their length in front."""

import pickle
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from winnow.core.judging.judge import Judge
from winnow.core.lists.file_format import FileFormat
from winnow.core.tasks.task import KeyType

_LENGTH = struct.Struct("<Q")

JudgeOffline = Callable[[KeyType], Judge]
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Question(Generic[Answer]):
    """Work on a file, with as much memory and time as the file needs; its errors are the work's.

    Attributes:
        path: The file, whose size says how long the work may take; it is only read.
        work: A function of a module, with its arguments (``functools.partial``).
        file_format: Of an upload, as declared; None: the file is a project's.
        needs_judge: The work takes a function that returns judges without a network.
    """

    path: Path
    work: Callable[..., Answer]
    file_format: FileFormat | None = None
    needs_judge: bool = False

    def answer(self, judge_offline: JudgeOffline | None = None) -> Answer:
        """Do the work in this process."""
        return self.work(judge_offline) if self.needs_judge else self.work()


@dataclass(frozen=True, slots=True)
class Request:
    """A question, and the processor time that its answer may take; None: get ready."""

    question: Question[Any] | None
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
