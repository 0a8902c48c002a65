"""Process of a command: its signals, streams, errors and exit code."""

import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import TextIO

from winnow.core.errors import WinnowError

_ENDING = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)
)  # Windows has no SIGHUP
_SIGNAL_EXIT = 128  # shells report a process that a signal ended with this plus its number
_SIGPIPE = 13
_STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\udc80-\udc9f]")
_FIELD = re.compile(r"\b(?:second_email_column|email_column|keep_by)\b|^(?:encoding|escape)(?=:)")

Main = Callable[[Sequence[str] | None], int]


def run(load: Callable[[], Main], arguments: Sequence[str] | None) -> int:
    """Load and run the commands, with the signals and exit codes that a shell expects.

    After a signal it cleans up, then ends; a closed output pipe ends it without a message.

    Args:
        load: Imports the commands, which takes most of a second.
        arguments: None: those of the process.
    """
    try:
        with _ending_by_signals():
            _open_streams()
            code = load()(arguments)
            sys.stdout.flush()
            return code
    except KeyboardInterrupt:
        return _SIGNAL_EXIT + signal.SIGINT
    except BrokenPipeError:
        _silence(sys.stdout)
        return _SIGNAL_EXIT + _SIGPIPE
    except OSError as error:
        try:
            sys.stdout.flush()
        except OSError:
            _silence(sys.stdout)
        sys.stderr.write(f"winnow: {describe(error)}\n")
        return 1


def load_pyarrow() -> None:
    """Import pyarrow so that it finds no pandas and gives freed memory back at once.

    It imports pandas with its first value, which takes half a second. Kept memory is 50 MiB of a
    list of ten million rows.
    """
    os.environ.setdefault("MIMALLOC_PURGE_DELAY", "0")  # milliseconds; read when it is loaded
    import pyarrow as pa

    class Hidden:
        @staticmethod
        def find_spec(name: str, *others: object) -> None:
            if name == "pandas":
                raise ModuleNotFoundError(name=name)

    sys.meta_path.insert(0, Hidden())
    try:
        pa.scalar(b"")
    finally:
        del sys.meta_path[0]


def make_visible(text: str) -> str:
    """Return text without signs that a terminal would obey; bytes that are no text stay."""
    return _UNSEEN.sub("\ufffd", text)


def describe(error: OSError) -> str:
    """Return a system error in one line: the file, if known, and the error."""
    said = error.strerror or str(error)
    return said if error.filename is None else make_visible(f"{error.filename}: {said}")


def word_error(error: WinnowError) -> tuple[str, str | None]:
    """Return what is wrong, and how to fix it if that is known: flags in place of form fields."""
    from winnow.lists.text.escapes import CHOOSE_ESCAPE

    hint = error.hint
    if hint == CHOOSE_ESCAPE:
        hint = "Name one with --escape backslash or --escape doubled, or save the list again."
    return _name_flags(error.detail), hint and _name_flags(hint)


def _name_flags(text: str) -> str:
    shown = make_visible(text).encode(errors="replace").decode()  # JSON holds no stray bytes
    return _FIELD.sub(lambda field: f"--{field[0].replace('_', '-')}", shown)


@contextmanager
def _ending_by_signals() -> Iterator[None]:
    """Turn signals that would end the process at once into exits that run clean-up code."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    usual = [one for one in _ENDING if signal.getsignal(one) is signal.SIG_DFL]  # nohup ignores one
    for one in usual:
        signal.signal(one, _end)
    try:
        yield
    finally:
        for one in usual:
            signal.signal(one, signal.SIG_DFL)


def end_at_once() -> None:
    """Restore the default signal handlers, which end the process; nothing is lost."""
    for one in _ENDING:
        if signal.getsignal(one) is _end:
            signal.signal(one, signal.SIG_DFL)


def _end(number: int, frame: FrameType | None) -> None:
    for one in _ENDING:
        signal.signal(one, signal.SIG_IGN)  # a second one would interrupt the clean-up
    raise SystemExit(_SIGNAL_EXIT + number)


def _open_streams() -> None:
    """Open standard streams that are missing, and let them write names of any bytes.

    Otherwise a file that takes the number of a closed stream would get its output.
    """
    for place, (name, mode) in enumerate(_STREAMS):
        if getattr(sys, name) is None:
            try:
                os.fstat(place)
            except OSError:
                os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
            setattr(sys, name, open(place, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            is_utf8 = stream.encoding.lower().replace("-", "") == "utf8"
            stream.reconfigure(errors="surrogateescape" if is_utf8 else "backslashreplace")


def _silence(stream: TextIO) -> None:
    """Discard unwritten output, so that the interpreter's last flush reports no error."""
    try:
        place = stream.fileno()
    except (OSError, ValueError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, place)
    os.close(nowhere)
